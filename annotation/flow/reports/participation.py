"""What became of everybody who was let in to a batch, and of every assignment, for its report."""

from datetime import UTC
from itertools import accumulate
from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import TruncHour

from annotation.flow.batches import cached_figures, hit_filters
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.money.batch_funds import undecided_of
from annotation.models import Assignment, Batch, Participation, Payment, WorkerResponse
from annotation.models.assignment import NOT_IMPORTING
from annotation.pure.reports.participation_flow import ERASED, HIT, SUBMITTED, SUGGESTED, VISIT, Row, flow
from annotation.recruitment import used


def participation(batch: Batch) -> dict[str, Any]:
    """The flow of people and responses (annotation/pure/reports/participation_flow.py), without hidden gold.

    One query reads all assignments, so that the numbers add up while people work.
    """
    rows = [Row(*values) for values in _assignments(batch).iterator()]
    joined = Participation.objects.filter(batch=batch)
    withdrew = joined.filter(worker__consented_at__isnull=False, worker__consented_version=0)
    others = {"paused": joined.filter(paused_at__isnull=False).count(), "withdrew": withdrew.count()}
    came = set(joined.values_list("worker", flat=True))
    found = flow(rows, came=came, chosen=set(batch.workers.values_list("pk", flat=True)))
    return found | {"others": others | unpaid(batch)}


def submissions_by_hour(batch: Batch, part: BatchPart) -> list[list[Any]]:
    """[hour in UTC, responses submitted until its end], for each hour with submissions."""
    rows = hit_filters.assignments_in(batch, part, batch.assignments.submitted().filter(hit__check_item=False))
    hours = rows.order_by().annotate(hour=TruncHour("submitted_at", tzinfo=UTC)).values("hour")
    counted = [(row["hour"], row["count"]) for row in hours.annotate(count=Count("pk")).order_by("hour")]
    sums = accumulate(count for _hour, count in counted)
    return [[hour.isoformat(), total] for (hour, _count), total in zip(counted, sums, strict=True)]


@cached_figures.cached_figure("unpaid")
def unpaid(batch: Batch) -> dict[str, int]:
    """How many of the responses that figures count were rejected, or are not paid or decided on yet.

    Cached if the batch is large.
    """
    counted = _ruled(batch).filter(state=SUBMITTED, rule="")
    rejected = counted.filter(approval=Assignment.Approved.REJECTED).count()
    return {"rejected": rejected, "unpaid": unpaid_of(counted)}


def unpaid_of(rows: QuerySet[Assignment]) -> int:
    """How many of the responses wait for a decision on their pay, or for the payment."""
    owed = Payment.objects.filter(assignment__in=rows).exclude(state=Payment.State.PAID)
    return undecided_of(rows).count() + owed.values("assignment").distinct().count()


def _assignments(batch: Batch) -> QuerySet[Any, Any]:
    """(worker, state, rule, reason, number) of the batch's assignments."""
    reason = Case(When(rule=HIT, then=F("hit__exclusion_reason")), default=Value(""))
    columns = ("worker", "state", "rule", "reason")
    rows = _ruled(batch).order_by().annotate(reason=reason).values_list(*columns).annotate(number=Count("pk"))
    counted: QuerySet[Any, Any] = rows.order_by(*columns)
    return counted


def _ruled(batch: Batch) -> QuerySet[Any, Any]:
    """The batch's assignments with the `rule` by which a submitted one does not count; "" where it does."""
    rows = batch.assignments.filter(NOT_IMPORTING, hit__check_item=False)
    there = used(batch, Assignment.objects.filter(pk=OuterRef("pk")))
    responses = WorkerResponse.objects.filter(assignment=OuterRef("pk"), revision=OuterRef("revision"))
    submitted = Q(state=SUBMITTED)
    rule = Case(
        When(submitted & Q(hit__excluded_at__isnull=False), then=Value(HIT)),
        When(submitted & ~Exists(there), then=Value(SUGGESTED if batch.suggest else VISIT)),
        When(submitted & ~Exists(responses), then=Value(ERASED)),
        default=Value(""),
    )
    return rows.annotate(rule=rule)
