"""Audit of a project's ledger: balances by kind of account, and whether they equal the sums of the entries."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction
from django.db.models import DecimalField, F, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce, Round

from annotation.models import Account, Entry, Payment, Project
from annotation.models.money import OUTSIDE

_NOTHING = Value(Decimal(0), output_field=DecimalField(max_digits=14, decimal_places=2))


@dataclass(frozen=True, slots=True)
class Books:
    """Balances: budget, set aside, owed to workers, in open payouts, fees, at marketplaces, outside."""

    available: Decimal
    held: Decimal
    owed: Decimal
    on_its_way: Decimal
    fees: Decimal
    marketplaces: Decimal
    paid_out: Decimal


@dataclass(frozen=True, slots=True)
class Fault:
    """An account (or `payments`) whose balance differs from its entries."""

    account: str
    says: Decimal
    should: Decimal


def books(project: Project) -> Books:
    """The project's balances by kind."""
    sums = Account.objects.filter(project=project).aggregate(
        available=_sum(name="available"),
        held=_sum(name__startswith="held/"),
        owed=_sum(name__startswith="worker/"),
        on_its_way=_sum(name__startswith="payout/"),
        fees=_sum(name="fees"),
        marketplaces=_sum(name__startswith="marketplace/"),
    )
    paid = Entry.objects.filter(project=project, kind="paid_out").aggregate(sum=Sum("amount", default=Decimal(0)))
    return Books(**sums, paid_out=paid["sum"])


def _sum(**which: str) -> Sum:
    return Sum("balance", filter=Q(**which), default=Decimal(0))


@transaction.atomic
def audit(project: Project) -> list[Fault]:
    """The ledger's faults; an empty list if it balances.

    Checked are: each balance against its entries, the sum of all accounts against zero, each payment against the
    ledger.
    """
    rows = Account.objects.filter(project=project).annotate(into=_entries("target"), out=_entries("source"))
    checked = [(row.name, row.balance, row.into - row.out) for row in rows.order_by("name")]
    faults = [Fault(name, recorded, should) for name, recorded, should in checked if recorded != should]
    overdrawn = [(name, recorded) for name, recorded, _should in checked if recorded < 0 and name != OUTSIDE]
    faults += [Fault(name, recorded, Decimal(0)) for name, recorded in overdrawn]
    total = sum((recorded for _name, recorded, _should in checked), Decimal(0))
    if total:
        faults.append(Fault("total", total, Decimal(0)))
    return faults + _of_payments(project)


def _entries(end: str) -> Round:
    own = Entry.objects.filter(**{end: OuterRef("pk")}).order_by().values(end)
    sums = Coalesce(Subquery(own.annotate(sum=Sum("amount")).values("sum")), _NOTHING)
    return Round(sums, precision=2)  # because SQLite computes with floating-point numbers


def _of_payments(project: Project) -> list[Fault]:
    """Payments without exactly one entry of their amount under their key."""
    booked = Entry.objects.filter(project=project, key=OuterRef("key")).values("amount")
    rows = Payment.objects.filter(project=project).annotate(booked=Coalesce(Subquery(booked), _NOTHING))
    wrong = rows.exclude(amount=F("booked")).order_by("pk")[:100]
    return [Fault(f"payment {row.key}", row.amount, row.booked) for row in wrong]
