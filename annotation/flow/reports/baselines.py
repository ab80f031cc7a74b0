"""Baselines of a batch's scores: answers to its questions by workers and models that were shown less."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Q

from annotation.flow.work.across_batches import latest_responses
from annotation.models import Batch, Hit, Prediction, WorkerResponse
from annotation.registry import task_type
from annotation.tasktype import JSON, Baselined, Baselines


def batches_of(batch: Batch) -> list[Batch]:
    """The project's batches with baselines of this batch, by key: of its task, on the same or on derived datasets."""
    task = task_type(batch.task)
    if not isinstance(task, Baselined):
        return []
    roots = {root or pk for pk, root in batch.datasets.values_list("pk", "root")}
    alike = Q(datasets__in=roots) | Q(datasets__root__in=roots)
    others = Batch.objects.filter(alike, project=batch.project_id, task=batch.task, launched_at__isnull=False)
    found = others.exclude(pk=batch.pk).distinct().order_by("pk").prefetch_related("datasets")
    return [other for other in found if task.is_baseline(task.options(other.options), derived=_is_derived(other))]


def _is_derived(batch: Batch) -> bool:
    return any(dataset.lineage for dataset in batch.datasets.all())


def answers_of(batch: Batch, others: Collection[Batch], hits: Sequence[Hit]) -> dict[int, Baselines]:
    """By HIT the answers of people in those other batches, and of models that were shown less than the item.

    Of people, the latest revision of each response. Left out are excluded HITs, hidden gold, responses that figures
    may not use, and those of workers who answered the question in this batch too.
    """
    task = task_type(batch.task)
    if not isinstance(task, Baselined):
        return {}
    found: dict[int, defaultdict[tuple[str, str], list[JSON]]] = {hit.pk: defaultdict(list) for hit in hits}
    responses = _responses(batch, others, {hit.group_key for hit in hits}) if others else {}
    for hit in hits:
        for response in responses.get(hit.group_key, ()):
            if shown := task.baseline(hit.payload, hit.item.example, response.assignment.hit.payload):
                found[hit.pk][shown, ""].append(response.answer)
    by_item = {hit.item_id: hit for hit in hits}
    predictions = Prediction.objects.of_baselines().filter(item__in=by_item).select_related("prediction_set")
    for prediction in predictions.order_by("pk"):
        hit, source = by_item[prediction.item_id], prediction.prediction_set
        found[hit.pk][source.shown, source.model].append(task.complete(hit.payload, prediction.content))
    return {pk: {key: tuple(answers) for key, answers in named.items()} for pk, named in found.items()}


def _responses(batch: Batch, others: Collection[Batch], groups: Collection[str]) -> dict[str, list[WorkerResponse]]:
    """By group the responses of workers who answered none of its questions in the batch itself."""
    own = set(batch.assignments.submitted().filter(group_key__in=groups).values_list("group_key", "worker"))
    rows = latest_responses(others, groups).filter(assignment__hit__check_item=False)
    found: defaultdict[str, list[WorkerResponse]] = defaultdict(list)
    for response in rows.order_by("assignment__submitted_at", "assignment"):
        assignment = response.assignment
        if (assignment.group_key, assignment.worker_id) not in own:
            found[assignment.group_key].append(response)
    return found
