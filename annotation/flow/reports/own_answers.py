"""The evidence of a batch's report that answers are people's own: what is collected, and the scores without some."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from annotation.models import Batch, WorkerResponse
from annotation.pure.batches.page_counts import total
from annotation.pure.statistics.own_answers import OwnAnswers
from annotation.tasktype import JSON, Answered, Judged, TaskType


def has_evidence(batch: Batch, task: TaskType) -> bool:
    return batch.counts_pasting or isinstance(task, Answered)


def collect(own: OwnAnswers, task: TaskType, judged: Judged) -> None:
    """Add a HIT's responses and predictions; excluded HITs say nothing."""
    if judged.excluded:
        return
    words = task.least_words(judged.payload, judged.example) if isinstance(task, Answered) else None
    for given in judged.given:
        wrong, counts = _wrong(task, judged, given.answer), given.counts
        own.add(judged.hit, given.worker, wrong=wrong, seconds=given.seconds, words=words, counts=counts)
    for model, answer in _predictions(judged):
        own.add_prediction(judged.hit, model, _wrong(task, judged, answer))


def _wrong(task: TaskType, judged: Judged, answer: JSON) -> str | None:
    if not isinstance(task, Answered):
        return None
    return task.wrong_answer(judged.payload, answer, judged.example, format=judged.format)


def _predictions(judged: Judged) -> Iterable[tuple[str, JSON]]:
    """(what the model was shown, "" for the item, and its name; its answer)."""
    yield from ((f"/{each.worker}", each.answer) for each in judged.predicted)
    for (shown, model), answers in judged.baselines.items():
        if model:
            yield from ((f"{shown}/{model}", answer) for answer in answers)


def page_counts(batch: Batch, assignments: Collection[int]) -> dict[int, dict[str, int]]:
    """By assignment the counts of its page, over all revisions; no query unless the batch counts."""
    if not batch.counts_pasting:
        return {}
    rows = WorkerResponse.objects.filter(assignment__in=assignments, page_counts__isnull=False)
    found: defaultdict[int, list[dict[str, int]]] = defaultdict(list)
    for assignment, counts in rows.order_by("pk").values_list("assignment", "page_counts"):
        found[assignment].append(counts)
    return {assignment: total(counts) for assignment, counts in found.items()}


def figures_without(
    judged: Iterable[Judged], task: TaskType, options: Any, seed: int, *, marked: Collection[str]
) -> JSON:
    """What the report shows of the figures without those workers: the human score of each dataset, or all tables."""
    rows = (replace(row, given=tuple(each for each in row.given if each.worker not in marked)) for row in judged)
    content = task.report(rows, options, seed=seed)
    if not content.get("datasets"):
        return {"tables": content.get("tables") or []}
    datasets = {name: _human_score(study) for name, study in content["datasets"].items()}
    return {"k": content["k"], "datasets": datasets}


def _human_score(study: JSON) -> JSON:
    return {"n": study["n"]} | {part: {"human_score": study[part]["human_score"]} for part in ("answer", "support")}
