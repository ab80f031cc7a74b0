"""The approval queue: responses of paid batches, decisions on one or many, and their record.

Each decision is one transaction of flow/review/assignment_approval. A bulk decision has a transaction for each
response, so that a failure does not affect the others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import Count, Min, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.errors import Conflict, Refused
from annotation.flow.lists import ListFilter, worker_setting
from annotation.flow.notifications import worker_messages
from annotation.flow.review import assignment_approval, review_decisions
from annotation.flow.review.assignment_approval import WrongState
from annotation.models import Approval, Assignment, Batch, Payment, Project, Review, User
from annotation.pure.batches import lifecycle
from annotation.pure.review import review_state
from annotation.pure.setting_fields import setting
from annotation.pure.text.spreadsheet import csv_text, guarded
from annotation.registry import task_type
from annotation.tasktype import Revealing

ALARM = timedelta(hours=48)  # before a response is approved automatically
MOST_BONUS = Decimal(10_000)
LONGEST_REASON = 1024  # characters, as MTurk's RequesterFeedback
APPROVE, REJECT, OVERRIDE = "approve", "reject", "override"
RETURN, BONUS, MESSAGE = "return", "bonus", "message"
HEAD = ["batch", "assignment", "worker", "decision", "text", "by", "decided at", "reward", "bonuses"]


SHOWS = {"waiting": gettext_noop("waiting"), "approved": gettext_noop("approved"), "rejected": gettext_noop("rejected")}


@dataclass(frozen=True)
class ApprovalFilter(ListFilter):
    """Filters of responses to approve: those to decide on by their deadlines, the others latest first."""

    show: str = setting("waiting", label=gettext_noop("Decision"), choices=SHOWS)
    batch: str = setting("", length=100, column="batch__slug")
    worker: str = worker_setting("worker__in")

    @property
    def order(self) -> tuple[str, ...]:
        return ("auto_approve_at", "pk") if self.show == "waiting" else (f"-{self.show}_at", "pk")


def listed(project: Project, wanted: ApprovalFilter) -> QuerySet[Assignment]:
    """Matching responses."""
    approval = "" if wanted.show == "waiting" else wanted.show
    return wanted.narrow(project, project_rows(project).filter(approval=approval))


def waiting(project: Project) -> QuerySet[Assignment]:
    """Submitted, paid and undecided assignments, the first to be approved automatically first."""
    return listed(project, ApprovalFilter())


def project_rows(project: Project) -> QuerySet[Assignment]:
    """Every submitted assignment of the project's paid batches."""
    rows = Assignment.objects.submitted().filter(batch__project=project, auto_approve_at__isnull=False)
    rows = rows.select_related("batch", "hit__item", "worker__project").prefetch_related("responses")
    return rows.defer("draft", "hit__item__content")


def by_batch(project: Project) -> list[dict[str, Any]]:
    """{"batch__slug", "batch__title", "n", "due"} of each batch with undecided responses, the most urgent first."""
    rows = waiting(project).order_by().values("batch__slug", "batch__title")
    return [{**row} for row in rows.annotate(n=Count("pk"), due=Min("auto_approve_at")).order_by("due")]


def pressing(project: Project) -> int:
    """The number of responses that will be approved automatically within ALARM."""
    return waiting(project).filter(auto_approve_at__lt=Now() + ALARM).count()


@dataclass(frozen=True, slots=True)
class Stake:
    """Number and amounts of the responses that a bulk decision concerns."""

    answers: int
    workers: int
    amount: Decimal


def stake(rows: Iterable[Assignment]) -> Stake:
    """Numbers of responses and workers, and the dollars that they earn."""
    rows = list(rows)
    earned = sum((assignment_approval.earned(row) for row in rows), Decimal(0))
    return Stake(len(rows), len({row.worker_id for row in rows}), earned)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a decision on many: how many were decided now, and why others were not."""

    done: int
    refused: list[str]


@dataclass(frozen=True, slots=True)
class BulkDecision:
    """A decision on many. `amount` and `form` belong to a bonus; the same form pays each response only once."""

    act: str
    text: str = ""
    amount: Decimal = Decimal(0)
    form: str = ""


def decide_all(rows: Iterable[Assignment], decision: BulkDecision, *, user: User | None) -> Outcome:
    """Apply a decision to each response; those already decided stay. Returns the result.

    Raises Refused before anything is done if a reason or an amount is missing. Each response has a transaction and a
    line in the log of its own.
    """
    if decision.act == REJECT:
        _reason(decision.text)
    if decision.act == BONUS:
        _check_bonus(decision.amount, decision.text)
    if decision.act in {RETURN, MESSAGE} and not decision.text.strip():
        raise Refused(_("Write a message for the workers."))
    done, refused = 0, []
    for row in rows:
        try:
            done += _do(row, decision, user)
        except Refused as refusal:
            refused.append(str(refusal))
    return Outcome(done, refused)


def _do(row: Assignment, decision: BulkDecision, user: User | None) -> bool:
    if decision.act == BONUS:
        return bool(bonus(row, decision.amount, reason=decision.text, form=decision.form, user=user))
    if decision.act == MESSAGE:
        return message(row, "", decision.text, user=user)
    if decision.act == RETURN:
        return bool(send_back(row, row.revision, message=decision.text, user=user))
    return decide(row, decision.act, text=decision.text, user=user)


def decide(row: Assignment, act: str, *, text: str, user: User | None) -> bool:
    """Approve, reject (with a reason), or approve after a rejection within 30 days; False if it was so before.

    Raises Refused, WrongState and Overdrawn; nothing has changed then.
    """
    if act == REJECT:
        return assignment_approval.reject(row, text=_reason(text), user=user)
    if act not in {APPROVE, OVERRIDE}:
        raise Refused(_("Choose what to do with this response."))
    return assignment_approval.approve(row, text=text.strip()[:LONGEST_REASON], user=user, override=act == OVERRIDE)


def _reason(text: str) -> str:
    reason = text.strip()[:LONGEST_REASON]
    if not reason:
        raise Refused(_("Give the reason for the rejection. The worker will see it."))
    return reason


def bonuses(rows: Iterable[Assignment]) -> Decimal:
    """The sum of the bonuses for these responses."""
    paid = Payment.objects.filter(assignment__in=[row.pk for row in rows], kind=Payment.Kind.BONUS)
    return sum(paid.values_list("amount", flat=True), Decimal(0))


def check_seen(rows: Iterable[Assignment], seen: Decimal | None, form: str) -> None:
    """Raise Conflict if bonuses were paid that the requester has not seen; with `seen` None this is not checked."""
    found = list(rows)
    paid = bonuses(found)
    paid_here = Payment.objects.filter(key__in=[_bonus_key(row, form) for row in found])
    if seen is not None and paid != seen and not paid_here.exists():
        text = _(
            "A bonus was paid in the meantime, perhaps by you in another tab: $%(paid)s in all. Nothing was paid now."
        )
        raise Conflict(text % {"paid": paid} + " " + _("To pay this bonus as well, send it again."))


def _bonus_key(row: Assignment, form: str) -> str:
    return f"bonus-{row.pk}-{form[:32]}"


@transaction.atomic
def bonus(
    row: Assignment, amount: Decimal, *, reason: str, form: str, user: User | None, seen: Decimal | None = None
) -> Payment:
    """Pay a bonus with a reason for the worker, once for each `form`.

    `seen`: the bonuses that the requester knows of. Raises Refused and Overdrawn, and Conflict if there are others.
    """
    _check_bonus(amount, reason)
    # Lock: the bonuses checked below must not change before this one is paid.
    locked = Assignment.locked(row.pk, "batch__project", "hit")
    if locked.state != lifecycle.SUBMITTED:
        raise WrongState(locked.state)
    check_seen([locked], seen, form)
    words, key = reason.strip()[:LONGEST_REASON], _bonus_key(locked, form)
    return assignment_approval.add_payment(locked, Payment.Kind.BONUS, amount, key=key, reason=words, user=user)


def _check_bonus(amount: Decimal, reason: str) -> None:
    if not Decimal("0.01") <= amount <= MOST_BONUS or amount != round(amount, 2):
        raise Refused(_("A bonus is an amount in dollars and cents, from 0.01 to 10,000.00."))
    if not reason.strip():
        raise Refused(_("Say what the bonus is for. The worker will see it."))


def can_be_returned(batch: Batch) -> bool:
    """Whether changes can be requested: not on a marketplace, nor if the worker saw more after submitting."""
    final = isinstance(task_type(batch.task), Revealing)
    return not batch.on_marketplace and not batch.by_program and not final


def send_back(row: Assignment, revision: int, *, message: str, user: User | None) -> Review:
    """Request changes of a response; the time until its automatic approval restarts.

    Raises Refused, and Conflict if the response has changed meanwhile.
    """
    if not can_be_returned(row.batch):
        raise Refused(_("This worker cannot return to the response. Send them a message instead."))
    if row.approval:
        raise WrongState(row.approval)
    decision = review_decisions.Decision(review_state.RETURNED, {}, reason=message)
    return review_decisions.decide(row, revision, decision, reviewer=user)


@transaction.atomic
def accept_and_approve(
    row: Assignment, revision: int, decision: review_decisions.Decision, *, user: User | None, seen: int | None = None
) -> Review:
    """Accept a response and pay it, both or neither. Raises the errors of `decide` and `approve`."""
    if row.auto_approve_at is None:
        raise Refused(_("Nothing is paid for this response, so there is nothing to approve."))
    review = review_decisions.decide(row, revision, decision, reviewer=user, seen=seen)
    assignment_approval.approve(row, user=user)
    return review


def message(row: Assignment, subject: str, text: str, *, user: User | None) -> bool:
    """Send the worker a message about the response; False if the same message was just sent. Raises Refused."""
    just = row.messages.filter(text=text.strip(), author=user, created_at__gt=Now() - timedelta(minutes=1))
    if text.strip() and just.exists():
        return False
    worker_messages.send(row.worker, subject, text, author=user, assignment=row)
    return True


def lines(project: Project) -> Iterator[str]:
    """A CSV file of decisions by line with a header: every decision, oldest first, with workers' pseudonyms."""
    for row in chain([HEAD], _record(project)):
        yield csv_text([map(guarded, row)])


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
        cells = [one.assignment.batch.slug, one.assignment.public_id, worker, one.decision, one.text, by, when]
        yield [*cells, f"{reward:.2f}", f"{beyond:.2f}"]
