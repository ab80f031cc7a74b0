"""A project's money: balances, payments, ledger; and payouts: what workers are owed, for the lab to pay."""

from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from annotation.api.examples import WORKER
from annotation.api.operations import action, operation
from annotation.api.serializers import FILE, JSON, TEXT, Input, ModelResource, dollars, posted_file
from annotation.api.setting_fields import output_field
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.money import ledger_audit, ledger_table, payouts
from annotation.flow.people import worker_names
from annotation.flow.projects.settings import SETTINGS
from annotation.models import Payment, Payout, PayoutLine
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.setting_fields import setting


class FaultSerializer(serializers.Serializer):
    """An account whose balance is not the sum of its entries."""

    account = serializers.CharField()
    says = dollars()
    should = dollars()


class BooksSerializer(serializers.Serializer):
    """Balances in dollars."""

    available = dollars(help_text="The budget: not set aside for anything.")
    held = dollars(help_text="Set aside for batches.")
    owed = dollars(help_text="Owed to workers.")
    on_its_way = dollars(help_text="In open payouts.")
    fees = dollars()
    marketplaces = dollars()
    paid_out = dollars()
    wage_floor = output_field(SETTINGS["wage_floor"])
    faults = FaultSerializer(many=True, help_text="Accounts that do not balance; empty: the ledger is right.")


@dataclass(frozen=True)
class PaymentFilter(ListFilter):
    """Filters of payments."""

    batch: str = setting("", length=100, column="batch__slug")
    worker: str = worker_setting("worker__in")
    kind: str = setting("", choices=dict(Payment.Kind.choices), column="kind")
    state: str = setting("", choices=dict(Payment.State.choices), column="state")


class PaymentSerializer(ModelResource):
    """A payment for an assignment."""

    worker = serializers.SerializerMethodField()

    class Meta:
        model = Payment
        fields = [
            "batch", "assignment", "worker", "kind", "amount", "fee", "reason", "state", "error", "created_at",
            "paid_at",
        ]  # fmt: skip

    def get_worker(self, payment: Payment) -> str:
        """The worker's pseudonym."""
        return str(self.context["view"].project.pseudonym(payment.worker_id))


class EntrySerializer(serializers.Serializer):
    """A transfer from one account to another."""

    number = serializers.IntegerField(source="entry.pk")
    created_at = serializers.DateTimeField(source="entry.created_at")
    kind = serializers.CharField(source="entry.kind")
    source = serializers.CharField(help_text="Name of the account.")  # type: ignore[assignment]  # a field of that name
    target = serializers.CharField(help_text="Name of the account.")
    amount = dollars(source="entry.amount")
    batch = serializers.CharField(source="entry.batch.slug", default="")
    worker = serializers.CharField(help_text="The worker's pseudonym; empty: none.")
    note = serializers.CharField(source="entry.note")


class BalanceViewSet(ResourceViewSet):
    """Balances."""

    serializer_class = BooksSerializer
    reads = roles.PAY
    single = True

    @operation()
    def retrieve(self) -> JSON:
        """The project's balances, and whether the ledger balances."""
        more = {"wage_floor": self.project.wage_floor, "faults": ledger_audit.audit(self.project)}
        return asdict(ledger_audit.books(self.project)) | more


class PaymentViewSet(ResourceViewSet):
    """Payments."""

    serializer_class = PaymentSerializer
    reads = roles.PAY

    @operation(query=PaymentFilter)
    def list(self, wanted: PaymentFilter) -> Any:
        """List payments, made and due, newest first: rewards, bonuses and top-ups to the wage floor."""
        rows = self.project.payments.select_related("batch", "assignment").defer("assignment__draft")
        return wanted.narrow(self.project, rows)


class EntryViewSet(ResourceViewSet):
    """The ledger."""

    serializer_class = EntrySerializer
    reads = roles.PAY

    def prepare(self, rows: list[Any]) -> list[Any]:
        return list(ledger_table.display_rows(self.project, rows))

    @operation(query=ledger_table.LedgerFilter)
    def list(self, wanted: ledger_table.LedgerFilter) -> Any:
        """List the entries of the ledger, newest first."""
        return ledger_table.entries(self.project, wanted)


OPEN = PayoutLine.State.OPEN


class PayoutSerializer(serializers.Serializer):
    """A payout."""

    number = serializers.IntegerField(help_text="Its number, from 1.")
    total = dollars()
    lines_open = serializers.IntegerField(help_text="Workers whose payment is still open.")
    created_at = serializers.DateTimeField()


class LineSerializer(serializers.Serializer):
    """What to pay to whom, with names, because whoever pays needs them."""

    worker = serializers.CharField(source="worker.pseudonym")
    worker_id = serializers.CharField(source="worker.public_id")
    name = serializers.SerializerMethodField()
    amount = dollars()
    state = serializers.ChoiceField(choices=PayoutLine.State.choices)
    reference = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)

    def get_name(self, line: PayoutLine) -> str:
        return str(line.worker.user or line.worker.external_id or "")


class OnePayoutSerializer(PayoutSerializer):
    """A payout with its lines."""

    lines = LineSerializer(many=True, source="lines_to_pay")


class PayoutNoteInput(Input):
    """The result of a payment to one worker."""

    EXAMPLE = {"worker": WORKER, "state": "paid", "reference": "Transfer 4711"}

    worker = serializers.CharField(max_length=64, help_text="Pseudonym or worker id.")
    state = serializers.ChoiceField(choices=[(s, s) for s in (PayoutLine.State.PAID, PayoutLine.State.FAILED)])
    reference = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")


class ReconciledSerializer(serializers.Serializer):
    """Numbers of lines, by result."""

    paid = serializers.IntegerField()
    failed = serializers.IntegerField()
    open = serializers.IntegerField()
    unchanged = serializers.IntegerField()


class PayoutViewSet(ResourceViewSet):
    """The payouts of a project."""

    serializer_class = OnePayoutSerializer
    list_serializer_class = PayoutSerializer
    ordering = "-pk"
    act = reads = roles.PAY
    lookup_field, lookup_value_converter = "number", "int"
    row: Payout

    def get_queryset(self) -> QuerySet[Payout]:
        waiting = Count("lines", filter=Q(lines__state=OPEN))
        return self.project.payouts.annotate(total=Sum("lines__amount"), lines_open=waiting)

    def get_object(self) -> Payout:
        number = self.kwargs["number"]
        return get_object_or_404(self.get_queryset(), number__in=[number] if number < 2**31 else [])

    def prepare(self, rows: list[Any]) -> list[Any]:
        for payout in () if self.operation.many else rows:
            payout.lines_to_pay = payouts.lines_of(payout)
        return rows

    @operation()
    def list(self) -> None:
        """List the payouts of a project, newest first."""

    @operation(id="makePayout")
    def create(self) -> Payout:
        """Create a payout of everything that workers are owed."""
        made = payouts.make_payout(self.project, user=self.request.user)
        return self.get_queryset().get(pk=made.pk)

    @operation()
    def retrieve(self) -> None:
        """One payout: what to pay to whom, with names."""

    @action("get", "export/csv", files={"text/csv": TEXT})
    def export(self) -> HttpResponseBase:
        """One payout as CSV, which can be completed and imported again (`payouts/reconcile/`)."""
        name, content = f"{self.project.slug}-payout-{self.row.number}.csv", payouts.as_csv(self.row)
        return logged_download(self.request, self.row, content, name=name, kind="text/csv; charset=utf-8")

    @action(takes=PayoutNoteInput, id="notePayoutLine")
    def note(self, data: JSON) -> None:
        """Record that a worker was paid, or that the payment failed and is still owed."""
        worker = worker_names.worker_named(self.project, data["worker"])
        line = self.row.lines.filter(worker=worker).select_related("payout__project", "worker").first()
        if worker is None or line is None:
            raise ValidationError({"worker": [_("This payout has no line for this worker.")]})
        payouts.decide(line, data["state"], reference=data["reference"], user=self.request.user)

    @action(detail=False, takes=FILE, gives=ReconciledSerializer)
    def reconcile(self) -> Any:
        """Import a payout file with its completed states. All or nothing.

        The same file again changes nothing. Errors are in `report`, by line.
        """
        file = posted_file(self.request.data, _("The file is empty. Send the payout file."))
        return payouts.reconcile(self.project, file.read(payouts.LONGEST + 1), user=self.request.user)
