"""A project's money: where it lies, what was paid to whom, every entry of the ledger."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import ProjectView
from annotation.api.lists import Newest, ProjectList, dollars
from annotation.flow import auditing, bookkeeping, naming
from annotation.models import Payment
from annotation.pure import roles


class FaultSerializer(serializers.Serializer):
    """Where the ledger is off."""

    account = serializers.CharField()
    says = dollars()
    should = dollars()


class BooksSerializer(serializers.Serializer):
    """Where the money lies, in dollars."""

    available = dollars(help_text="The budget.")
    held = dollars(help_text="Set aside for batches.")
    owed = dollars(help_text="To workers.")
    on_its_way = dollars(help_text="In payouts that are not settled.")
    fees = dollars()
    marketplaces = dollars()
    paid_out = dollars()
    wage_floor = dollars(allow_null=True, help_text="The lowest wage an hour that the project wants to pay.")
    faults = FaultSerializer(many=True, help_text="Empty: the ledger adds up.")


class PaymentFilter(serializers.Serializer):
    """Which payments."""

    batch = serializers.CharField(max_length=100, required=False)
    worker = serializers.CharField(max_length=64, required=False, help_text="Pseudonym or worker id.")
    kind = serializers.ChoiceField(choices=Payment.Kind.choices, required=False)
    state = serializers.ChoiceField(choices=Payment.State.choices, required=False)


class PaymentSerializer(serializers.Serializer):
    """What an assignment earned."""

    batch = serializers.CharField(source="batch.slug")
    assignment = serializers.CharField(source="assignment.public_id")
    worker = serializers.SerializerMethodField()
    kind = serializers.ChoiceField(choices=Payment.Kind.choices)
    amount = dollars()
    fee = dollars()
    reason = serializers.CharField()
    state = serializers.ChoiceField(choices=Payment.State.choices)
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)

    def get_worker(self, payment: Payment) -> str:
        """The worker's pseudonym."""
        return str(self.context["view"].project.pseudonym(payment.worker_id))


class EntryFilter(serializers.Serializer):
    """Which entries."""

    batch = serializers.CharField(max_length=100, required=False)
    kind = serializers.ChoiceField(choices=[(kind, kind) for kind in bookkeeping.KINDS], required=False)
    worker = serializers.CharField(
        max_length=64, required=False, help_text="The beginning of a pseudonym, or a worker id."
    )


class EntrySerializer(serializers.Serializer):
    """So much went from one account to another."""

    number = serializers.IntegerField(source="entry.pk")
    created_at = serializers.DateTimeField(source="entry.created_at")
    kind = serializers.CharField(source="entry.kind")
    source = serializers.CharField(help_text="The account, in words.")
    target = serializers.CharField(help_text="The account, in words.")
    amount = dollars(source="entry.amount")
    batch = serializers.CharField(source="entry.batch.slug", default="")
    worker = serializers.CharField(help_text="The worker's pseudonym; empty: of nobody's.")
    note = serializers.CharField(source="entry.note")


class Money(ProjectView):
    """Balances."""

    serializer_class = BooksSerializer
    reads = roles.PAY

    @extend_schema(operation_id="getBalance", responses=BooksSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Where the project's money lies, and whether the ledger adds up."""
        more = {"wage_floor": self.project.wage_floor, "faults": auditing.audit(self.project)}
        return Response(BooksSerializer(asdict(auditing.books(self.project)) | more).data)


class Payments(ProjectList):
    """Payments."""

    serializer_class = PaymentSerializer
    pagination_class = Newest
    reads = roles.PAY

    def rows(self) -> Any:
        wish = self.query(PaymentFilter)
        names = {"batch": "batch__slug", "kind": "kind", "state": "state"}
        rows = self.project.payments.filter(**{names[name]: wish[name] for name in names if name in wish})
        if "worker" in wish:
            rows = rows.filter(worker=naming.worker_named(self.project, wish["worker"]))
        return rows.select_related("batch", "assignment").defer("assignment__draft")

    @extend_schema(parameters=[PaymentFilter], responses=PaymentSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """What was and is to be paid, newest first: rewards, bonuses and top-ups to the wage floor."""
        return self.listed()


class Ledger(ProjectList):
    """The ledger."""

    serializer_class = EntrySerializer
    pagination_class = Newest
    reads = roles.PAY

    def rows(self) -> Any:
        wish = self.query(EntryFilter)
        slug = wish.pop("batch", None)
        rows = bookkeeping.entries(self.project, **wish)
        return rows.filter(batch__slug=slug) if slug else rows

    def told(self, rows: list[Any]) -> list[Any]:
        return list(bookkeeping.told(self.project, rows))

    @extend_schema(operation_id="listEntries", parameters=[EntryFilter], responses=EntrySerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Every entry of the ledger, newest first."""
        return self.listed()
