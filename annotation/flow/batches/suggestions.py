"""A batch that shows suggestions: which answer of the model a HIT has, and why a batch can show none."""

from collections.abc import Collection, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, cast

from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.models import Batch, ModelPrediction
from annotation.models.fields import to_text
from annotation.pure.statistics.agreement import most_frequent
from annotation.registry import task_type
from annotation.tasktype import JSON, Rated, capabilities


def models_of(batch: Batch) -> list[str]:
    """The models with predictions for the batch, sorted."""
    return sorted(batch.models.values_list("name", flat=True))


def suggestions_of(batch: Batch, items: Collection[int]) -> dict[int, JSON]:
    """The answer of the batch's model by item, of several runs the most frequent; without items that it did not answer.

    An unsaved batch, whose predictions are unknown, counts with one for each item.
    """
    if not batch.suggest:
        return {}
    if batch.pk is None:
        return {item: {} for item in items}
    rows = ModelPrediction.objects.filter(model__batch=batch, model__name=batch.suggest, item__in=items)
    by_item = groupby(rows.order_by("item", "run").values_list("item_id", "answer"), itemgetter(0))
    return {item: _most_frequent(batch, [answer for _item, answer in runs]) for item, runs in by_item}


def _most_frequent(batch: Batch, answers: list[JSON]) -> JSON:
    task = task_type(batch.task)
    if isinstance(task, Rated):  # whose mean of several runs may be no point of a scale
        return cast(JSON, most_frequent(answers, to_text)[0])
    return capabilities.combined(task, task.options(batch.options), answers)[0]


def obstacle(batch: Batch | None, values: Mapping[str, Any]) -> str:
    """Why a batch with these settings cannot show suggestions; "" if it can, or is to show none. None: a new batch."""
    model = values.get("suggest")
    if not model:
        return ""
    if values.get("marketplace") is not None:
        return _("Only batches for your own workers can show suggestions, not those on a marketplace.")
    if values.get("purpose") == Batch.Purpose.QUALIFICATION:
        return _("Qualification rounds show no suggestions: everybody begins with blank pages.")
    if not capabilities.takes_suggestions(task_type(values["task"])):
        return _("Pages of this task cannot start with an answer: it is asked in steps, or an answer leads to more.")
    names = models_of(batch) if batch else []
    if model not in names:
        text = _(
            "%(model)s has no predictions for this draft. Save the draft without suggestions, import the predictions "
            "or ask the model, then choose it here. Models with predictions: %(names)s."
        )
        return text % {"model": model, "names": ", ".join(names) or _("none")}
    return ""


def check_made(batch: Batch) -> None:
    """Raise Refused if none of the batch's HITs has a suggestion although it is to show them."""
    if batch.suggest and not batch.hits.filter(suggestion__isnull=False).exists():
        text = _("%(model)s has no prediction for any of these items. Import some, or choose no suggestions.")
        raise Refused(text % {"model": batch.suggest})
