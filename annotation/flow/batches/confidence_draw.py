"""The draw of a batch's sample by a model's confidence, and the predictions that it rests on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Max, Q
from django.utils.translation import gettext as _

from annotation.models import Batch, BatchModel, ModelPrediction
from annotation.registry import task_type
from annotation.tasktype import Judging, TaskType, capabilities

CHUNK = 500


@dataclass(frozen=True, slots=True)
class CombinedPrediction:
    """A model's runs on an item as one response.

    `confidence`: the mean of what the model gave, else the share of runs that agree; None of a single run without.
    """

    item_id: int
    answer: dict[str, Any]
    confidence: float | None
    runs: int


@dataclass(frozen=True, slots=True)
class Confidences:
    """A model's confidences by item, and the key of its last prediction."""

    model: BatchModel
    by_item: Mapping[int, float]
    last: int

    @property
    def lacking(self) -> str:
        """Why an item without a confidence cannot be drawn."""
        return _("%(model)s has no confidence for it.") % {"model": self.model.name}


def unfit(task: TaskType, options: Any, sample: int | None) -> str:
    """Why the items of a batch with these settings cannot be drawn by confidence, or ""."""
    if not isinstance(task, Judging) or not task.judged(options):
        return _(
            "A sample by confidence is for figures of people and a model, which this task does not have. Its own, such "
            "as the human score and the upper bound, need a uniform sample."
        )
    if capabilities.single(task, options) or capabilities.samples_groups(task, options):
        return _("This task draws groups of items, and a model has a confidence only in single items.")
    return "" if sample else _("Enter how many items to draw.")


def confident_models(batch: Batch) -> list[BatchModel]:
    """The models with a confidence for some item, given or from several runs, by name."""
    is_sure = Q(predictions__confidence__isnull=False) | Q(predictions__run__gt=1)
    return list(batch.models.filter(is_sure).distinct().order_by("name"))


def confidences_of(batch: Batch) -> Confidences | str:
    """The confidences by which a launch now would draw, or the reason why it cannot."""
    found = confident_models(draft) if (draft := batch.predicted_for or batch).pk else []
    if not found:
        return _(
            "To draw by confidence, save the draft and import a model’s predictions with their confidence, or ask a "
            "model several times, before you launch it."
        )
    if len(found) > 1:
        text = _("Several models have a confidence (%(models)s). Delete the predictions of all but one to draw by it.")
        return text % {"models": ", ".join(model.name for model in found)}
    rows = predictions_of(draft, found[0].name)
    by_item = {one.item_id: one.confidence for one in rows if one.confidence is not None}
    return Confidences(found[0], by_item, found[0].predictions.aggregate(last=Max("pk"))["last"])


def frame_of(batch: Batch) -> tuple[str, set[int]]:
    """The model by whose confidence a launched batch's items were drawn, and the items that could be drawn."""
    model = batch.models.get(drew_up_to__isnull=False)
    return model.name, set(model.predictions.filter(pk__lte=model.drew_up_to).values_list("item", flat=True))


def predictions_of(batch: Batch, model: str) -> Iterator[CombinedPrediction]:
    """A model's prediction for each item, by the item's key; memory does not grow with their number."""
    task = task_type(batch.task)
    options = task.options(batch.options)
    rows = ModelPrediction.objects.filter(model__batch=batch, model__name=model).order_by("item", "run")
    columns = rows.values_list("item_id", "answer", "confidence").iterator(chunk_size=CHUNK)
    for item, runs in groupby(columns, itemgetter(0)):
        _items, answers, confidences = zip(*runs, strict=True)
        answer, share = answers[0], None
        if len(answers) > 1:
            answer, share = capabilities.combined(task, options, answers)
        given = [one for one in confidences if one is not None]
        yield CombinedPrediction(item, answer, sum(given) / len(given) if given else share, len(answers))
