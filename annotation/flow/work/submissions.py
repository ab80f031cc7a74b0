"""Drafts, submissions and revisions: nothing that a worker sent is lost, overwritten or counted twice."""

import hashlib
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import Greatest, Now
from django.utils.translation import gettext as _

from annotation.events import ResponseSubmitted, emit
from annotation.flow.errors import Conflict
from annotation.flow.money import batch_funds, ledger
from annotation.flow.people import round_attempts
from annotation.flow.review import review_decisions
from annotation.flow.work import grading, leases, next_assignment, prefetch, suggestion_draws
from annotation.models import Assignment, Batch, Hit, Participation, WorkerResponse
from annotation.models.compiled import Update, compiled_update, insert
from annotation.models.fields import to_text
from annotation.pure.batches import lifecycle
from annotation.registry import task_type
from annotation.tasktype import capabilities

Claimed = TypeVar("Claimed")


class Form(NamedTuple):
    """What a worker posts, as `submit` takes it.

    `participation`: theirs, if the HIT prefetched for them may become their next assignment in the same transaction,
    `participation.claimed`; `ahead`: then the HIT after it is held, `participation.prefetched`.
    """

    answer: Any
    key: str
    base: int
    active_seconds: float
    page_counts: dict[str, int] | None = None
    participation: Participation | None = None
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of a submission. A repeated submission of the same form gets an equal receipt."""

    assignment: str
    revision: int
    late: bool
    counts: bool


class StaleDraft(Conflict):
    """Another tab saved a newer draft. `version` and `draft`: the current ones."""

    def __init__(self, version: int, draft: Any) -> None:
        super().__init__(_("This work was changed in another tab."))
        self.version, self.draft = version, draft


def save_draft(assignment: Assignment, answer: Any, *, version: int, active_seconds: float) -> int:
    """Save a draft; returns its new version.

    Raises StaleDraft if `version` is not the last, or a response was submitted since the assignment was read.
    """
    if _save_draft(assignment.pk, version, assignment.revision, to_text(answer), active_seconds):
        return version + 1
    assignment.refresh_from_db(fields=["draft", "draft_version", "state", "revision"])
    raise StaleDraft(assignment.draft_version, assignment.draft)


@compiled_update
def _save_draft(pk: int, version: int, revision: int, draft: str, active_seconds: float) -> Update:
    changes = {
        "draft": Value(draft, output_field=TextField()),
        "draft_version": F("draft_version") + 1,
        "draft_saved_at": Now(),
        "active_seconds": Greatest(F("active_seconds"), active_seconds),
    }
    return Assignment.objects.filter(pk=pk, draft_version=version, revision=revision), changes


@transaction.atomic
def submit(
    assignment: Assignment,
    answer: Any,
    *,
    key: str,
    base: int,
    active_seconds: float,
    page_counts: dict[str, int] | None = None,
    participation: Participation | None = None,
    ahead: bool = False,
) -> Receipt:
    """Store a response; `base` is the revision that the form was made from (0: the first submission).

    Idempotent: the same key and response give the same receipt. Raises Conflict if the key was used with another
    response, another tab submitted first, or a submitted response can no longer be changed.
    """
    digest = hashlib.sha256(to_text(answer).encode("utf-8", "surrogatepass")).hexdigest()
    if base == assignment.revision == 0 and _submitted_in_time(assignment, answer, active_seconds, participation):
        row, late, counts = assignment, False, True
    else:
        # Lock: two submissions of one form, or from two tabs, go one after the other.
        row = Assignment.locked(assignment.pk, "batch__project")
        replayed = row.responses.filter(key=key).first() if row.revision else None
        if replayed:
            if replayed.digest != digest:
                raise Conflict(_("This form was already submitted with a different response. The first one counts."))
            return Receipt(row.public_id, replayed.revision, row.late, row.counts)
        if base != row.revision:
            raise Conflict(_("This assignment was already submitted from another tab. That response counts."))
        late, counts = _count_in(row, active_seconds, _least_responses(assignment, answer))
    response = WorkerResponse(
        assignment=row,
        revision=row.revision + 1,
        key=key,
        digest=digest,
        answer=answer,
        active_seconds=active_seconds,
        page_counts=page_counts,
        instructions_version=row.instructions_version,
    )
    insert(response)
    if assignment.hit.check_item or row.batch.purpose == Batch.Purpose.QUALIFICATION:
        grading.grade(row, assignment.hit, answer)
    emit(ResponseSubmitted(row, assignment.hit, revision=row.revision + 1, late=late, counts=counts))
    if participation and participation.claimed and ahead:
        participation.prefetched = prefetch.hold_another(participation)
    return Receipt(row.public_id, row.revision + 1, late, counts)


def submit_and_claim(assignment: Assignment, form: Form, claim: Callable[[Receipt], Claimed]) -> Claimed:
    """Submit a form, then take what comes next, which may depend on the receipt.

    One transaction on SQLite, where any write locks the whole database anyway. On PostgreSQL two, unless the next HIT
    was prefetched: a submission holds the lock of its HIT, and with it must not wait for another HIT's, whose holder
    may wait for this one.
    """
    with nullcontext() if connection.features.has_select_for_update else transaction.atomic():
        return claim(submit(assignment, **form._asdict()))


@compiled_update
def _count(batch: int, worker: int) -> Update:
    """Count a submission for the worker."""
    return Participation.objects.filter(batch=batch, worker=worker), next_assignment.COUNTED


@compiled_update
def _take_in(hit: int) -> Update:
    """Count a response that was awaited."""
    return Hit.objects.filter(pk=hit), {"live": F("live") - 1, "done": F("done") + 1, "changes": F("changes") + 1}


def raise_wanted(hit_id: int, least: int) -> None:
    """Raise a HIT's wanted responses to at least `least`; if that makes it free, it goes to the end of the queue.

    The number is never lowered, nor raised beyond the budget. Call it in a transaction that has not changed the HIT
    yet, because of the lock order.
    """
    if not least:
        return
    modest = Hit.objects.filter(pk=hit_id, wanted__lt=least)
    if modest.exists():
        with suppress(ledger.Overdrawn), transaction.atomic():
            _raise(hit_id, modest, least)


def _raise(hit_id: int, modest: QuerySet[Hit], least: int) -> None:
    ticket = leases.next_ticket(hit_id)
    # Lock: the money set aside must match the raised number; `of`, because the batch is not changed.
    rows = modest.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("batch__project").first()
    if locked is None or locked.check_item or round_attempts.round_of(locked.batch) is not None:
        return  # hidden gold needs no second opinion
    more = batch_funds.for_opinions(locked, least)
    modest.update(wanted=least, ticket=ticket)
    ledger.hold(locked.batch, more, key=f"want/{hit_id}/{least}")


def _least_responses(assignment: Assignment, answer: Any) -> int:
    return capabilities.least(task_type(assignment.batch.task), assignment.hit.payload, answer)


def _submitted_in_time(
    row: Assignment, answer: Any, active_seconds: float, participation: Participation | None
) -> bool:
    """Submit an assignment that is still under way, as most are, without reading it again; False if it is not."""
    if row.state != lifecycle.ACCEPTED:
        return False
    if not row.move_to_submitted(late=False, counts=True, active_seconds=active_seconds):
        return False
    if not (participation and next_assignment.claim_prefetched(participation)):
        _count(row.batch_id, row.worker_id)
    raise_wanted(row.hit_id, _least_responses(row, answer))
    _take_in(row.hit_id)
    return True


def _count_in(row: Assignment, active_seconds: float, least: int) -> tuple[bool, bool]:
    """Move the assignment to its new revision and update the HIT's counters; returns (late, counts).

    First the HIT is made to want `least` responses, so that a late response that calls for another may count itself.
    """
    if row.state == lifecycle.SUBMITTED:
        _revise(row, active_seconds)
        raise_wanted(row.hit_id, least)
        Hit.objects.filter(pk=row.hit_id).note_change()
        return row.late, row.counts
    late = row.state != lifecycle.ACCEPTED
    _count(row.batch_id, row.worker_id)
    raise_wanted(row.hit_id, least)
    if late:
        free = Hit.objects.open().filter(pk=row.hit_id)
        counts = suggestion_draws.has_room(row) and bool(free.update(done=F("done") + 1))
        Hit.objects.filter(pk=row.hit_id).note_change()
    else:
        counts = bool(_take_in(row.hit_id))
    if not row.move_to_submitted(late=late, counts=counts, active_seconds=active_seconds):
        raise Conflict(_("This assignment was just changed elsewhere. Please submit it again."))
    if late and (not counts or row.batch.state == Batch.State.CLOSED):
        batch_funds.cover_late(row)
    return late, counts


def may_change(row: Assignment) -> bool:
    """Whether a submitted response can still be changed: while its batch is open, or changes are requested.

    In a round only until the attempt is over, because the worker then knows the result; never after a decision on its
    pay.
    """
    open_still = row.batch.state == Batch.State.OPEN and not row.approval and not grading.is_final(row)
    return open_still or review_decisions.returned(row) is not None


def _revise(row: Assignment, active_seconds: float) -> None:
    if not may_change(row):
        raise Conflict(
            _(
                "The batch is closed, the qualification round has ended or the payment is decided, so this can "
                "no longer be changed."
            )
        )
    repaired = row.auto_approve_at is not None and review_decisions.returned(row) is not None
    current = Assignment.objects.filter(pk=row.pk, revision=row.revision)
    kept = {"draft": None, "active_seconds": Greatest(F("active_seconds"), active_seconds)}
    if not current.update(revision=row.revision + 1, **kept):
        raise Conflict(_("This assignment was just changed elsewhere. Please submit it again."))
    if repaired:
        review_decisions.restart_clock(row)
