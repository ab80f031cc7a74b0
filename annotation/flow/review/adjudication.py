"""Adjudication: HITs without a clear result (ties, splits, excluded responses), and requesters' decisions on them.

A decision is a review: one response is accepted and alone is the result. The alternative is to exclude the HIT. Where
two requesters adjudicate, neither's decision is shown or changes anything before both are there: if both lead to the
same aggregated response, or both exclude the HIT, it is decided. If not, anybody's next decision is final; that person
sees both.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.db.models import Case, Count, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict
from annotation.flow.projects import audit_log
from annotation.flow.review import conclusions, problem_reports, review_decisions
from annotation.flow.review.conclusions import SAVED_ONLY, UnsavedConclusions
from annotation.flow.review.review_decisions import ResponseWithReview
from annotation.models import Adjudication, Assignment, Batch, Hit, User
from annotation.pure.review import disagreement_causes, review_state
from annotation.registry import task_type
from annotation.tasktype import JSON, TaskType, capabilities


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
    if hit.batch.two_adjudicators and not settle(made, saw_both=saw_both):
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
    if reviewer and hit.batch.two_adjudicators and withdraw(hit, reviewer):
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


EDITED = Adjudication.Decision.EDITED


def decisions_on(hits: Collection[int]) -> defaultdict[int, list[Adjudication]]:
    """The independent decisions on current responses, by HIT, oldest first, in one query."""
    found: defaultdict[int, list[Adjudication]] = defaultdict(list)
    rows = Adjudication.objects.current().filter(hit__in=hits).select_related("assignment__batch__project")
    for row in rows.order_by("pk"):
        found[row.hit_id].append(row)
    return found


def own(decisions: Collection[Adjudication], user: User) -> Adjudication | None:
    """The user's decision; None: they have not decided."""
    return next((row for row in decisions if row.adjudicator_id == user.pk), None)


def settle(made: Adjudication, *, saw_both: bool) -> bool:
    """Add a decision to those on its HIT; True if it is to be carried out: it is final, or agrees with the other.

    Call it in a transaction. `saw_both`: its author saw the decisions of two others, who disagree. Of two that agree,
    the decision gets the cause that both name, or the only one that was named.
    Raises Conflict and Refused like `review_decisions.choose`.
    """
    rows = review_decisions.locked_responses(made.hit_id)  # so that two who decide at once see each other's decision
    if made.assignment is not None:
        text = made.text if made.decision == EDITED else None
        review_decisions.check_choice(rows, made.assignment, made.revision, text)
    there = decisions_on([made.hit_id])[made.hit_id]
    if len(there) >= 2:
        if not saw_both:
            raise Conflict(_("Two requesters have decided on this HIT in the meantime. Please look at it again."))
        return True
    values = {name: getattr(made, name) for name in ("decision", "assignment", "revision", "text", "reason", "cause")}
    Adjudication.objects.update_or_create(hit=made.hit, adjudicator=made.adjudicator, defaults=values)
    audit_log.record("adjudicated", made.hit)
    there = decisions_on([made.hit_id])[made.hit_id]
    if len(there) != 2 or not _agree(task_type(made.hit.batch.task), made.hit.payload, there):
        return False
    named = {row.cause for row in there if row.cause}
    made.cause = named.pop() if len(named) == 1 else ""
    return True


@transaction.atomic
def withdraw(hit: Hit, user: User) -> bool:
    """Withdraw the user's decision while the other one is missing; False if there is none."""
    review_decisions.locked_responses(hit.pk)
    there = decisions_on([hit.pk])[hit.pk]
    found = own(there, user) if len(there) < 2 else None
    if found is None:
        return False
    found.delete()
    audit_log.record("adjudication withdrawn", hit)
    return True


def agreement(batch: Batch) -> tuple[int, int]:
    """(HITs on which two requesters agreed, HITs on which two decided), independently."""
    current = Adjudication.objects.current().filter(hit__batch=batch, hit__check_item=False)
    twice = current.order_by().values("hit").annotate(n=Count("pk")).filter(n=2)
    hits = Hit.objects.in_bulk(list(twice.values_list("hit", flat=True)))
    task, by_hit = task_type(batch.task), decisions_on(hits)
    return sum(_agree(task, hits[pk].payload, by_hit[pk]) for pk in hits), len(hits)


def _agree(task: TaskType, payload: JSON, two: Collection[Adjudication]) -> bool:
    first, second = (_result(task, payload, row) for row in two)
    return bool(first == second)


def _result(task: TaskType, payload: JSON, made: Adjudication) -> Any:
    """The aggregated response that the decision leads to; None: none, or it was erased."""
    standings = review_decisions.responses_with_reviews([made.assignment] if made.assignment else [])
    if not standings:
        return None
    standing = standings[0]
    value = review_decisions.value(standing, payload)
    if made.decision == EDITED:
        value = capabilities.edited(task, payload, standing.answer.answer, made.text)
    return task.aggregate(payload, [{**value, "accepted": True}])
