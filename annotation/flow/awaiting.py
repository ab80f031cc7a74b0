"""Answers that wait for a decision on their pay: the queue, what a requester does to one or to many, the record of it.

Each decision is one transaction of flow/approving; what is done to many is done to each by itself, so that one that
cannot be decided keeps back no other.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import approving, messaging, reviewing
from annotation.flow.approving import WrongState
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Approval, Assignment, Batch, Payment, Project, Review, User, clock
from annotation.pure import lifecycle, reading
from annotation.pure.spreadsheet import guarded
from annotation.registry import task_type
from annotation.tasktype import TaskType

ALARM = timedelta(hours=48)  # before an answer is approved by itself
MOST_BONUS = Decimal(10_000)
LONGEST_REASON = 1024  # characters, as MTurk's RequesterFeedback
APPROVE, REJECT, OVERRIDE = "approve", "reject", "override"
RETURN, BONUS, MESSAGE = "return", "bonus", "message"
HEAD = ["batch", "assignment", "worker", "decision", "text", "by", "decided at", "reward", "bonuses"]


def waiting(project: Project) -> QuerySet[Assignment]:
    """Submitted, to be paid for, and nobody has decided: the next that is approved by itself first."""
    rows = project_rows(project).filter(approval="")
    return rows.order_by("auto_approve_at", "pk")


def decided(project: Project, decision: str) -> QuerySet[Assignment]:
    """Those that were approved, or rejected; the last first."""
    stamp = "approved_at" if decision == Assignment.Approved.APPROVED else "rejected_at"
    return project_rows(project).filter(approval=decision).order_by(f"-{stamp}", "-pk")


def project_rows(project: Project) -> QuerySet[Assignment]:
    """Every submitted assignment of the project that is for pay."""
    rows = Assignment.objects.submitted().filter(batch__project=project, auto_approve_at__isnull=False)
    return rows.select_related("batch__connection", "hit__item", "worker__project").defer("draft", "hit__item__content")


def by_batch(project: Project) -> list[dict[str, Any]]:
    """{"batch__slug", "batch__title", "n", "due"} of each batch with answers that wait, the most pressing first."""
    rows = waiting(project).order_by().values("batch__slug", "batch__title")
    return list(rows.annotate(n=Count("pk"), due=Min("auto_approve_at")).order_by("due"))


def pressing(project: Project) -> int:
    """How many answers are approved by themselves within the alarm's time."""
    return waiting(project).filter(auto_approve_at__lt=Now() + ALARM).count()


@dataclass(frozen=True, slots=True)
class Stake:
    """What a decision on many concerns."""

    answers: int
    workers: int
    amount: Decimal


def stake(rows: Iterable[Assignment]) -> Stake:
    """How many answers of how many workers, and the dollars that they earn."""
    found = list(rows)
    return Stake(
        len(found), len({row.worker_id for row in found}), sum((approving.earned(row) for row in found), Decimal(0))
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a decision on many: how many were decided now, and why others were not."""

    done: int
    refused: list[str]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done to many. `amount` and `form` are a bonus's; the same form pays each answer once."""

    act: str
    text: str = ""
    amount: Decimal = Decimal(0)
    form: str = ""


def decide_all(rows: Iterable[Assignment], wish: Wish, *, user: User | None) -> Outcome:
    """Do to each what is wished; what was decided already stays as it is. Raises Refused before anything is done
    where words or an amount are missing. Each has its own line in the log, in its own transaction.
    """
    if wish.act == REJECT:
        _reason(wish.text)
    if wish.act == BONUS:
        _check_bonus(wish.amount, wish.text)
    if wish.act in {RETURN, MESSAGE} and not wish.text.strip():
        raise Refused(_("Write what the workers are to read."))
    done, refused = 0, []
    for row in rows:
        try:
            done += _do(row, wish, user)
        except Refused as refusal:
            refused.append(str(refusal))
    return Outcome(done, refused)


def _do(row: Assignment, wish: Wish, user: User | None) -> bool:
    if wish.act == BONUS:
        return bool(bonus(row, wish.amount, reason=wish.text, form=wish.form, user=user))
    if wish.act == MESSAGE:
        return message(row, "", wish.text, user=user)
    if wish.act == RETURN:
        return bool(send_back(row, row.revision, message=wish.text, user=user))
    return decide(row, wish.act, text=wish.text, user=user)


def decide(row: Assignment, act: str, *, text: str, user: User | None) -> bool:
    """Approve, reject (with a reason), or approve what was rejected within 30 days; False when it was so before.

    Raises Refused, WrongState and Overdrawn; nothing has changed then.
    """
    if act == REJECT:
        return approving.reject(row, text=_reason(text), user=user)
    if act not in {APPROVE, OVERRIDE}:
        raise Refused(_("Choose what becomes of this answer."))
    return approving.approve(row, text=text.strip()[:LONGEST_REASON], user=user, override=act == OVERRIDE)


def _reason(text: str) -> str:
    reason = text.strip()[:LONGEST_REASON]
    if not reason:
        raise Refused(_("Say why it is rejected. The worker reads it."))
    return reason


def can_be_overridden(row: Assignment) -> bool:
    """Whether a rejection can still be taken back."""
    recent = row.rejected_at is not None and clock.now() - row.rejected_at < approving.OVERRIDE_WITHIN
    return recent and row.approval == Assignment.Approved.REJECTED


def bonuses(rows: Iterable[Assignment]) -> Decimal:
    """What these answers got in bonuses so far."""
    paid = Payment.objects.filter(assignment__in=[row.pk for row in rows], kind=Payment.Kind.BONUS)
    return sum(paid.values_list("amount", flat=True), Decimal(0))


def check_seen(rows: Iterable[Assignment], seen: Decimal | None, form: str) -> None:
    """Raises Conflict where bonuses were paid that whoever asks for one more has not seen; None: they look at none."""
    found = list(rows)
    paid = bonuses(found)
    ours = Payment.objects.filter(key__in=[_bonus_key(row, form) for row in found])
    if seen is not None and paid != seen and not ours.exists():
        text = _("Meanwhile a bonus was paid, perhaps by you in another tab: $%(paid)s in all. Nothing was paid now.")
        raise Conflict(text % {"paid": paid} + " " + _("If this one is to be paid besides, send it again."))


def _bonus_key(row: Assignment, form: str) -> str:
    return f"bonus-{row.pk}-{form[:32]}"


@transaction.atomic
def bonus(
    row: Assignment, amount: Decimal, *, reason: str, form: str, user: User | None, seen: Decimal | None = None
) -> Payment:
    """Pay a bonus with a reason for the worker, once for each `form`.

    `seen`: the bonuses that whoever pays knows of. Raises Refused and Overdrawn, Conflict where there are others.
    """
    _check_bonus(amount, reason)
    locked = Assignment.objects.locked(row.pk, "batch__project", "batch__connection", "hit")
    if locked.state != lifecycle.SUBMITTED:
        raise WrongState(locked.state)
    check_seen([locked], seen, form)
    words, key = reason.strip()[:LONGEST_REASON], _bonus_key(locked, form)
    return approving.add_payment(locked, Payment.Kind.BONUS, amount, key=key, reason=words, user=user)


def _check_bonus(amount: Decimal, reason: str) -> None:
    if not Decimal("0.01") <= amount <= MOST_BONUS or amount != round(amount, 2):
        raise Refused(_("A bonus is an amount in dollars and cents, from 0.01 to 10,000.00."))
    if not reason.strip():
        raise Refused(_("Say what the bonus is for. The worker reads it."))


def can_be_returned(batch: Batch) -> bool:
    """Whether a worker can come back to an answer: not on a marketplace, and not where more was shown afterwards."""
    final = type(task_type(batch.task)).afterwards is not TaskType.afterwards
    return batch.connection_id is None and not hasattr(batch, "hit_type") and not final


def send_back(row: Assignment, revision: int, *, message: str, user: User | None) -> Review:
    """Return an answer to its worker for repair; the time until it is approved by itself begins anew.

    Raises Refused, and Conflict where the answer has changed meanwhile.
    """
    if not can_be_returned(row.batch):
        raise Refused(_("This worker cannot come back to the answer. Write to them instead."))
    if row.approval:
        raise WrongState(row.approval)
    return reviewing.decide(row, revision, reviewing.Decision(reading.RETURNED, {}, reason=message), reviewer=user)


@transaction.atomic
def accept_and_approve(
    row: Assignment, revision: int, wish: reviewing.Decision, *, user: User | None, seen: int | None = None
) -> Review:
    """Accept an answer into the data and pay it, both or neither. Raises like `reviewing.decide` and `approve`."""
    if row.auto_approve_at is None:
        raise Refused(_("This batch pays nothing, so there is nothing to approve."))
    review = reviewing.decide(row, revision, wish, reviewer=user, seen=seen)
    approving.approve(row, user=user)
    return review


def message(row: Assignment, subject: str, text: str, *, user: User | None) -> bool:
    """Write to the worker about the answer; False where the very same letter was just sent. Raises Refused."""
    just = row.messages.filter(text=text.strip(), author=user, created_at__gt=Now() - timedelta(minutes=1))
    if text.strip() and just.exists():
        return False
    messaging.send(row.worker, subject, text, author=user, assignment=row)
    return True


def lines(project: Project) -> Iterator[str]:
    """The file of decisions in lines, the head first: workers by pseudonym, every decision, the oldest first."""
    buffer = StringIO()
    writer = csv.writer(buffer)
    for row in chain([HEAD], _record(project)):
        writer.writerow([guarded(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _record(project: Project) -> Iterator[list[str]]:
    rows = Approval.objects.filter(assignment__batch__project=project).select_related("assignment__batch", "author")
    for one in rows.order_by("pk").iterator():
        payments = one.assignment.payments.values_list("kind", "amount") if one.decision == "approved" else ()
        paid = [(kind == Payment.Kind.REWARD, amount) for kind, amount in payments]
        reward = sum((amount for is_reward, amount in paid if is_reward), Decimal(0))
        beyond = sum((amount for is_reward, amount in paid if not is_reward), Decimal(0))
        worker = project.pseudonym(one.assignment.worker_id)
        by = str(one.author.display_name or one.author.username) if one.author else one.source
        when = one.created_at.isoformat(timespec="seconds")
        told = [one.assignment.batch.slug, one.assignment.public_id, worker, one.decision, one.text, by, when]
        yield [*told, f"{reward:.2f}", f"{beyond:.2f}"]
