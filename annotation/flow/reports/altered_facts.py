"""Responses to hidden gold with altered facts: counts for the report, and the disclosure to workers afterwards."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from django.db.models import Count, F, QuerySet, Sum

from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.models import Assignment, Batch, Worker, WorkerResponse
from annotation.pure.data.example import JSON, Example
from annotation.pure.derivations.altered_facts import ALTERED
from annotation.pure.reports.altered_fact_tables import OTHER, REAL, STATED, altered_fact_tables
from annotation.recruitment import used
from annotation.registry import task_type


@dataclass(frozen=True, slots=True)
class AlteredFact:
    """A question with the answer that its paragraphs stated, and the original one."""

    question: str
    stated: str
    original: str


def tables(batch: Batch) -> list[JSON]:
    """The report's table of these responses; [] without any."""
    task, found = task_type(batch.task), defaultdict[str, Counter[str]](Counter)
    rows = WorkerResponse.objects.filter(assignment__in=_submitted(batch), revision=F("assignment__revision"))
    rows = rows.select_related("assignment__hit__item").order_by("pk")
    for row in rows.iterator(chunk_size=200) if _has_altered_facts(batch) else ():
        payload, gold = row.assignment.hit.payload, row.assignment.hit.item.example
        if ALTERED in gold.extra:
            real, stated = (task.grade(payload, row.answer, each) for each in (_original(gold), gold))
            kind = OTHER if real == stated else REAL if real > stated else STATED
            found[batch.project.pseudonym(row.assignment.worker_id)][kind] += 1
    return altered_fact_tables(found, seed=batch.seed)


def version_of(batch: Batch) -> list[int]:
    """Values that change with these responses; [] for batches without altered facts."""
    if not _has_altered_facts(batch):
        return []
    return list(_submitted(batch).aggregate(count=Count("pk"), revisions=Sum("revision", default=0)).values())


def is_disclosed(row: Assignment) -> bool:
    """Whether the worker may know of an altered fact in this assignment: once the batch is closed."""
    return row.batch.state == Batch.State.CLOSED and row.hit.check_item and ALTERED in row.hit.item.example.extra


def disclosed(batch: Batch, worker: Worker) -> list[AlteredFact]:
    """The altered facts in the worker's items, once the batch is closed; else []."""
    if batch.state != Batch.State.CLOSED or not _has_altered_facts(batch):
        return []
    rows = _submitted(batch).filter(worker=worker).select_related("hit__item").order_by("submitted_at")
    examples = (row.hit.item.example for row in rows)
    return [
        AlteredFact(one.question, one.answers[0], _original(one).answers[0]) for one in examples if ALTERED in one.extra
    ]


def _has_altered_facts(batch: Batch) -> bool:
    """Whether any hidden gold of the batch may have altered facts."""
    return bool(batch.check_share) and any(map(is_for_hidden_gold, batch.checks.all()))


def _submitted(batch: Batch) -> QuerySet[Assignment]:
    return used(batch, Assignment.objects.submitted().filter(batch=batch, hit__check_item=True))


def _original(gold: Example) -> Example:
    return replace(gold, answers=tuple(gold.extra[ALTERED]["from"]))
