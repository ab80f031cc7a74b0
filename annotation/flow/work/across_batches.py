"""Responses to the same questions in other batches, for tasks whose results depend on them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import BigIntegerField, Count, F, QuerySet, Sum
from django.db.models.functions import Cast

from annotation.models import Assignment, Batch, Hit, WorkerResponse
from annotation.recruitment import marketplaces
from annotation.registry import task_type
from annotation.tasktype import JSON, Consulting, RelatedResponses


def elsewhere(batch: Batch, hits: Collection[Hit]) -> dict[int, tuple[RelatedResponses, ...]]:
    """By HIT the responses in the project's other batches to items of its group; {} unless the task consults them.

    Of each worker's assignment the latest revision. Deleted batches, excluded HITs and responses that figures may not
    use, such as those of returned visits, are left out.
    """
    if not isinstance(task_type(batch.task), Consulting) or not hits:
        return {}
    rows = latest_responses(_others(batch), {hit.group_key for hit in hits})
    rows = rows.select_related("assignment__batch").order_by("assignment__hit", "assignment")
    answers: defaultdict[int, list[JSON]] = defaultdict(list)
    found: defaultdict[str, dict[int, Hit]] = defaultdict(dict)
    for row in rows:
        answers[row.assignment.hit_id].append(row.answer)
        found[row.assignment.group_key][row.assignment.hit_id] = row.assignment.hit
        row.assignment.hit.batch = row.assignment.batch
    return {
        hit.pk: tuple(
            RelatedResponses(other.batch.task, other.payload, tuple(answers[pk]))
            for pk, other in found[hit.group_key].items()
        )
        for hit in hits
    }


def version_of(batch: Batch) -> list[Any]:
    """Values that change with those responses; [] unless the task consults them."""
    if not isinstance(task_type(batch.task), Consulting):
        return []
    rows = _submitted(_others(batch)).filter(group_key__in=batch.hits.values("group_key"))
    return list(count_responses(rows, marketplaces().used(rows)).values())


def count_responses(every: QuerySet[Assignment], used: QuerySet[Assignment]) -> dict[str, Any]:
    """Figures that change with the used ones of submitted responses, and never repeat: those of all only grow."""
    grown = every.aggregate(n=Count("pk"), of=Sum("revision"))
    return grown | used.aggregate(keys=Cast(Sum("pk"), BigIntegerField()))  # PostgreSQL sums them as a decimal number


def latest_responses(batches: Iterable[Batch], groups: Collection[str]) -> QuerySet[WorkerResponse]:
    """The latest revision of each response in the batches to items of these groups, with its HIT.

    Excluded HITs and responses that figures may not use are left out.
    """
    submitted = marketplaces().used(_submitted(batches).filter(group_key__in=groups))
    rows = WorkerResponse.objects.filter(assignment__in=submitted.values("pk"), revision=F("assignment__revision"))
    return rows.select_related("assignment__hit")


def _others(batch: Batch) -> QuerySet[Batch]:
    return Batch.objects.filter(project=batch.project_id).exclude(pk=batch.pk)


def _submitted(batches: Iterable[Batch]) -> QuerySet[Assignment]:
    return Assignment.objects.submitted().filter(batch__in=batches, hit__excluded_at__isnull=True).blind()
