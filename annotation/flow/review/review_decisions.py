"""Reviews: requesters' decisions on responses, and the responses as they are after them.

A decision is a row that is only ever added and concerns one revision; undoing it is another row.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.events import ResponseReviewed, emit
from annotation.flow.errors import Conflict, Refused
from annotation.flow.projects import audit_log
from annotation.models import Assignment, Batch, Hit, Review, User, WorkerResponse
from annotation.pure.batches import lifecycle
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import JSON, InvalidWording, TaskType, capabilities

SUGGESTED = Q(assignments__suggested=True)  # of a HIT: they are in no result
CHANGED = gettext_noop("The worker has changed this response in the meantime. Please review it again.")
LONGEST = 5000  # characters of a wording, a message or a reason


@dataclass(frozen=True, slots=True)
class Decision:
    """A requester's decision on one revision. `text` is their wording, `reason` the message or why not."""

    decision: str
    marks: Mapping[str, bool]
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ResponseWithReview:
    """A response with its review. `review` is the last decision on this revision that was not undone."""

    assignment: Assignment
    answer: WorkerResponse
    state: str  # as annotation.pure.review.review_state.state_of
    review: Review | None

    @property
    def takes_part(self) -> bool:
        return self.state not in review_state.REFUSED


def is_reviewed(batch: Batch) -> bool:
    """Whether requesters review the responses of the batch."""
    return bool(capabilities.criteria(task_type(batch.task)))


@transaction.atomic
def decide(
    assignment: Assignment, revision: int, decision: Decision, *, reviewer: User | None, seen: int | None = None
) -> Review:
    """Add a decision on the revision that was shown; `seen` is the last review that the requester saw (0: none).

    Raises Conflict if the worker changed the response meanwhile or somebody else decided, Refused for a decision that
    lacks its reason or text.
    """
    # Lock: the worker may submit a change, or another reviewer decide, at the same time.
    row = Assignment.locked(assignment.pk, "batch__project", "hit")
    if row.state != lifecycle.SUBMITTED or revision != row.revision:
        raise Conflict(_(CHANGED))
    last = row.reviews.order_by("-pk").first()
    if seen is not None and seen != (last.pk if last else 0):
        raise Conflict(_("Somebody else has decided on this response in the meantime. Please look at it again."))
    review = _add(row, _complete(row, decision), reviewer)
    if review.decision == review_state.RETURNED:
        restart_clock(row)
    return review


def restart_clock(row: Assignment) -> None:
    """Restart the time until automatic approval, because changes were requested or made."""
    if row.batch.auto_approval is None:
        return
    undecided = Assignment.objects.filter(approval="", pk=row.pk, auto_approve_at__isnull=False)
    undecided.update(auto_approve_at=Now() + timedelta(seconds=row.batch.auto_approval))


def _add(row: Assignment, decision: Decision, reviewer: User | None) -> Review:
    review = Review.objects.create(
        assignment=row,
        revision=row.revision,
        decision=decision.decision,
        marks=dict(decision.marks),
        text=decision.text,
        reason=decision.reason,
        reviewer=reviewer,
    )
    emit(ResponseReviewed(review, row, reviewer))
    audit_log.record("reviewed", row, decision=decision.decision)
    Hit.objects.filter(pk=row.hit_id).note_change()  # last: HITs come last in the lock order
    return review


def _complete(row: Assignment, decision: Decision) -> Decision:
    """The decision with marks for all criteria of the response: accepting marks unjudged criteria as met."""
    task = task_type(row.batch.task)
    worded = row.current and capabilities.review(task, row.hit.payload, row.current.answer)["text"]
    criteria = capabilities.criteria(task) if worded else {}
    text, reason = decision.text.strip(), decision.reason.strip()[:LONGEST]
    marks = {key: bool(decision.marks[key]) for key in criteria if key in decision.marks}
    if decision.decision == review_state.ACCEPTED:
        marks = dict.fromkeys(criteria, True) | marks
    if decision.decision not in review_state.DECIDED:
        raise Refused(_("Choose what to do with this response."))
    if decision.decision == review_state.EDITED and not text:
        raise Refused(_("Write the new wording."))
    if decision.decision == review_state.EDITED:
        if len(text) > LONGEST:
            raise Refused(_("Use at most %(most)s characters.") % {"most": LONGEST})
        _fits(row, text)
    if decision.decision == review_state.RETURNED and not reason:
        raise Refused(_("Tell the worker what to change."))
    if decision.decision == review_state.DISCARDED and not reason:
        raise Refused(_("Say why this response is excluded."))
    return Decision(
        decision=decision.decision,
        marks=marks,
        text=text if decision.decision == review_state.EDITED else "",
        reason=reason if decision.decision in review_state.REFUSED else "",
    )


def _fits(row: Assignment, text: str) -> None:
    """Refuse a wording that the task cannot apply to the response."""
    if row.current is None:
        raise Conflict(_(CHANGED))
    task = task_type(row.batch.task)
    if not isinstance(task, capabilities.Worded):
        raise Refused(_("Responses to this task have no wording that could be edited."))
    try:
        capabilities.edited(task, row.hit.payload, row.current.answer, text)
    except InvalidWording as invalid:
        raise Refused(_(invalid.message) % invalid.values) from invalid


@transaction.atomic
def undo(assignment: Assignment, *, reviewer: User | None) -> bool:
    """Undo the decision on the current revision; False if there is none."""
    # Lock: the worker may submit a change at the same time.
    row = Assignment.locked(assignment.pk, "batch__project", "hit")
    last = row.reviews.order_by("-pk").first()
    if last is None or last.revision != row.revision or last.decision == review_state.REOPENED:
        return False
    _add(row, Decision(review_state.REOPENED, {}), reviewer)
    return True


@transaction.atomic
def choose(assignment: Assignment, revision: int, *, reviewer: User | None, text: str | None = None) -> Review:
    """Accept one of several responses to a HIT, in the requester's own wording if `text` is given.

    The others stay, but not accepted. An edited one that is chosen unchanged keeps its edit.
    Raises Conflict and Refused like `decide`, changing nothing.
    """
    with audit_log.together("adjudicated", assignment):
        return _choose(assignment, revision, reviewer, text)


def _choose(assignment: Assignment, revision: int, reviewer: User | None, text: str | None) -> Review:
    # Lock all responses: two requesters who choose different ones would leave two accepted.
    if assignment.suggested:
        raise Refused(_("This response started with a suggestion, so it cannot be the result."))
    rows = locked_responses(assignment.hit_id)
    histories = reviews_of(rows)
    for row in rows:
        if row.pk != assignment.pk and _state(row, histories[row.pk]) in review_state.TAKEN:
            _add(row, Decision(review_state.REOPENED, {}), reviewer)
    chosen = _as_shown(rows, assignment, revision)
    before = _last_decision(chosen, histories[chosen.pk])
    marks = before.marks if before else {}
    if text is not None:
        return decide(chosen, revision, Decision(review_state.EDITED, marks, text=text), reviewer=reviewer)
    if before and before.decision in review_state.TAKEN:
        return before
    return decide(chosen, revision, Decision(review_state.ACCEPTED, marks), reviewer=reviewer)


def locked_responses(hit: int) -> list[Assignment]:
    """The HIT's submitted assignments, locked in the order of their keys."""
    # by key: two who decide on the same HIT at once lock in one order, so neither has what the other waits for
    rows = Assignment.objects.select_for_update(of=("self",), no_key=True).select_related("batch__project", "hit")
    return list(rows.filter(hit=hit, state=lifecycle.SUBMITTED).order_by("pk"))


def check_choice(rows: Iterable[Assignment], assignment: Assignment, revision: int, text: str | None) -> None:
    """Raise what `choose` would raise for this choice among the locked responses."""
    chosen = _as_shown(rows, assignment, revision)
    if text is not None:
        _complete(chosen, Decision(review_state.EDITED, {}, text=text))


def _as_shown(rows: Iterable[Assignment], assignment: Assignment, revision: int) -> Assignment:
    for row in rows:
        if row.pk == assignment.pk and row.revision == revision:
            return row
    raise Conflict(_(CHANGED))


def reviews_of(assignments: Iterable[Assignment]) -> defaultdict[int, list[Review]]:
    """Decisions by assignment, oldest first, in one query."""
    found: defaultdict[int, list[Review]] = defaultdict(list)
    rows = Review.objects.filter(assignment__in=[a.pk for a in assignments])
    for review in rows.select_related("reviewer").order_by("pk"):
        found[review.assignment_id].append(review)
    return found


def _state(assignment: Assignment, history: Iterable[Review]) -> str:
    return review_state.state_of([(r.revision, r.decision) for r in history], assignment.revision)


def _last_decision(assignment: Assignment, history: list[Review]) -> Review | None:
    here = [review for review in history if review.revision == assignment.revision]
    return here[-1] if here and here[-1].decision != review_state.REOPENED else None


def responses_with_reviews(assignments: Iterable[Assignment]) -> list[ResponseWithReview]:
    """Submitted responses with their reviews, in two queries; without those that were erased."""
    rows = list(assignments)
    answers = WorkerResponse.objects.filter(assignment__in=[row.pk for row in rows], revision=F("assignment__revision"))
    latest = {answer.assignment_id: answer for answer in answers}
    histories = reviews_of(rows)
    return [
        ResponseWithReview(row, latest[row.pk], _state(row, histories[row.pk]), _last_decision(row, histories[row.pk]))
        for row in rows
        if row.pk in latest
    ]


def value(standing: ResponseWithReview, payload: JSON) -> JSON:
    """The response as `aggregate` takes it: with the requester's wording if edited, `accepted` if accepted."""
    answer: JSON = standing.answer.answer
    if standing.state not in review_state.TAKEN or standing.review is None:
        return answer
    if standing.state == review_state.EDITED:
        task = task_type(standing.assignment.batch.task)
        answer = capabilities.edited(task, payload, answer, standing.review.text)
    return answer | {"accepted": True}


def aggregate(task: TaskType, payload: JSON, answers: Sequence[JSON]) -> JSON:
    """The aggregated response; if a requester accepted one of the responses, that one alone.

    A task with criteria handles accepted responses itself. `adjudicated` marks results that a requester decided.
    """
    chosen = [answer for answer in answers if answer.get("accepted")]
    if capabilities.criteria(task) or len(chosen) != 1:
        return task.aggregate(payload, answers)
    return task.aggregate(payload, chosen) | {"adjudicated": True}


def kind_of(aggregate: JSON) -> str:
    """The kind of a result in a word, as reports and queues count it."""
    return "tied" if aggregate.get("tied") else str(aggregate["kind"])


def answers_taking_part(hits: Collection[Hit]) -> defaultdict[int, list[tuple[ResponseWithReview, JSON]]]:
    """Responses by HIT that are not excluded, with their content, in order of submission.

    A constant number of queries for all HITs together, which have their batch.
    """
    return taking_part(hits, responses_with_reviews_of(hits))


def responses_with_reviews_of(hits: Collection[Hit]) -> list[ResponseWithReview]:
    """Submitted blind responses to these HITs, also those that are excluded, in order of submission."""
    batches = {hit.pk: hit.batch for hit in hits}
    rows = Assignment.objects.submitted().blind().filter(hit__in=list(batches)).defer("draft")
    found = responses_with_reviews(rows.order_by("submitted_at", "pk"))
    for standing in found:  # read with each row, the batch would cost as much as the rest of it
        standing.assignment.batch = batches[standing.assignment.hit_id]
    return found


def taking_part(
    hits: Collection[Hit], found: Iterable[ResponseWithReview]
) -> defaultdict[int, list[tuple[ResponseWithReview, JSON]]]:
    """Those of the responses by HIT that are not excluded, with their content."""
    payloads = {hit.pk: hit.payload for hit in hits}
    by_hit: defaultdict[int, list[tuple[ResponseWithReview, JSON]]] = defaultdict(list)
    for standing in found:
        if standing.takes_part:
            hit = standing.assignment.hit_id
            by_hit[hit].append((standing, value(standing, payloads[hit])))
    return by_hit


def several(batch: Batch) -> list[tuple[Hit, list[ResponseWithReview]]]:
    """HITs where a choice is missing: several responses have a text, and not exactly one of these is accepted."""
    counted = batch.hits.filter(excluded_at__isnull=True, check_item=False).annotate(
        answers=Count("assignments", filter=Q(assignments__state=lifecycle.SUBMITTED) & ~SUGGESTED)
    )
    hits = list(counted.filter(answers__gte=2).select_related("item").defer("item__content").order_by("pk"))
    task, found = task_type(batch.task), []
    answers_by_hit = answers_taking_part(hits)
    for hit in hits:
        responses = answers_by_hit[hit.pk]
        worded = [one for one, answer in responses if capabilities.review(task, hit.payload, answer)["text"]]
        if len(worded) > 1 and sum(one.state in review_state.TAKEN for one in worded) != 1:
            found.append((hit, worded))
    return found


def to_repair(**filters: Any) -> QuerySet[Review]:
    """Requests for changes without a new submission since, oldest first; `filters` narrow the assignments."""
    later = Review.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    returned = Review.objects.filter(decision=review_state.RETURNED, revision=F("assignment__revision"))
    narrowed = returned.filter(**{f"assignment__{name}": wanted for name, wanted in filters.items()})
    return narrowed.filter(~Exists(later)).select_related("assignment__batch").order_by("pk")


def returned(assignment: Assignment) -> Review | None:
    """The request for changes of the current revision, or None."""
    return to_repair(pk=assignment.pk).first() if assignment.revision else None
