"""Comparisons of batches, datasets, or workers and models, chosen by checkboxes in the query string."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.reports import comparisons
from annotation.models import Batch, Dataset, Project
from annotation.operations.downloads import download
from annotation.pure.people import roles
from annotation.pure.reports.charts import Dots, Series
from annotation.pure.reports.comparison import answerer_tables, chart_of, dataset_tables
from annotation.pure.reports.explanations import chapter
from annotation.pure.reports.svg import as_file
from annotation.registry import task_type
from annotation.views.access import Request, member_action, member_page
from annotation.views.batches.batch_page import is_folded
from annotation.views.post_handling import enqueue_and_redirect
from annotation.views.reports.drilldown_links import BatchesDrilldownLinks, DrilldownLinks
from annotation.views.reports.figure_notes import FigureNotes, in_words
from annotation.views.reports.report_display import shown_chart
from annotation.views.reports.report_files import SVG, table_file
from annotation.views.reports.report_tables import shown_table


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison's tables and chart; `choices`: the batches, workers or models to compare."""

    of: str
    choices: Any
    chosen: frozenset[str]
    tables: list[dict[str, Any]]
    chart: Dots | None = None
    batch: Batch | None = None
    too_many: bool = False
    ways: DrilldownLinks | BatchesDrilldownLinks | None = None  # behind the numbers
    folded: tuple[Batch, ...] = ()  # chosen, but their scores stay folded
    refused: tuple[Batch, ...] = ()  # chosen, but drawn by confidence
    by_job: tuple[Batch, ...] = ()  # too large to compare for a page
    compared_at: datetime | None = None  # by a job


@member_page(roles.SEE)
def compare(request: Request, project: Project) -> HttpResponseBase:
    """The comparison of the query string; without a choice, the choices."""
    compared = _compared(request, project)
    query = f"?{request.GET.urlencode()}"

    def address(name: str, suffix: str) -> str:
        return reverse("compare-table", args=[project.slug, name, suffix]) + query

    notes = FigureNotes((chapter("comparison"),), lambda kind, _study: _rows_of(compared, kind, project))
    chart_url = reverse("compare-chart", args=[project.slug]) + query
    chart = compared.chart and shown_chart(compared.chart, chart_url, notes)
    context = {
        "project": project,
        "section": "compare",
        "compared": compared,
        "tables": [shown_table(table, compared.ways, address, notes) for table in compared.tables],
        "chart": chart,
        "most": comparisons.MOST,
        "tabs": _tabs(project, compared.of),
    }
    return render(request, "reports/compare.html", context)


def _rows_of(compared: Compared, kind: str, project: Project) -> list[dict[str, Any]]:
    """The HITs behind each batch's figures, or behind those of workers and models; the items of each dataset."""
    own = next((table for table in compared.tables if table["name"] == kind), None)
    if own is None or not own["rows"]:
        return [{"text": in_words(kind, None), "url": ""}]
    if kind == "datasets":
        named = zip(own["columns"][1:], own["rows"][0][1:], strict=True)
        return [{"text": f"{name}: {n}", "url": reverse("dataset", args=[project.slug, name])} for name, n in named]
    if not isinstance(compared.ways, BatchesDrilldownLinks):
        return [{"text": in_words(kind, None), "url": compared.ways.to({}) if compared.ways else ""}]
    return [
        {"text": f"{row[0]}: {in_words('items', row[2])}", "url": compared.ways.to_items(of["batch"], row[2])}
        for row, of in zip(own["rows"], own["of"], strict=True)
    ]


@member_page(roles.SEE)
def compare_table(request: Request, project: Project, name: str, suffix: str) -> HttpResponseBase:
    """A table of the comparison as a file."""
    tables = {table["name"]: table for table in _compared(request, project).tables}
    return table_file(request, project, tables.get(name), suffix, name=f"{project.slug}-{name}")


@member_page(roles.SEE)
def compare_chart(request: Request, project: Project) -> HttpResponseBase:
    """The chart of the comparison as SVG."""
    chart = _compared(request, project).chart
    if chart is None:
        raise Http404
    return download(as_file(chart), name=f"{project.slug}-comparison.svg", kind=SVG)


def _tabs(project: Project, here: str) -> list[dict[str, Any]]:
    url = reverse("compare", args=[project.slug])
    named = {"batches": _("Batches"), "datasets": _("Datasets"), "answerers": _("Workers and models")}
    return [{"url": f"{url}?of={of}", "label": label, "here": of == here} for of, label in named.items()]


def _compared(request: Request, project: Project) -> Compared:
    of = request.GET.get("of", "")
    wanted = {text.replace("\0", "") for text in request.GET.getlist("one")}
    ways = {"datasets": _datasets, "answerers": _answerers}
    return ways.get(of, _batches)(request, project, wanted)


def _batches(request: Request, project: Project, wanted: set[str]) -> Compared:
    """Batches of one task: that of the first chosen one."""
    by_task = comparisons.comparable(project)
    chosen = next((some for some in ([b for b in of if b.slug in wanted] for of in by_task.values()) if some), [])
    few = chosen[: comparisons.MOST]
    refused = tuple(batch for batch in few if batch.is_by_confidence)
    folded = tuple(batch for batch in few if batch not in refused and is_folded(request, batch))
    shown = tuple(batch for batch in few if batch not in (*refused, *folded))
    is_large = comparisons.is_large(shown)
    job = comparisons.last_compared(project, shown) if is_large else None
    found = job.result if job else comparisons.compared(() if is_large else shown)
    return Compared(
        "batches",
        [(_(task_type(task).title), of) for task, of in by_task.items()],
        frozenset(batch.slug for batch in chosen),
        found["tables"],
        found["chart"] and _chart(found["chart"]),
        too_many=len(chosen) > comparisons.MOST,
        ways=BatchesDrilldownLinks(chosen),
        folded=folded,
        refused=refused,
        by_job=shown if is_large else (),
        compared_at=job.ended_at if job else None,
    )


def _chart(stored: dict[str, Any]) -> Dots:
    """The stored chart of a comparison, in the reader's language."""
    series = (Series(_(one["label"]), tuple(map(_point, one["points"]))) for one in stored["series"])
    return Dots(**stored | {"title": _(stored["title"]), "groups": tuple(stored["groups"]), "series": tuple(series)})


def _point(stored: list[float] | None) -> Any:
    return None if stored is None else tuple(stored)


@member_action(roles.SEE)
def compare_by_job(request: Request, project: Project) -> HttpResponseBase:
    """Start the job that compares the large batches of the query string; 404 for others."""
    some = _batches(request, project, set(request.GET.getlist("one"))).by_job
    if not some:
        raise Http404
    title = _("Comparison of %(batches)s") % {"batches": ", ".join(batch.slug for batch in some)}
    arguments = comparisons.job_arguments(some)
    return enqueue_and_redirect(request, comparisons.KIND, title[:300], arguments, project=project)


def _datasets(request: Request, project: Project, wanted: set[str]) -> Compared:
    rows = list(Dataset.objects.whole().filter(project=project).order_by("slug"))
    chosen = [row for row in rows if row.slug in wanted]
    facts = comparisons.datasets(chosen[: comparisons.MOST])
    facts = [{**row, "name": row["dataset"].slug, "licence": row["dataset"].licence} for row in facts]
    tables = dataset_tables(facts) if facts else []
    names, too_many = frozenset(row.slug for row in chosen), len(chosen) > comparisons.MOST
    return Compared("datasets", rows, names, tables, too_many=too_many)


def _answerers(request: Request, project: Project, wanted: set[str]) -> Compared:
    """Workers and models of a batch, beside all its workers together."""
    slug = request.GET.get("batch", "").replace("\0", "")
    batches = [batch for of in comparisons.comparable(project).values() for batch in of]
    batch = next((batch for batch in batches if batch.slug == slug), batches[0] if batches else None)
    if batch is None:
        return Compared("answerers", {"batches": []}, frozenset(), [])
    people, models = comparisons.contenders(batch)
    names = [name for name, _count in people if name in wanted], [name for name in models if f"model:{name}" in wanted]
    chosen = [*names[0], *(f"model:{name}" for name in names[1])]
    few = names[0][: comparisons.MOST], names[1][: max(0, comparisons.MOST - len(names[0]))]
    refused = (batch,) if chosen and batch.is_by_confidence else ()
    folded = (batch,) if chosen and not refused and is_folded(request, batch) else ()
    measured = comparisons.answerers(batch, *few) if chosen and not folded and not refused else []
    return Compared(
        "answerers",
        {"batches": batches, "people": people, "models": models},
        frozenset(chosen),
        answerer_tables(measured) if measured else [],
        chart_of(measured, _("Workers and models compared"), _) if measured else None,
        batch=batch,
        too_many=len(chosen) > comparisons.MOST,
        ways=DrilldownLinks(batch, BatchPart()),
        folded=folded,
        refused=refused,
    )
