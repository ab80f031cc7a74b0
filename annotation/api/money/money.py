"""A project's money: balances, payments, ledger."""

from dataclasses import asdict, dataclass
from typing import Any

from rest_framework import serializers

from annotation.api.operations import operation
from annotation.api.serializers import JSON, ModelResource, dollars
from annotation.api.setting_fields import output_field
from annotation.api.viewsets import ResourceViewSet
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.money import ledger_audit, ledger_table
from annotation.flow.projects.settings import SETTINGS
from annotation.models import Payment
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
