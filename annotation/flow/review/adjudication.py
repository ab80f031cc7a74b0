"""Adjudication: HITs without a clear result (ties, splits, excluded responses), and requesters' decisions on them.

A decision is a review: one response is accepted and alone is the result. The alternative is to exclude the HIT. Where
two requesters adjudicate, double_adjudication says what becomes of their decisions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeVar

from django.db import transaction
from django.db.models import Q

from annotation.flow.review import double_adjudication, problem_reports, review_decisions
from annotation.flow.review.review_decisions import Standing
from annotation.models import Adjudication, Batch, Hit, User
from annotation.pure.review import review_state
from annotation.registry import task_type
from annotation.tasktype import JSON

CHUNK = 200
NOTHING_DUE = Q(room__lte=0, live=0)  # no further response is expected
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Open:
    """A HIT to adjudicate: why it is open, and its number of responses.

    `both_decided`: two requesters have decided and it is still open, so that the next decision is final.
    """

    pk: int
    public_id: str
    kind: str
    answers: int
    both_decided: bool = False


def queue(batch: Batch, viewer: User | None = None) -> list[Open]:
    """HITs to adjudicate, in the order of their items; in an open batch only HITs that expect no further response.

    With `viewer`, without those on which they have decided and another requester has not.
    """
    return list(_open(batch, _keys(batch), viewer))


def following(batch: Batch, hit: Hit, viewer: User | None = None) -> Open | None:
    """The viewer's next HIT to adjudicate after this one, wrapping around; None if there is no other."""
    keys = _keys(batch, besides=hit.pk)
    here = keys.index(hit.pk)
    return next(_open(batch, keys[here + 1 :] + keys[:here], viewer), None)


def is_open(hit: Hit) -> bool:
    """Whether the HIT is in the batch's queue; also while the second of two decisions is missing."""
    may_be_open = hit.batch.hits.filter(_may_be_open(hit.batch), pk=hit.pk).exists()
    return may_be_open and any(_open(hit.batch, [hit.pk], None))


def _may_be_open(batch: Batch) -> Q:
    submitted = Q(excluded_at__isnull=True, check_item=False, done__gt=0)
    return submitted if batch.state == Batch.State.CLOSED else submitted & NOTHING_DUE


def _keys(batch: Batch, *, besides: int | None = None) -> list[int]:
    """HITs that may be open, in the order of their items, including `besides`."""
    hits = batch.hits.filter(_may_be_open(batch) | Q(pk=besides))
    return list(hits.order_by("item__dataset__slug", "item__position").values_list("pk", flat=True))


def _open(batch: Batch, keys: Sequence[int], viewer: User | None) -> Iterator[Open]:
    for start in range(0, len(keys), CHUNK):
        here = keys[start : start + CHUNK]
        rows = Hit.objects.in_bulk(here)
        answers_by_hit = review_decisions.standing_answers(rows.values())
        decisions = double_adjudication.decisions_on(here if batch.two_adjudicators else ())
        for pk in here:
            answers = [answer for _standing, answer in answers_by_hit[pk]]
            both_decided = len(decisions[pk]) >= 2
            if viewer and not both_decided and double_adjudication.own(decisions[pk], viewer):
                continue
            if answers and (kind := open_kind(batch, rows[pk].payload, answers)):
                yield Open(pk, rows[pk].public_id, kind, len(answers), both_decided)


def open_kind(batch: Batch, payload: JSON, answers: Sequence[JSON]) -> str:
    """The reason why the result is open; "" if it is clear or a requester accepted one response."""
    if sum(bool(answer.get("accepted")) for answer in answers) == 1:
        return ""
    task = task_type(batch.task)
    aggregate = review_decisions.aggregate(task, payload, answers)
    return review_decisions.kind_of(aggregate) if task.unsettled(aggregate) else ""


def shuffled(rows: Sequence[T], *, viewer: int, hit: str) -> list[T]:
    """The responses in a random order that hides who gave them, but is fixed for one viewer and HIT."""
    mixed = list(rows)
    Random(f"{viewer}/{hit}").shuffle(mixed)
    return mixed


@transaction.atomic
def decide(made: Adjudication, *, saw_both: bool = False) -> bool:
    """Decide on a HIT as `made` (not saved) says; False if the result waits for another requester.

    An excluded HIT counts again. `saw_both`: the author saw two requesters' decisions that differ.
    Raises Conflict and Refused like `review_decisions.choose`, and Overdrawn if an excluded HIT cannot be restored.
    """
    hit = made.hit
    if hit.batch.two_adjudicators and not double_adjudication.settle(made, saw_both=saw_both):
        return False
    if made.assignment is None:
        problem_reports.exclude(hit, reason=made.reason)
        return True
    text = made.text if made.decision == Adjudication.Decision.EDITED else None
    review_decisions.choose(made.assignment, made.revision, reviewer=made.adjudicator, text=text)
    problem_reports.restore(hit)
    return True


def undo(hit: Hit, *, reviewer: User | None) -> Literal["", "withdrawn", "reopened"]:
    """Undo a decision; "" if there is none.

    "reopened": the HIT was restored, or its accepted response is not accepted any more. "withdrawn": the reviewer's
    was one of two independent decisions, and the other one is missing.
    """
    if reviewer and hit.batch.two_adjudicators and double_adjudication.withdraw(hit, reviewer):
        return "withdrawn"
    # in a transaction of its own: it locks the batch, and the lock order has assignments before it
    if problem_reports.restore(hit):
        return "reopened"
    taken = [review_decisions.undo(one.assignment, reviewer=reviewer) for one in accepted(hit)]
    return "reopened" if any(taken) else ""


def accepted(hit: Hit) -> list[Standing]:
    """Responses to a HIT that a requester accepted unchanged."""
    rows = hit.assignments.submitted().select_related("batch").defer("draft")
    return [one for one in review_decisions.standings(rows.order_by("pk")) if one.state in review_state.TAKEN]
