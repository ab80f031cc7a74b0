"""Adjudication: HITs without a clear result (ties, splits, excluded responses), and requesters' decisions on them.

A decision is a review: one response is accepted and alone is the result. The alternative is to exclude the HIT. Where
two requesters adjudicate, double_adjudication says what becomes of their decisions.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.db.models import Case, Count, Q, QuerySet, Value, When

from annotation.flow.review import conclusions, double_adjudication, problem_reports, review_decisions
from annotation.flow.review.conclusions import SAVED_ONLY, UnsavedConclusions
from annotation.flow.review.review_decisions import ResponseWithReview
from annotation.models import Adjudication, Assignment, Batch, Hit, User
from annotation.pure.review import disagreement_causes, review_state
from annotation.tasktype import JSON


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


def waiting(batch: Batch, viewer: User | None = None, *, fresh: UnsavedConclusions = SAVED_ONLY) -> QuerySet[Hit]:
    """HITs to adjudicate as far as worked out (flow/review/conclusions), in the order of their items.

    In an open batch only HITs that expect no further response. With `viewer`, without those on which they have decided
    and another requester has not. Each has `both_decided`.
    """
    rows = batch.hits.filter(fresh.is_open(), excluded_at__isnull=True)
    if batch.state != Batch.State.CLOSED:
        rows = rows.filter(conclusions.NOTHING_DUE)
    rows = rows.order_by("item_id")
    if not batch.two_adjudicators:
        return rows.annotate(both_decided=Value(False))
    current = Adjudication.objects.current().filter(hit__batch=batch).order_by()
    twice = current.values("hit").annotate(n=Count("pk")).filter(n__gte=2).values("hit")
    rows = rows.annotate(both_decided=Case(When(pk__in=twice, then=True), default=False))
    own = current.filter(adjudicator=viewer).values("hit") if viewer else current.none().values("hit")
    return rows.exclude(Q(pk__in=own) & ~Q(pk__in=twice))


def queue(batch: Batch, viewer: User | None = None) -> list[Open]:
    """All HITs to adjudicate, as of now; in a batch that changed much, it takes long."""
    fresh = conclusions.fresh(batch)
    return [_open(hit, fresh) for hit in waiting(batch, viewer, fresh=fresh).defer("payload")]


def following(
    batch: Batch, hit: Hit, viewer: User | None = None, *, fresh: UnsavedConclusions | None = None
) -> Open | None:
    """The viewer's next HIT to adjudicate after this one, wrapping around; None if there is no other."""
    fresh = fresh or conclusions.fresh(batch, most=conclusions.AT_ONCE)
    others = waiting(batch, viewer, fresh=fresh).exclude(pk=hit.pk).defer("payload")
    found = others.filter(item__gt=hit.item_id).first() or others.first()
    return _open(found, fresh) if found else None


def is_open(hit: Hit) -> bool:
    """Whether the HIT is in the batch's queue; also while the second of two decisions is missing."""
    fresh = SAVED_ONLY  # no result rests on hidden gold
    if not hit.check_item:
        fresh = UnsavedConclusions(conclusions.compute_conclusions(hit.batch, [hit.pk]))
    return waiting(hit.batch, fresh=fresh).filter(pk=hit.pk).exists()


def _open(hit: Any, fresh: UnsavedConclusions) -> Open:
    fresh.put_into(hit)
    return Open(hit.pk, hit.public_id, hit.open_kind, hit.standing, hit.both_decided)


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
    else:
        _choose(made, made.assignment)
    Hit.objects.filter(pk=hit.pk).update(cause=made.cause)
    return True


def _choose(made: Adjudication, chosen: Assignment) -> None:
    text = made.text if made.decision == Adjudication.Decision.EDITED else None
    review_decisions.locked_responses(made.hit_id)  # restoring the HIT locks the batch, which comes after assignments
    problem_reports.restore(made.hit)
    review_decisions.choose(chosen, made.revision, reviewer=made.adjudicator, text=text)


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


def accepted(hit: Hit) -> list[ResponseWithReview]:
    """Responses to a HIT that a requester accepted unchanged."""
    rows = hit.assignments.submitted().select_related("batch").defer("draft")
    return [
        one for one in review_decisions.responses_with_reviews(rows.order_by("pk")) if one.state in review_state.TAKEN
    ]


def cause_tables(batch: Batch) -> list[JSON]:
    """The causes of decided HITs, and the agreement of two independent adjudicators on them; [] if none was named."""
    counted: Counter[str] = Counter()
    hits = batch.hits.filter(check_item=False).exclude(cause="")
    if hits.exists():
        fresh = conclusions.fresh(batch, most=conclusions.AT_ONCE)
        counted.update(hits.exclude(fresh.is_open(), excluded_at__isnull=True).values_list("cause", flat=True))
    named = Adjudication.objects.current().filter(hit__batch=batch, hit__check_item=False).exclude(cause="")
    by_hit: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    rows = named.order_by("hit", "pk").values_list("pk", "adjudicator", "hit", "hit__cause", "cause")
    for pk, adjudicator, hit, decided, cause in rows:
        by_hit[hit, decided][str(adjudicator or -pk)] = cause  # without an adjudicator: their account is gone
    pairs = {key: unit for key, unit in by_hit.items() if len(unit) == 2}
    counted[""] = sum(len(set(unit.values())) == 2 for (_hit, decided), unit in pairs.items() if not decided)
    return disagreement_causes.cause_tables(counted, list(pairs.values()), batch.seed)
