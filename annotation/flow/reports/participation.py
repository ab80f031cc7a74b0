"""What became of everybody who was let in to a batch, and of every assignment, for its report."""

from typing import Any

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When

from annotation.models import Assignment, Batch, Participation, WorkerResponse
from annotation.models.assignment import NOT_IMPORTING
from annotation.pure.reports.participation_flow import ERASED, HIT, SUBMITTED, VISIT, Row, flow
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
    return found | {"others": others}


def _assignments(batch: Batch) -> QuerySet[Any, Any]:
    """(worker, state, rule, reason, number) of the batch's assignments."""
    rows = batch.assignments.filter(NOT_IMPORTING, hit__check_item=False)
    there = used(batch, Assignment.objects.filter(pk=OuterRef("pk")))
    responses = WorkerResponse.objects.filter(assignment=OuterRef("pk"), revision=OuterRef("revision"))
    submitted = Q(state=SUBMITTED)
    rule = Case(
        When(submitted & Q(hit__excluded_at__isnull=False), then=Value(HIT)),
        When(submitted & ~Exists(there), then=Value(VISIT)),
        When(submitted & ~Exists(responses), then=Value(ERASED)),
        default=Value(""),
    )
    reason = Case(When(rule=HIT, then=F("hit__exclusion_reason")), default=Value(""))
    counted = rows.order_by().annotate(rule=rule).annotate(reason=reason)
    columns = ("worker", "state", "rule", "reason")
    return counted.values(*columns).annotate(number=Count("pk")).values_list(*columns, "number").order_by(*columns)
