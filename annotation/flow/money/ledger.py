"""The ledger: transfers between a project's accounts, each made once; no account is ever overdrawn.

Every row is a double entry, so a project's accounts always sum to zero. Both balances change in one guarded update.
Accounts are locked last, in the order of their primary keys, so that transfers cannot deadlock.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.db.models import Case, F, Q, Sum, Value, When
from django.db.models.functions import Cast, Round
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation import recruitment
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Account, Batch, Entry, Payment, Project, User, Worker
from annotation.models.compiled import Update, compiled_update
from annotation.models.money import OUTSIDE, amount_field
from annotation.pure.money import pricing
from annotation.pure.setting_fields import setting, settings_of
from annotation.recruitment import has_gold_among_hits, marketplaces

AVAILABLE = "available"
FEES = "fees"


@dataclass(frozen=True, kw_only=True)
class Deposit:
    """A deposit to the budget, or a withdrawal."""

    dollars: Decimal = setting(
        None, label=gettext_noop("Dollars"), least=pricing.CENT, most=pricing.MOST_DOLLARS, required=True
    )
    note: str = setting(
        "",
        label=gettext_noop("Note"),
        help=gettext_noop("Where the money comes from or goes to. The ledger keeps this note."),
        length=300,
    )


DEPOSIT = settings_of(Deposit)


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

    Where assignments are added on demand, HITs of a round and hidden gold count as one.
    """
    if check:
        return wanted if has_gold_among_hits(batch) else 1
    return 1 if batch.purpose == Batch.Purpose.QUALIFICATION and not batch.on_marketplace else wanted


def balance(project: Project, name: str) -> Decimal:
    """The balance of an account in dollars; 0 if it was never used."""
    return Account.objects.filter(project=project, name=name).values_list("balance", flat=True).first() or Decimal(0)


def held_in_all(project: Project) -> Decimal:
    """Dollars set aside for batches."""
    accounts = Account.objects.filter(project=project, name__startswith="held/")
    return cast(Decimal, accounts.aggregate(sum=Sum("balance", default=Decimal(0)))["sum"])


def move(
    project: Project, source: str, target: str, amount: Decimal, *, kind: str, key: str, **about: Any
) -> Entry | None:
    """Transfer dollars once; returns None if `key` was used before or the amount is zero. Raises Overdrawn.

    `about` are the entry's other columns: batch, assignment, worker, note, created_by.
    """
    if not amount:
        return None
    keys = accounts(project, source, target)
    ends = {"source_id": keys[source], "target_id": keys[target]}
    entry = Entry(project=project, amount=amount, kind=kind, key=key, **ends, **about)
    try:
        with transaction.atomic():  # a savepoint: PostgreSQL refuses whatever follows a failed statement
            return transfer(entry)
    except IntegrityError:
        if Entry.objects.filter(project=project, key=key).exists():
            return None
        raise


def transfer(entry: Entry) -> Entry:
    """Make a transfer whose key is new. Raises Overdrawn; the caller then rolls its transaction back."""
    entry.save(force_insert=True)
    if _shift(entry.source_id, entry.target_id, f"{entry.amount:.2f}") < 2:
        # What the update read may be older than a transfer that it then waited for: look again, with a lock.
        source = Account.objects.select_for_update(no_key=True).get(pk=entry.source_id)
        if source.balance < entry.amount:
            raise Overdrawn(entry.amount, source.balance)
        Account.objects.filter(pk=source.pk).update(balance=source.balance - entry.amount)
    return entry


@compiled_update
def _shift(source: int, target: int, amount: str) -> Update:
    """Move dollars from one balance to the other if it covers them; otherwise fewer than two rows change."""
    ends = Account.objects.filter(pk__in=[source, target])
    # In the order of their keys, so that two transfers between the same accounts cannot deadlock.
    ordered = ends.select_for_update(no_key=True).order_by("pk").values("pk")
    dollars = Cast(Value(amount), amount_field())
    covered = Q(balance__gte=dollars) | Q(name=OUTSIDE) | Q(pk=target)
    after = Case(When(pk=source, then=F("balance") - dollars), default=F("balance") + dollars)
    # Rounded, because SQLite computes with floating-point numbers.
    return Account.objects.filter(covered, pk__in=ordered), {"balance": Round(after, precision=2)}


def accounts(project: Project, *names: str) -> dict[str, int]:
    """Primary keys of the project's accounts by name; created on first use."""
    found = dict(Account.objects.filter(project=project, name__in=names).values_list("name", "pk"))
    made = {name: Account.objects.get_or_create(project=project, name=name)[0].pk for name in {*names} - {*found}}
    return found | made


def lock(project: Project) -> None:
    """Block other transfers of the project's budget until this transaction ends."""
    _locked(project, AVAILABLE)


def _locked(project: Project, *names: str) -> dict[str, Account]:
    rows = Account.objects.filter(pk__in=accounts(project, *names).values())
    # In the order of their keys, as in transfers.
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


def hold_new(batch: Batch, amount: Decimal, *, key: str, available: int, held: int) -> None:
    """Like `hold`, with a new key and accounts that were read before.

    Raises Overdrawn; the caller then rolls its transaction back.
    """
    if amount:
        ends = {"source_id": available, "target_id": held}
        transfer(Entry(project=batch.project, amount=amount, kind="hold", key=key, batch=batch, **ends))


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
    about: dict[str, Any] = {"assignment": payment.assignment, "worker": payment.worker}
    spend(payment.batch, payment.amount, payment.fee, kind=payment.kind, key=payment.key, reserved=reserved, **about)


@transaction.atomic
def spend(
    batch: Batch, amount: Decimal, fee: Decimal, *, kind: str, key: str, reserved: bool, worker: Worker, **about: Any
) -> None:
    """Like `pay`, for pay without a Payment; `key` must be new."""
    project = batch.project
    there = _locked(project, held_for(batch), AVAILABLE)[held_for(batch)].balance
    short = amount + fee - there if reserved else amount + fee
    if short > 0:
        hold(batch, short, key=f"{key}/short")
    away = f"marketplace/{marketplaces().of(batch).pk}" if batch.on_marketplace else ""
    common = about | {"batch": batch, "worker": worker}
    move(project, held_for(batch), away or owed_to(worker.pk), amount, kind=kind, key=key, **common)
    move(project, held_for(batch), away or FEES, fee, kind="fee", key=f"{key}/fee", **common)
