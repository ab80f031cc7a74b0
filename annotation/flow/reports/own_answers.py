"""The evidence of a batch's report that answers are people's own: what is collected, and the scores without some."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from annotation.models import Batch, WorkerResponse
from annotation.pure.batches.page_counts import total
from annotation.pure.reports.own_answers import OwnAnswers
from annotation.tasktype import JSON, Answered, HitWithResponses, TaskType


def has_evidence(batch: Batch, task: TaskType) -> bool:
    return batch.counts_pasting or isinstance(task, Answered)


def collect(own: OwnAnswers, task: TaskType, row: HitWithResponses) -> None:
    """Add a HIT's responses and predictions; excluded HITs say nothing."""
    if row.excluded:
        return
    words = task.least_words(row.payload, row.example) if isinstance(task, Answered) else None
    for given in row.given:
        wrong, counts = _wrong(task, row, given.answer), given.counts
        own.add(row.hit, given.worker, wrong=wrong, seconds=given.seconds, words=words, counts=counts)
    for model, answer in _predictions(row):
        own.add_prediction(row.hit, model, _wrong(task, row, answer))


def _wrong(task: TaskType, row: HitWithResponses, answer: JSON) -> str | None:
    if not isinstance(task, Answered):
        return None
    return task.wrong_answer(row.payload, answer, row.example, format=row.format)


def _predictions(row: HitWithResponses) -> Iterable[tuple[str, JSON]]:
    """(what the model was shown, "" for the item, and its name; its answer)."""
    yield from ((f"/{each.worker}", each.answer) for each in row.predicted)
    for (shown, model), answers in row.baselines.items():
        if model:
            yield from ((f"{shown}/{model}", answer) for answer in answers)


def page_counts(batch: Batch, assignments: Collection[int]) -> dict[int, dict[str, int]]:
    """By assignment the counts of its page, over all revisions; no query unless the batch counts."""
    if not batch.counts_pasting:
        return {}
    rows = WorkerResponse.objects.filter(assignment__in=assignments, page_counts__isnull=False)
    found: defaultdict[int, list[dict[str, int]]] = defaultdict(list)
    for assignment, counts in rows.order_by("pk").values_list("assignment", "page_counts"):
        found[assignment].append(counts or {})
    return {assignment: total(counts) for assignment, counts in found.items()}


def figures_without(
    hits: Iterable[HitWithResponses], task: TaskType, options: Any, seed: int, *, marked: Collection[str]
) -> JSON:
    """What the report shows of the figures without those workers: the human score of each dataset, or all tables."""
    rows = (replace(row, given=tuple(each for each in row.given if each.worker not in marked)) for row in hits)
    content = task.report(rows, options, seed=seed)
    if not content.get("datasets"):
        return {"tables": content.get("tables") or []}
    datasets = {name: _human_score(study) for name, study in content["datasets"].items()}
    return {"k": content["k"], "datasets": datasets}


def _human_score(study: JSON) -> JSON:
    return {"n": study["n"]} | {part: {"human_score": study[part]["human_score"]} for part in ("answer", "support")}
