"""What requesters decide on answers, and the answers as they stand after it.

A decision is a row that is only ever added and concerns the revision that was read; undoing is one more row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import recording, webhook_events
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Answer, Assignment, Batch, Hit, Review, User
from annotation.pure import lifecycle, reading
from annotation.registry import task_type
from annotation.tasktype import JSON, TaskType, Unfit

LONGEST = 5000  # characters of a wording, a message or a reason


@dataclass(frozen=True, slots=True)
class Decision:
    """What a requester made of one revision. `text` is their wording, `reason` the message or why not."""

    decision: str
    marks: Mapping[str, bool]
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """An answer with what was decided on it. `review` is the last decision on this revision that was not undone."""

    assignment: Assignment
    answer: Answer
    state: str  # as annotation.pure.reading.state_of
    review: Review | None

    @property
    def takes_part(self) -> bool:
        return self.state not in reading.REFUSED


def is_reviewed(batch: Batch) -> bool:
    """Whether the answers of the batch are for requesters to read and decide on."""
    return bool(task_type(batch.task).criteria)


@transaction.atomic
def decide(
    assignment: Assignment, revision: int, wish: Decision, *, reviewer: User | None, seen: int | None = None
) -> Review:
    """Add a decision on the revision that was read; `seen` is the last review that the requester saw (0: none).

    Raises Conflict when the worker changed the answer meanwhile or somebody else decided, Refused for a decision
    that lacks its words.
    """
    row = Assignment.objects.locked(assignment.pk, "batch__project", "hit")
    if row.state != lifecycle.SUBMITTED or revision != row.revision:
        raise Conflict(_("The worker changed this answer meanwhile. Please read it again."))
    last = row.reviews.order_by("-pk").first()
    if seen is not None and seen != (last.pk if last else 0):
        raise Conflict(_("Somebody else decided on this answer meanwhile. Please look at it again."))
    review = _add(row, _complete(row, wish), reviewer)
    if review.decision == reading.RETURNED:
        restart_clock(row)
    return review


def restart_clock(row: Assignment) -> None:
    """Let the time until an answer is approved by itself begin anew: it was returned for repair, or is repaired."""
    if row.batch.auto_approval is None:
        return
    undecided = Assignment.objects.filter(approval="", pk=row.pk, auto_approve_at__isnull=False)
    undecided.update(auto_approve_at=Now() + timedelta(seconds=row.batch.auto_approval))


def _add(row: Assignment, wish: Decision, reviewer: User | None) -> Review:
    review = Review.objects.create(
        assignment=row,
        revision=row.revision,
        decision=wish.decision,
        marks=dict(wish.marks),
        text=wish.text,
        reason=wish.reason,
        reviewer=reviewer,
    )
    webhook_events.reviewed(review, row, reviewer)
    recording.record("reviewed", row, decision=wish.decision)
    return review


def _complete(row: Assignment, wish: Decision) -> Decision:
    """The wish with the marks of the task type's criteria: accepting says yes to what was not judged."""
    criteria = task_type(row.batch.task).criteria
    text, reason = wish.text.strip(), wish.reason.strip()[:LONGEST]
    marks = {key: bool(wish.marks[key]) for key in criteria if key in wish.marks}
    if wish.decision == reading.ACCEPTED:
        marks = dict.fromkeys(criteria, True) | marks
    if wish.decision not in reading.DECIDED:
        raise Refused(_("Choose what becomes of this answer."))
    if wish.decision == reading.EDITED and not text:
        raise Refused(_("Write the wording that is to stand instead."))
    if wish.decision == reading.EDITED:
        if len(text) > LONGEST:
            raise Refused(_("At most %(most)s characters, please.") % {"most": LONGEST})
        _fits(row, text)
    if wish.decision == reading.RETURNED and not reason:
        raise Refused(_("Write to the worker what is to be repaired."))
    if wish.decision == reading.DISCARDED and not reason:
        raise Refused(_("Say why this answer is discarded."))
    return Decision(
        decision=wish.decision,
        marks=marks,
        text=text if wish.decision == reading.EDITED else "",
        reason=reason if wish.decision in reading.REFUSED else "",
    )


def _fits(row: Assignment, text: str) -> None:
    """Refuse a wording that the task type cannot apply to the answer that stands."""
    if row.current is None:
        raise Conflict(_("The worker changed this answer meanwhile. Please read it again."))
    try:
        task_type(row.batch.task).edited(row.hit.payload, row.current.answer, text)
    except Unfit as unfit:
        raise Refused(_(unfit.message) % unfit.values) from unfit


@transaction.atomic
def undo(assignment: Assignment, *, reviewer: User | None) -> bool:
    """Take back the decision on the answer as it stands; False when there is none (any more)."""
    row = Assignment.objects.locked(assignment.pk, "batch__project", "hit")
    last = row.reviews.order_by("-pk").first()
    if last is None or last.revision != row.revision or last.decision == reading.REOPENED:
        return False
    _add(row, Decision(reading.REOPENED, {}), reviewer)
    return True


@transaction.atomic
def choose(assignment: Assignment, revision: int, *, reviewer: User | None, text: str | None = None) -> Review:
    """Accept one answer of a HIT that has several, in the requester's own wording where `text` is given.

    The others stay, but none of them is accepted any more. An edited one that is picked as it stands keeps its edit.
    Raises Conflict and Refused like `decide`; nothing has changed then.
    """
    with recording.together("adjudicated", assignment):
        return _choose(assignment, revision, reviewer, text)


def _choose(assignment: Assignment, revision: int, reviewer: User | None, text: str | None) -> Review:
    mates = Assignment.objects.select_for_update(of=("self",), no_key=True).select_related("batch__project", "hit")
    rows = list(mates.filter(hit=assignment.hit_id, state=lifecycle.SUBMITTED).order_by("pk"))
    histories = reviews_of(rows)
    for row in rows:
        if row.pk != assignment.pk and _state(row, histories[row.pk]) in reading.TAKEN:
            _add(row, Decision(reading.REOPENED, {}), reviewer)
    chosen = next((row for row in rows if row.pk == assignment.pk), None)
    if chosen is None or chosen.revision != revision:
        raise Conflict(_("The worker changed this answer meanwhile. Please read it again."))
    before = _last_decision(chosen, histories[chosen.pk])
    marks = before.marks if before else {}
    if text is not None:
        return decide(chosen, revision, Decision(reading.EDITED, marks, text=text), reviewer=reviewer)
    if before and before.decision in reading.TAKEN:
        return before
    return decide(chosen, revision, Decision(reading.ACCEPTED, marks), reviewer=reviewer)


def reviews_of(assignments: Iterable[Assignment]) -> defaultdict[int, list[Review]]:
    """The decisions by assignment, oldest first, in one query."""
    found: defaultdict[int, list[Review]] = defaultdict(list)
    rows = Review.objects.filter(assignment__in=[a.pk for a in assignments])
    for review in rows.select_related("reviewer").order_by("pk"):
        found[review.assignment_id].append(review)
    return found


def _state(assignment: Assignment, history: Iterable[Review]) -> str:
    return reading.state_of([(r.revision, r.decision) for r in history], assignment.revision)


def _last_decision(assignment: Assignment, history: list[Review]) -> Review | None:
    here = [review for review in history if review.revision == assignment.revision]
    return here[-1] if here and here[-1].decision != reading.REOPENED else None


def standings(assignments: Iterable[Assignment]) -> list[Standing]:
    """Submitted answers with what was decided on them, in two queries."""
    rows = list(assignments)
    answers = Answer.objects.filter(assignment__in=[row.pk for row in rows], revision=F("assignment__revision"))
    latest = {answer.assignment_id: answer for answer in answers}
    histories = reviews_of(rows)
    return [
        Standing(row, latest[row.pk], _state(row, histories[row.pk]), _last_decision(row, histories[row.pk]))
        for row in rows
    ]


def value(standing: Standing, payload: JSON) -> JSON:
    """The answer as `aggregate` takes it: with the requester's wording where edited, `accepted` where accepted."""
    answer: JSON = standing.answer.answer
    if standing.state not in reading.TAKEN or standing.review is None:
        return answer
    if standing.state == reading.EDITED:
        task = task_type(standing.assignment.batch.task)
        answer = task.edited(payload, answer, standing.review.text)
    return answer | {"accepted": True}


def verdict(task: TaskType, payload: JSON, answers: Sequence[JSON]) -> JSON:
    """What the standing answers mean together; where a requester accepted one of them, that one alone.

    A task type with criteria weighs accepted answers itself. `adjudicated` marks a verdict that a requester settled.
    """
    chosen = [answer for answer in answers if answer.get("accepted")]
    if task.criteria or len(chosen) != 1:
        return task.aggregate(payload, answers)
    return task.aggregate(payload, chosen) | {"adjudicated": True}


def kind_of(verdict: JSON) -> str:
    """A verdict in a word, as reports and queues count it."""
    return "tied" if verdict.get("tied") else str(verdict["kind"])


def standing_answers(hits: Collection[Hit]) -> defaultdict[int, list[tuple[Standing, JSON]]]:
    """By HIT, the answers that were not refused and what each of them says, in the order in which they came.

    A handful of queries for all HITs together.
    """
    payloads = {hit.pk: hit.payload for hit in hits}
    rows = Assignment.objects.submitted().filter(hit__in=list(payloads)).select_related("batch")
    found: defaultdict[int, list[tuple[Standing, JSON]]] = defaultdict(list)
    for standing in standings(rows.defer("draft").order_by("submitted_at", "pk")):
        if standing.takes_part:
            hit = standing.assignment.hit_id
            found[hit].append((standing, value(standing, payloads[hit])))
    return found


def standing(hit: Hit) -> list[JSON]:
    """The answers of a HIT as `aggregate` wants them."""
    return [said for _standing, said in standing_answers([hit])[hit.pk]]


def several(batch: Batch) -> list[tuple[Hit, list[Standing]]]:
    """The HITs of which one answer is still to be chosen: several that say something stand, and not one is accepted."""
    counted = batch.hits.filter(voided_at__isnull=True, check_item=False).annotate(
        answers=Count("assignments", filter=Q(assignments__state=lifecycle.SUBMITTED))
    )
    hits = list(counted.filter(answers__gte=2).select_related("item").defer("item__content").order_by("pk"))
    task, found = task_type(batch.task), []
    said = standing_answers(hits)
    for hit in hits:
        worded = [one for one, answer in said[hit.pk] if task.review(hit.payload, answer)["text"]]
        if len(worded) > 1 and sum(one.state in reading.TAKEN for one in worded) != 1:
            found.append((hit, worded))
    return found


def to_repair(**whose: Any) -> QuerySet[Review]:
    """The messages with what was returned and not sent again since, oldest first; `whose` narrows assignments."""
    later = Review.objects.filter(assignment=OuterRef("assignment"), pk__gt=OuterRef("pk"))
    asked = Review.objects.filter(decision=reading.RETURNED, revision=F("assignment__revision"))
    narrowed = asked.filter(**{f"assignment__{name}": wanted for name, wanted in whose.items()})
    return narrowed.filter(~Exists(later)).select_related("assignment__batch").order_by("pk")


def returned(assignment: Assignment) -> Review | None:
    """The message with which the answer as it stands was returned for repair; None: it was not."""
    return to_repair(pk=assignment.pk).first() if assignment.revision else None
