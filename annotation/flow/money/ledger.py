"""The ledger: transfers between a project's accounts, each made once; no account is ever overdrawn.

Every row is a double entry, so a project's accounts always sum to zero. Accounts are locked last, in the order of their
primary keys, so that transfers cannot deadlock.
"""

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation import recruitment
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Account, Batch, Entry, Payment, Project, User
from annotation.models.money import OUTSIDE
from annotation.pure.money import pricing
from annotation.recruitment import marketplaces

AVAILABLE = "available"
FEES = "fees"


class Overdrawn(Refused):
    """The project's budget does not cover it. `lacking`: the missing dollars."""

    def __init__(self, wanted: Decimal, there: Decimal) -> None:
        self.lacking = wanted - there
        text = _("This requires $%(wanted)s, but the budget has only $%(there)s left. Add $%(lacking)s to the budget.")
        amounts = {"wanted": wanted, "there": there, "lacking": self.lacking}
        super().__init__(text % {name: f"{amount:.2f}" for name, amount in amounts.items()})


def held_for(batch: Batch) -> str:
    """Name of the account of money set aside for a batch."""
    return f"held/{batch.pk}"


def owed_to(worker_pk: int) -> str:
    """Name of the account of money owed to a worker."""
    return f"worker/{worker_pk}"


def fee_on(batch: Batch, kind: str, amount: Decimal, *, assignments: int) -> Decimal:
    """The fee of the batch's marketplace on a payment; `assignments` is the number that its HIT asks for."""
    schedule = recruitment.fees_of(batch)
    if kind == Payment.Kind.REWARD:
        return pricing.reward_fee(amount, schedule=schedule, assignments=assignments)
    return pricing.bonus_fee(amount, schedule=schedule)


def assignments_requested(batch: Batch, *, check: bool, wanted: int) -> int:
    """The number of assignments by which the fee of a HIT is computed; `check`: whether it is hidden gold.

    On the built-in marketplace HITs of a round and hidden gold count as one, because assignments are added on demand.
    """
    for_all = check or batch.purpose == Batch.Purpose.QUALIFICATION
    return 1 if for_all and not batch.on_marketplace else wanted


def balance(project: Project, name: str) -> Decimal:
    """The balance of an account in dollars; 0 if it was never used."""
    return Account.objects.filter(project=project, name=name).values_list("balance", flat=True).first() or Decimal(0)


def held_in_all(project: Project) -> Decimal:
    """Dollars set aside for batches."""
    accounts = Account.objects.filter(project=project, name__startswith="held/")
    return accounts.aggregate(sum=Sum("balance", default=Decimal(0)))["sum"]


@transaction.atomic
def move(
    project: Project, source: str, target: str, amount: Decimal, *, kind: str, key: str, **about: Any
) -> Entry | None:
    """Transfer dollars once; returns None if `key` was used before or the amount is zero. Raises Overdrawn.

    `about` are the entry's other columns: batch, assignment, worker, note, created_by.
    """
    if not amount:
        return None
    accounts = _locked(project, source, target)
    if Entry.objects.filter(project=project, key=key).exists():
        return None
    there = accounts[source].balance
    if source != OUTSIDE and there < amount:
        raise Overdrawn(amount, there)
    ends = {"source": accounts[source], "target": accounts[target]}
    entry = Entry.objects.create(project=project, amount=amount, kind=kind, key=key, **ends, **about)
    Account.objects.filter(pk=accounts[source].pk).update(balance=there - amount)
    Account.objects.filter(pk=accounts[target].pk).update(balance=accounts[target].balance + amount)
    return entry


def lock(project: Project) -> None:
    """Block other transfers of the project's budget until this transaction ends."""
    _locked(project, AVAILABLE)


def _locked(project: Project, *names: str) -> dict[str, Account]:
    rows = Account.objects.filter(project=project, name__in=names)
    for name in set(names) - set(rows.values_list("name", flat=True)):
        Account.objects.get_or_create(project=project, name=name)
    # In the order of their keys, so that two transfers between the same accounts cannot deadlock.
    return {account.name: account for account in rows.select_for_update(no_key=True).order_by("pk")}


@transaction.atomic
def deposit(project: Project, amount: Decimal, *, key: str, user: User | None = None, note: str = "") -> None:
    """Add dollars to the budget, or withdraw them if `amount` is negative. Raises Overdrawn."""
    lock(project)  # first `available`, then `outside`: the order in which importing a payout file locks them
    if amount >= 0:
        moved = move(project, OUTSIDE, AVAILABLE, amount, kind="deposit", key=key, note=note, created_by=user)
    else:
        moved = move(project, AVAILABLE, OUTSIDE, -amount, kind="withdrawal", key=key, note=note, created_by=user)
    if moved:
        audit_log.record("put in" if amount > 0 else "taken out", project, amount=str(abs(amount)), note=note)


def hold(batch: Batch, amount: Decimal, *, key: str) -> None:
    """Set dollars of the budget aside for a batch. Raises Overdrawn."""
    move(batch.project, AVAILABLE, held_for(batch), amount, kind="hold", key=key, batch=batch)


def release(batch: Batch, amount: Decimal, *, key: str) -> None:
    """Release money set aside for a batch. Raises Overdrawn for more than was set aside."""
    move(batch.project, held_for(batch), AVAILABLE, amount, kind="release", key=key, batch=batch)


@transaction.atomic
def pay(payment: Payment, *, reserved: bool) -> None:
    """Transfer a payment and its fee: `reserved` from the batch's account, the rest from the budget.

    To the worker's account on the built-in marketplace, else to the marketplace's. Raises Overdrawn, moving nothing.
    """
    batch, project = payment.batch, payment.project
    both = payment.amount + payment.fee
    there = _locked(project, held_for(batch), AVAILABLE)[held_for(batch)].balance
    short = both - there if reserved else both
    if short > 0:
        hold(batch, short, key=f"{payment.key}/short")
    about = {"batch": batch, "assignment": payment.assignment, "worker": payment.worker}
    away = f"marketplace/{marketplaces().of(batch).pk}" if batch.on_marketplace else ""
    goes_to = away or owed_to(payment.worker_id)
    move(project, held_for(batch), goes_to, payment.amount, kind=payment.kind, key=payment.key, **about)
    move(project, held_for(batch), away or FEES, payment.fee, kind="fee", key=f"{payment.key}/fee", **about)
