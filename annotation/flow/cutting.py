"""The HITs and assignments of a batch that lie in a cut (annotation/pure/cuts.py), and what a batch can be cut by."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import Answer, Assignment, Batch, Hit
from annotation.models.fields import to_text
from annotation.pure.cuts import Cut
from annotation.registry import task_type


@dataclass(frozen=True, slots=True)
class Parts:
    """What the items of a batch differ in."""

    datasets: list[str]
    hops: list[int]
    shapes: list[str]


def parts_of(batch: Batch) -> Parts:
    """The datasets, numbers of hops and shapes of its HITs, each once and in order."""
    rows = batch.hits.filter(check_item=False).order_by()
    found = list(rows.values_list("item__dataset__slug", "item__hops", "item__shape").distinct())
    return Parts(
        sorted({dataset for dataset, _hops, _shape in found}),
        sorted({hops for _dataset, hops, _shape in found if hops}),
        sorted({shape for _dataset, _hops, shape in found if shape}),
    )


def of_items(cut: Cut, *, before: str = "") -> Q:
    """What a cut asks of the HIT; `before` is the way to it."""
    wanted: dict[str, Any] = {}
    if cut.dataset:
        wanted["item__dataset__slug"] = cut.dataset
    if cut.hops is not None:
        wanted["item__hops"] = cut.hops
    if cut.shape:
        wanted["item__shape"] = cut.shape
    if cut.differing:
        wanted["disagreement__gt"] = 0
    return Q(**{before + name: value for name, value in wanted.items()})


def of_days(cut: Cut) -> Q:
    """What a cut asks of the time when an assignment was submitted."""
    found = Q()
    if cut.since:
        found &= Q(submitted_at__gte=_midnight(cut.since))
    if cut.until and cut.until < date.max:
        found &= Q(submitted_at__lt=_midnight(cut.until + timedelta(days=1)))
    return found


def is_within(cut: Cut, moment: datetime | None) -> bool:
    """Whether something that happened then lies in the days of the cut."""
    if moment is None or not (cut.since or cut.until):
        return True
    day = moment.astimezone(UTC).date()
    return (cut.since or date.min) <= day <= (cut.until or date.max)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def assignments_in(batch: Batch, cut: Cut, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Those of `rows` (assignments of the batch) that lie in the cut."""
    rows = rows.filter(of_items(cut, before="hit__"), of_days(cut))
    if cut.counted:
        rows = rows.filter(hit__voided_at__isnull=True, hit__check_item=False)
    if cut.worker:
        rows = rows.filter(worker=_worker(batch, cut.worker))
    return rows.filter(pk__in=_saying(batch, cut.label)) if cut.label else rows


def hits_in(batch: Batch, cut: Cut, rows: QuerySet[Hit]) -> QuerySet[Hit]:
    """Those of `rows` (HITs of the batch) that lie in the cut: the answers it asks for must be there."""
    rows = rows.filter(of_items(cut))
    if not (cut.worker or cut.label or cut.since or cut.until or cut.counted):
        return rows
    submitted = batch.assignments.submitted()
    return rows.filter(pk__in=assignments_in(batch, cut, submitted).order_by().values("hit"))


def pseudonyms(batch: Batch) -> dict[str, int]:
    """Everybody who has an assignment in the batch, by their pseudonym."""
    workers = batch.assignments.order_by().values_list("worker", flat=True).distinct()
    return {batch.project.pseudonym(pk): pk for pk in workers}


def _worker(batch: Batch, said: str) -> int | None:
    """By pseudonym or by key; None is nobody."""
    own = pseudonyms(batch).get(said)
    if own is None and said.isascii() and said.isdigit() and len(said) < 16:
        return int(said)
    return own


def _saying(batch: Batch, label: str) -> QuerySet[Answer]:
    """The submitted assignments whose answer decides so; none for a decision that the task does not know.

    JSON at rest is compact text, in which no text that somebody wrote can look like a field.
    """
    said = task_type(batch.task).labels.get(label)
    latest = Answer.objects.filter(assignment__batch=batch, revision=F("assignment__revision"))
    if said is None:
        return latest.none().values("assignment")
    rows = latest.annotate(text=Cast("answer", TextField()))
    for name, value in said.holds.items():
        rows = rows.filter(text__contains=to_text({name: value})[1:-1])
    return rows.values("assignment")
