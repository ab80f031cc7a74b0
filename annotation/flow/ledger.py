"""The ledger: money moves between a project's accounts, each move once, and no account is ever overdrawn.

Every row is a double entry, so the accounts of a project always add up to nothing. Accounts are locked in the order
of their keys, after every other row.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Refused
from annotation.models import Account, Batch, Entry, Payment, Project, User
from annotation.models.money import OUTSIDE
from annotation.pure import pricing

AVAILABLE = "available"
FEES = "fees"


class Overdrawn(Refused):
    """The project's budget does not cover it. `lacking` is how many dollars more it takes."""

    def __init__(self, wanted: Decimal, there: Decimal) -> None:
        self.lacking = wanted - there
        text = _("This takes $%(wanted)s and the budget has $%(there)s left. Put $%(lacking)s more into the budget.")
        amounts = {"wanted": wanted, "there": there, "lacking": self.lacking}
        super().__init__(text % {name: f"{amount:.2f}" for name, amount in amounts.items()})


def held_for(batch: Batch) -> str:
    """The account of what is set aside for a batch."""
    return f"held/{batch.pk}"


def owed_to(worker_pk: int) -> str:
    """The account of what the house owes a worker."""
    return f"worker/{worker_pk}"


def fee_on(batch: Batch, kind: str, amount: Decimal, *, assignments: int) -> Decimal:
    """The fee that the batch's marketplace takes on a payment; `assignments` are those that its HIT asks for."""
    schedule = schedule_of(batch)
    if kind == Payment.Kind.REWARD:
        return pricing.reward_fee(amount, schedule=schedule, assignments=assignments)
    return pricing.bonus_fee(amount, schedule=schedule)


def asked_for(batch: Batch, *, check: bool, wanted: int) -> int:
    """By how many assignments a HIT of the batch is billed that asks for so many, `check` being hidden gold.

    In the house those of a round, and hidden gold, ask for nobody: each of their assignments stands for itself.
    """
    for_all = check or batch.purpose == Batch.Purpose.QUALIFICATION
    return 1 if for_all and not batch.connection_id else wanted


def schedule_of(batch: Batch) -> str:
    """By which schedule the batch's marketplace takes fees."""
    return batch.connection.fees if batch.connection else batch.project.fees


def balance(project: Project, name: str) -> Decimal:
    """Dollars in an account; 0 for one that was never used."""
    return Account.objects.filter(project=project, name=name).values_list("balance", flat=True).first() or Decimal(0)


def held_in_all(project: Project) -> Decimal:
    """Dollars that are set aside for batches."""
    accounts = Account.objects.filter(project=project, name__startswith="held/")
    return accounts.aggregate(sum=Sum("balance", default=Decimal(0)))["sum"]


@transaction.atomic
def move(
    project: Project, source: str, target: str, amount: Decimal, *, kind: str, key: str, **about: Any
) -> Entry | None:
    """Move dollars once; None when `key` was moved before, or nothing is to move. Raises Overdrawn.

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
    entry = Entry.objects.create(
        project=project,
        source=accounts[source],
        target=accounts[target],
        amount=amount,
        kind=kind,
        key=key,
        **about,
    )
    Account.objects.filter(pk=accounts[source].pk).update(balance=there - amount)
    Account.objects.filter(pk=accounts[target].pk).update(balance=accounts[target].balance + amount)
    return entry


def lock(project: Project) -> None:
    """Keep other moves of the project's budget waiting until this transaction ends."""
    _locked(project, AVAILABLE)


def _locked(project: Project, *names: str) -> dict[str, Account]:
    rows = Account.objects.filter(project=project, name__in=names)
    for name in set(names) - set(rows.values_list("name", flat=True)):
        Account.objects.get_or_create(project=project, name=name)
    return {account.name: account for account in rows.select_for_update(no_key=True).order_by("pk")}


@transaction.atomic
def deposit(project: Project, amount: Decimal, *, key: str, user: User | None = None, note: str = "") -> None:
    """Put dollars into the budget, or take them out where `amount` is negative. Raises Overdrawn."""
    lock(project)  # before the account outside, as a payout that is read back
    if amount >= 0:
        moved = move(project, OUTSIDE, AVAILABLE, amount, kind="deposit", key=key, note=note, created_by=user)
    else:
        moved = move(project, AVAILABLE, OUTSIDE, -amount, kind="withdrawal", key=key, note=note, created_by=user)
    if moved:
        recording.record("put in" if amount > 0 else "taken out", project, amount=str(abs(amount)), note=note)


def hold(batch: Batch, amount: Decimal, *, key: str) -> None:
    """Set dollars of the budget aside for a batch. Raises Overdrawn."""
    move(batch.project, AVAILABLE, held_for(batch), amount, kind="hold", key=key, batch=batch)


def release(batch: Batch, amount: Decimal, *, key: str) -> None:
    """Give what was set aside for a batch back to the budget. Raises Overdrawn for more than there is."""
    move(batch.project, held_for(batch), AVAILABLE, amount, kind="release", key=key, batch=batch)


@transaction.atomic
def pay(payment: Payment, *, reserved: bool) -> None:
    """Move a payment and its fee to where they go: what is `reserved` from what its batch holds, then from the budget.

    To the worker's account in the house, else to the marketplace's. Raises Overdrawn, and then nothing has moved.
    """
    batch, project = payment.batch, payment.project
    both = payment.amount + payment.fee
    there = _locked(project, held_for(batch), AVAILABLE)[held_for(batch)].balance
    short = both - there if reserved else both
    if short > 0:
        hold(batch, short, key=f"{payment.key}/short")
    about = {"batch": batch, "assignment": payment.assignment, "worker": payment.worker}
    away = f"marketplace/{batch.connection_id}" if batch.connection_id else ""
    goes_to = away or owed_to(payment.worker_id)
    move(project, held_for(batch), goes_to, payment.amount, kind=payment.kind, key=payment.key, **about)
    move(project, held_for(batch), away or FEES, payment.fee, kind="fee", key=f"{payment.key}/fee", **about)
