"""Answers to hidden gold whose paragraphs state a changed fact, and what its workers are told afterwards."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace

from django.db.models import F

from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.models import Assignment, Batch, Worker, WorkerResponse
from annotation.pure.data.example import JSON, Example
from annotation.pure.derivations.altered_facts import ALTERED
from annotation.pure.reports.altered_fact_tables import OTHER, STATED, WORLD, altered_fact_tables
from annotation.recruitment import used
from annotation.registry import task_type


@dataclass(frozen=True, slots=True)
class Told:
    """A question with what its paragraphs stated, and what is true by its source."""

    question: str
    stated: str
    true: str


def tables(batch: Batch) -> list[JSON]:
    """The report's table of these answers as of now; [] without any."""
    task, found = task_type(batch.task), defaultdict[str, Counter[str]](Counter)
    submitted = used(batch, Assignment.objects.submitted().filter(batch=batch, hit__check_item=True))
    rows = WorkerResponse.objects.filter(assignment__in=submitted, revision=F("assignment__revision"))
    for row in rows.select_related("assignment__hit__item").order_by("pk") if _is_altered(batch) else ():
        gold = row.assignment.hit.item.example
        if ALTERED in gold.extra:
            real = task.grade(row.assignment.hit.payload, row.answer, _in_the_world(gold))
            stated = task.grade(row.assignment.hit.payload, row.answer, gold)
            kind = OTHER if real == stated else WORLD if real > stated else STATED
            found[batch.project.pseudonym(row.assignment.worker_id)][kind] += 1
    return altered_fact_tables(found, seed=batch.seed)


def _in_the_world(gold: Example) -> Example:
    return replace(gold, answers=tuple(gold.extra[ALTERED]["from"]))


def _is_altered(batch: Batch) -> bool:
    """Whether any hidden gold of the batch may state a changed fact."""
    return bool(batch.check_share) and any(map(is_for_hidden_gold, batch.checks.all()))


def is_told(row: Assignment) -> bool:
    """Whether the response's worker is told of a changed fact in its item: once the batch is closed."""
    return row.batch.state == Batch.State.CLOSED and row.hit.check_item and ALTERED in row.hit.item.example.extra


def told(batch: Batch, worker: Worker) -> list[Told]:
    """What the worker is told once the batch is closed: the facts that were changed in their items; else []."""
    if batch.state != Batch.State.CLOSED or not _is_altered(batch):
        return []
    own = batch.assignments.submitted().filter(worker=worker, hit__check_item=True)
    rows = own.select_related("hit__item").order_by("submitted_at")
    examples = [row.hit.item.example for row in rows]
    return [
        Told(one.question, one.answers[0], one.extra[ALTERED]["from"][0]) for one in examples if ALTERED in one.extra
    ]
