"""Filter the HITs and assignments of a batch by hops, shape, dataset, day or worker.

A part of a batch is in URLs and, as the key of a report, of database rows; both use the same text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, F, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThan

from annotation.flow.batches import cached_figures, hidden_gold
from annotation.flow.lists import ListFilter
from annotation.models import Assignment, Batch, Hit, Item, Project, WorkerResponse, clock
from annotation.models.batch import by_disagreement
from annotation.models.fields import to_text
from annotation.pure.setting_fields import setting, settings_of
from annotation.recruitment import used
from annotation.registry import task_type
from annotation.tasktype import capabilities

TIES = ("expected", "random")
ONLY = ("several", "labelled", "answerable")  # two responses or more; a label in the source; not "unanswerable" there
STATES = {
    "open": Q(excluded_at__isnull=True) & (Q(room__gt=0) | Q(live__gt=0)),
    "done": Q(room__lte=0, live=0, excluded_at__isnull=True),
    "excluded": Q(excluded_at__isnull=False),
}


@dataclass(frozen=True)
class ReportPart(ListFilter):
    """Part of a batch; all of it by default."""

    dataset: str = setting("", length=100)
    hops: int | None = setting(None, least=1, most=100)
    shape: str = setting("", length=60)
    since: date | None = setting(None, help="Responses submitted on this day (UTC) or later.")
    until: date | None = setting(None, help="Responses submitted on this day (UTC) or earlier.")
    ties: str = setting(
        "",
        help="Ties in the human score of `answer`: the expected value, or one at random by the batch's seed.",
        choices={rule: rule for rule in TIES},
    )
    pooled: bool = setting(False, help="Of a batch with suggestions: count responses that started with one, too.")


@dataclass(frozen=True)
class BatchPart(ReportPart):
    """A filter of a batch's HITs; by default all. `since` and `until` are days in UTC, both included."""

    worker: str = setting("", length=100)  # a pseudonym
    label: str = setting("", length=100)  # label of a response, as its task type counts it
    differing: bool = setting(False)  # only HITs with differing answers
    counted: bool = setting(False)  # only HITs that figures count: none excluded
    only: str = setting("", choices={only: only for only in ONLY})

    @property
    def is_part(self) -> bool:
        """Whether the filter excludes any HITs."""
        return bool(replace(self, ties="", pooled=False).query)

    @property
    def of_report(self) -> BatchPart:
        """The filter with only the fields that a report can be restricted to."""
        return BatchPart(**{name: getattr(self, name) for name in settings_of(ReportPart)})

    def narrowed(self, parts: Mapping[str, str]) -> BatchPart:
        """This filter with the fields set in `parts` replaced."""
        other = BatchPart.of(parts)
        return replace(self, **{name: getattr(other, name) for name in other.query})


@dataclass(frozen=True)
class HitFilter(ListFilter):
    """Filters of a batch's HITs."""

    order = ("pk",)
    VALUE_ALIASES = {"state": {"void": "excluded", "finished": "done", "unfinished": "open"}}

    q: str = setting("", help="Text in the question, or an exact id.", length=200)
    state: str = setting("", choices={state: state for state in STATES})
    dataset: str = setting("", length=100, column="item__dataset__slug")
    hops: int | None = setting(None, least=0, most=100, column="item__hops")
    shape: str = setting("", length=60, column="item__shape")
    disagreement: float | None = setting(
        None, help="At least this, as of the last report.", least=0, most=1, column="disagreement__gte"
    )
    checks: bool = setting(False, help="Hidden gold instead of the batch's own HITs.")

    def narrow(self, project: Project, rows: QuerySet[Hit]) -> QuerySet[Hit]:
        if self.q:
            # with the datasets an index finds the id; without them every id would be compared
            known = Item.every.filter(dataset__project=project, source_id=self.q).values_list("dataset", flat=True)
            called = Q(item__source_id=self.q, item__dataset__in=set(known))
            rows = rows.filter(Q(item__question__icontains=self.q) | called)
        return super().narrow(project, rows.filter(STATES.get(self.state, Q())))

    def hits(self, batch: Batch) -> QuerySet[Hit]:
        """The batch's HITs that match."""
        rows = batch.hits.filter(check_item=True) if self.checks else hidden_gold.hits_without_checks(batch)
        return self.narrow(batch.project, rows)


@dataclass(frozen=True, slots=True)
class Parts:
    """The values by which a batch can be filtered."""

    datasets: list[str]
    hops: list[int]
    shapes: list[str]


PARTS_KEPT = 3600  # seconds


def parts_of(batch: Batch) -> Parts:
    """The datasets, numbers of hops and shapes of its HITs, distinct and in order.

    Kept for an hour or until items are added: finding them reads every HIT and item.
    """
    key = f"parts/{batch.pk}/{batch.created_at.timestamp()}/{batch.size}"
    return Parts(**cast(dict[str, Any], cache.get_or_set(key, lambda: _parts(batch), PARTS_KEPT)))


@cached_figures.cached_figure("parts")
def _parts(batch: Batch) -> dict[str, list[Any]]:
    rows = batch.hits.filter(check_item=False).order_by()
    found = list(rows.values_list("item__dataset__slug", "item__hops", "item__shape").distinct())
    return {
        "datasets": sorted({dataset for dataset, _hops, _shape in found}),
        "hops": sorted({hops for _dataset, hops, _shape in found if hops}),
        "shapes": sorted({shape for _dataset, _hops, shape in found if shape}),
    }


def of_items(part: BatchPart, *, before: str = "") -> Q:
    """The filter as a condition on HITs; `before` is the path to the HIT."""
    columns = {
        "item__dataset__slug": part.dataset or None,
        "item__hops": part.hops,
        "item__shape": part.shape or None,
    }
    found = Q(**{before + name: value for name, value in columns.items() if value is not None})
    if part.only == "labelled":
        found &= Q(**{f"{before}item__answerable__isnull": False})
    if part.only == "answerable":
        found &= ~Q(**{f"{before}item__answerable": False})
    return found & Q(GreaterThan(by_disagreement(f"{before}disagreement"), 0.0)) if part.differing else found


def is_within(part: BatchPart, moment: datetime | None) -> bool:
    """Whether the time is within the filter's days."""
    if moment is None or not (part.since or part.until):
        return True
    day = moment.astimezone(UTC).date()
    return (part.since or date.min) <= day <= (part.until or date.max)


def assignments_in(batch: Batch, part: BatchPart, rows: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Filter `rows`, assignments of the batch, by `part`."""
    rows = rows.filter(of_items(part, before="hit__"), clock.within_days("submitted_at", part.since, part.until))
    if part.counted:
        rows = rows.filter(hit__excluded_at__isnull=True, hit__check_item=False)
        rows = rows if part.pooled else used(batch, rows)
    if part.worker:
        rows = rows.filter(worker=_worker(batch, part.worker))
    return rows.filter(pk__in=_responses_labelled(batch, part.label)) if part.label else rows


def hits_in(batch: Batch, part: BatchPart, rows: QuerySet[Hit]) -> QuerySet[Hit]:
    """Filter `rows`, HITs of the batch, by `part`; its conditions on responses need at least one such response."""
    rows = rows.filter(of_items(part))
    if not (part.worker or part.label or part.since or part.until or part.counted or part.only == "several"):
        return rows
    submitted = assignments_in(batch, replace(part, only=""), batch.assignments.submitted()).order_by().values("hit")
    if part.only == "several":
        submitted = submitted.annotate(given=Count("pk")).filter(given__gt=1).values("hit")
    return rows.filter(pk__in=submitted)


def pseudonyms(batch: Batch) -> dict[str, int]:
    """Everybody with an assignment in the batch, by pseudonym; cached if it is large."""
    return {batch.project.pseudonym(pk): pk for pk in _workers(batch)}


@cached_figures.cached_figure("pseudonyms")
def _workers(batch: Batch) -> list[int]:
    return list(batch.assignments.order_by().values_list("worker", flat=True).distinct())


def _worker(batch: Batch, name: str) -> int | None:
    """The worker's key, from a pseudonym or a key; None if there is none."""
    own = pseudonyms(batch).get(name)
    if own is None and name.isascii() and name.isdigit() and len(name) < 16:
        return int(name)
    if own is None and cached_figures.cached_at(batch):  # they may have come since
        return next((pk for pk in batch.project.workers_called(name) if batch.project.pseudonym(pk) == name), None)
    return own


def _responses_labelled(batch: Batch, label: str) -> QuerySet[WorkerResponse, Any]:
    """Submitted assignments whose response has this label; none for a label that the task does not know.

    It searches the stored JSON text, which is compact and escapes quotes, so that no free text can look like a field.
    """
    definition = capabilities.labels(task_type(batch.task)).get(label)
    latest = WorkerResponse.objects.filter(assignment__batch=batch, revision=F("assignment__revision"))
    if definition is None:
        return latest.none().values("assignment")
    rows = latest.annotate(text=Cast("answer", TextField()))
    for name, value in definition.holds.items():
        rows = rows.filter(text__contains=to_text({name: value})[1:-1])
    return rows.values("assignment")
