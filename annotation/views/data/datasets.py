"""Datasets: the list, a dataset's items by page and its figures, files of it, and deletion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.flow.data import dataset_files, dataset_removal, item_editing, lineage
from annotation.flow.data.lineage import is_for_hidden_gold
from annotation.flow.reports.dataset_documents import DOCUMENTS, stream_document
from annotation.flow.review import comments, gold_looks
from annotation.formats import FORMATS
from annotation.forms.setting_fields import FilterForm
from annotation.models import Dataset, Item, Project
from annotation.operations.downloads import logged_download
from annotation.pure.people import roles
from annotation.pure.reports.dataset_charts import charts_of
from annotation.templatetags.human_format import shape_name
from annotation.views.access import Request, member_page, member_required, requester_action
from annotation.views.data.derivation_report import derived_exhibit, derived_tables, table_address
from annotation.views.data.lineage import ancestry, derived_from
from annotation.views.post_handling import refusal_as_message, see_other, whole_number
from annotation.views.reports.report_files import table_file


def dataset_of(project: Project, name: str) -> Dataset:
    """A complete dataset of the project; 404 for any other."""
    return get_object_or_404(Dataset.objects.whole().select_related("root"), project=project, slug=name)


@require_safe
@member_required(roles.SEE)
def datasets(request: Request, project: Project) -> HttpResponse:
    """List datasets, newest first, with imports under way and deletions that can be undone."""
    kinds = ["import_dataset", "derive_dataset", "remove_dataset"]
    waiting = dataset_removal.under_way(project.jobs.filter(kind__in=kinds))
    wanted = lineage.DatasetFilter.of(request.GET)
    page = wanted.page(wanted.narrow(project, project.datasets.whole()), request.GET)
    context = {
        "project": project,
        "section": "datasets",
        "page": page,
        "filters": FilterForm(wanted),
        "datasets": [(row, derived_from(row)) for row in page],
        "jobs": waiting.order_by("due_at"),
    }
    return render(request, "data/datasets.html", context)


@require_safe
@member_required(roles.SEE)
def dataset(request: Request, project: Project, name: str) -> HttpResponse:
    """A dataset's items, 50 per page, with search and filters, and its figures."""
    row = dataset_of(project, name)
    wanted, changed = item_editing.ItemFilter.of(request.GET), item_editing.change_counts(row)
    items: Any = browse(wanted.narrow(project, row.items.all()), request.GET)
    numbers = comments.numbers_on_items(project, items.items)
    hidden = gold_looks.hidden_positions(row, [each.position for each in items.items], request.user)
    for each in items.items:
        each.number_of_comments = numbers[each.position]
        each.gold_hidden = each.position in hidden
    context: dict[str, Any] = {
        "project": project,
        "section": "datasets",
        "dataset": row,
        "filters": FilterForm(wanted, **_choices(row, changed)),
        "slice": items,
        "changed": changed,
        "formats": sorted(FORMATS.values(), key=lambda kind: kind.name != row.format),
        "batches": row.batches.order_by("-created_at"),
        "descendants": row.descendants.order_by("created_at"),
        "family": ancestry(row),
        "for_hidden_gold": is_for_hidden_gold(row),
        "charts": charts_of(row.features, _),
        "derived": derived_exhibit(row.report, table_address(row)),
        "inputs_of": row.lineage.get("source") if row.lineage.get("how") == "disconnection-inputs" else None,
    }
    return render(request, "data/dataset.html", context)


@require_safe
@member_required(roles.SEE)
def dataset_export(request: Request, project: Project, name: str, format: str) -> HttpResponseBase:
    """Export the dataset in that format; with ?folder the files of its release as one ZIP file."""
    row = dataset_of(project, name)
    folder = "folder" in request.GET
    if format not in FORMATS or (folder and not dataset_files.parted(format)):
        raise Http404
    with refusal_as_message(request):
        if folder:
            blocks = dataset_files.stream_folder(row, format)
        else:
            blocks = dataset_files.stream_dataset(row, format, archived="archived" in request.GET)
        suffix = ".zip" if folder else FORMATS[format].suffix
        return logged_download(request, row, blocks, name=f"{name}.{format}{suffix}")
    return see_other("dataset", project.slug, name)


@requester_action
def dataset_remove(request: Request, project: Project, name: str) -> HttpResponse:
    """Hide the dataset now and erase it later, so that it can be undone."""
    row = dataset_of(project, name)
    with refusal_as_message(request):
        dataset_removal.begin(row, user=request.user)
        messages.success(request, _("%(name)s is in the bin. It will be erased after 30 days.") % {"name": name})
        return see_other("datasets", project.slug)
    return see_other("dataset", project.slug, name)


@requester_action
def dataset_restore(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Undo a deletion that has not begun."""
    job = get_object_or_404(project.jobs, public_id=public_id, kind=dataset_removal.KIND)
    if dataset_removal.undo(job):
        messages.success(request, _("The dataset was restored."))
    else:
        messages.warning(request, _("Too late: the dataset is being deleted or is already gone."))
    return see_other("datasets", project.slug)


@dataclass(frozen=True, slots=True)
class Slice:
    """A page of items in order; `previous` and `next`: positions to continue from."""

    items: list[Item]
    previous: int | None
    next: int | None


def browse(rows: QuerySet[Item], query: QueryDict) -> Slice:
    """The page before or after a position."""
    before, after = whole_number(query.get("before", ""), None), whole_number(query.get("after", ""), -1)
    size = item_editing.ItemFilter.size
    if before is not None:
        items = list(rows.filter(position__lt=before).reverse()[: size + 1])
        return _slice(items[:size][::-1], earlier=len(items) > size, later=bool(items))
    items = list(rows.filter(position__gt=after)[: size + 1])
    return _slice(items[:size], earlier=after >= 0, later=len(items) > size)


def _slice(items: list[Item], *, earlier: bool, later: bool) -> Slice:
    if not items:
        return Slice([], None, None)
    return Slice(items, items[0].position if earlier else None, items[-1].position if later else None)


def _choices(dataset: Dataset, changed: dict[str, int]) -> dict[str, list[tuple[Any, str]]]:
    """Values to filter the items by, as far as they have several."""
    hops, shapes = dataset.features.get("hops", {}), dataset.features.get("shapes", {})
    known = [(count, f"{_('unknown') if count == '0' else count} ({n})") for count, n in hops.items()]
    named = [(shape, f"{shape_name(shape)} ({n})") for shape, n in shapes.items() if shape]
    found: dict[str, Any] = {"hops": known if len(hops) > 1 else [], "shape": named if len(shapes) > 1 else []}
    found |= {} if dataset.features.get("unanswerable") else {"answerable": []}
    return found | ({} if changed.get("archived") else {"archived": []})


@member_page(roles.SEE)
def dataset_document(request: Request, project: Project, name: str, document: str) -> HttpResponseBase:
    """One of the documents; `?format=` names the export that the card describes."""
    row = dataset_of(project, name)
    if document not in DOCUMENTS:
        raise Http404
    format = request.GET.get("format", row.format)
    blocks = stream_document(row, document, format=format if format in FORMATS else row.format)
    return logged_download(request, row, blocks, name=f"{name}.{DOCUMENTS[document]}")


@member_page(roles.SEE)
def dataset_table(request: Request, project: Project, name: str, table: str, suffix: str) -> HttpResponseBase:
    """A table of a derivation's report, as LaTeX, Markdown or CSV."""
    row = dataset_of(project, name)
    tables = {derived["name"]: derived for derived in derived_tables(row.report)}
    return table_file(request, row, tables.get(table), suffix, name=f"{name}-{table}")
