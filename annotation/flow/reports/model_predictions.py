"""Models' predictions for a batch's task, of any item of its datasets; kept apart from people's responses."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.flow.batches.batch_launch import SHOWING, prepared
from annotation.flow.batches.suggestions import models_of
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log
from annotation.models import Batch, BatchModel, Hit, Item, ModelPrediction
from annotation.registry import task_type

CHUNK = 500
COLUMNS = ("run", "answer", "confidence", "cost")


def models_with_counts(batch: Batch) -> QuerySet[Any]:
    """The batch's models with `items` and `runs` (how many), and `cost` (US dollars; None if it is not known)."""
    made = {name: Count(f"predictions__{name[:-1]}", distinct=True) for name in ("items", "runs")}
    return batch.models.annotate(**made, cost=Sum("predictions__cost"))


def version_of(batch: Batch) -> list[Any]:
    """Values that change when predictions for the batch are stored or deleted."""
    found = ModelPrediction.objects.filter(model__batch=batch).aggregate(last=Max("pk"), count=Count("pk"))
    return [found["last"], found["count"]]


def payloads_of(batch: Batch, items: Iterable[int]) -> dict[int, dict[str, Any]]:
    """By item what workers are, or would be, shown: of its HIT, else prepared as at the launch; unusable ones not."""
    keys, task = list(items), task_type(batch.task)
    found = dict(Hit.objects.filter(batch=batch, item__in=keys).values_list("item", "payload"))
    options = task.options(batch.options)
    others = Item.every.filter(pk__in=[key for key in keys if key not in found]).select_related("dataset")
    for item in others.defer("dataset__report", "dataset__features"):
        if (payload := prepared(batch, item, item.example, options)) is not None:
            found[item.pk] = payload
    return found


@transaction.atomic
def store_predictions(batch: Batch, model: str, rows: Iterable[Mapping[str, Any]], *, asked: bool = False) -> int:
    """Store checked predictions and return how many are new; those that are there already change nothing.

    Each row: `item` (key), `run` (from 1) and `answer` as `checked_answer` returned it; perhaps `confidence`, `cost`.
    `asked`: by a run that asks the model. Raises Refused if the model has another answer to an item in the same run, if
    one name would have both asked and imported predictions, and if the draft was changed since the rows were checked.
    """
    # Lock: two imports of the same model would each find nothing stored. The bin's batches can be restored.
    now = Batch.everything.select_for_update(no_key=True).get(pk=batch.pk)
    if any(getattr(now, name) != getattr(batch, name) for name in SHOWING):
        raise Refused(_("This batch was changed in the meantime, so nothing was stored. Try again."))
    found, _made = BatchModel.objects.get_or_create(batch=batch, name=model, defaults={"asked": asked})
    if found.asked != asked:
        text = _("%(model)s was asked here; predictions made elsewhere need another name.")
        raise Refused(text % {"model": model})
    source, stored = iter(rows), 0
    while some := list(islice(source, CHUNK)):
        there = found.predictions.filter(item__in={row["item"] for row in some})
        known = {(item, run): answer for item, run, answer in there.values_list("item", "run", "answer")}
        new = []
        for row in some:
            place = row["item"], row["run"]
            if place not in known:
                known[place] = row["answer"]
                new.append(ModelPrediction(model=found, item_id=row["item"], **{k: row.get(k) for k in COLUMNS}))
            elif known[place] != row["answer"]:
                text = _(
                    "%(model)s already has another prediction for an item in run %(run)s. "
                    "Use another run number or another name."
                )
                raise Refused(text % {"model": model, "run": row["run"]})
        stored += len(ModelPrediction.objects.bulk_create(new))
    return stored


@transaction.atomic
def delete_predictions(batch: Batch, model: str) -> int:
    """Erase a model's predictions for the batch, and its run here with the calls; returns their number.

    Raises Refused for an unknown model, and for the one by whose confidence the batch's items were drawn.
    """
    # Lock: in the order of a run that stores an answer, so that neither waits for the other.
    Batch.everything.select_for_update(no_key=True).get(pk=batch.pk)
    found = BatchModel.objects.filter(batch=batch, name=model).first()
    if found and found.drew_up_to is not None:
        text = _("The items of %(batch)s were drawn by the confidence of %(model)s, so its predictions stay.")
        raise Refused(text % {"batch": batch.slug, "model": model})
    if found is None:
        names = ", ".join(models_of(batch)) or _("none")
        text = _("%(batch)s has no predictions of %(model)s. Models with predictions: %(names)s.")
        raise Refused(text % {"batch": batch.slug, "model": model, "names": names})
    number = found.predictions.count()
    found.delete()
    audit_log.record("predictions deleted", batch, model=model, number=number)
    return number
