"""Editing items: forms, versions with their differences, restoring, retiring."""

from itertools import pairwise
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.data import item_editing
from annotation.flow.errors import Refused
from annotation.flow.review import gold_looks
from annotation.forms.datasets import DatasetDetailsForm, GoldForm, ItemJSONForm
from annotation.models import Dataset, Item, Project
from annotation.pure.data.corrections import changes
from annotation.pure.people import roles
from annotation.views.access import Request, member_page, requester_action, requester_form
from annotation.views.data.datasets import dataset_of
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other


def _item(project: Project, name: str, position: int) -> tuple[Dataset, Item]:
    """The newest version of the item at this position; 404 if there is none."""
    dataset = dataset_of(project, name)
    return dataset, get_object_or_404(dataset.items, position=min(position, 2**31 - 1))


def _is_hidden(request: Request, row: Item) -> bool:
    """Whether the viewer is still to adjudicate the item without its gold, which the item's page can open."""
    return bool(gold_looks.hidden(gold_looks.hits_of(row.dataset.project, row), request.user))


def _breadcrumbs(project: Project, row: Item, here: str) -> list[dict[str, str]]:
    """Breadcrumbs from the list of datasets to the page."""
    name, item = row.dataset.slug, _("Item %(n)s") % {"n": row.position + 1}
    return [
        {"label": _("Datasets"), "url": reverse("datasets", args=[project.slug])},
        {"label": name, "url": reverse("dataset", args=[project.slug, name])},
        {"label": item, "url": reverse("item", args=[project.slug, name, row.position])},
        {"label": here, "url": ""},
    ]


@requester_form
def item_edit(request: Request, project: Project, name: str, position: int) -> HttpResponse:
    """Question and gold as a form, or the complete item as JSON; POST saves a new version."""
    dataset, row = _item(project, name, position)
    if request.method != "POST" and _is_hidden(request, row):
        return see_other("item", project.slug, name, position)
    whole = "content" in request.POST
    posted = request.POST if request.method == "POST" else None
    gold = GoldForm(row.example, row.version, None if whole else posted)
    json_form = ItemJSONForm(row.example, row.version, posted if whole else None)
    form: Any = json_form if whole else gold
    if form.is_valid() and _made(request, row, form):
        return see_other("item", project.slug, name, position)
    context = {
        "project": project,
        "section": "datasets",
        "dataset": dataset,
        "breadcrumbs": _breadcrumbs(project, row, _("Edit")),
        "item": row,
        "gold": gold,
        "whole": json_form,
        "stale": form.is_bound and form["version"].value() not in {row.version, str(row.version)},
    }
    return render(request, "data/item_edit.html", context, status=422 if form.is_bound else 200)


def _made(request: Request, row: Item, form: Any) -> bool:
    """Save the form's version; False, with an error in the form, if it is invalid."""
    stale = _("Somebody else has edited this item in the meantime. Below is your version. Look at theirs first.")
    with refusal_in_form(form):
        if form.cleaned_data["version"] != row.version:
            raise Refused(stale)
        made = item_editing.edit(row, form.edited(), note=form.cleaned_data["note"], user=request.user)
        text = _("Version %(n)s was saved. Existing batches keep the earlier version.")
        messages.success(request, text % {"n": made.version})
        return True
    return False


@member_page(roles.SEE)
def item_versions(request: Request, project: Project, name: str, position: int) -> HttpResponse:
    """Every version of the item, newest first, with differences, author, time and reason."""
    dataset, row = _item(project, name, position)
    if _is_hidden(request, row):
        return see_other("item", project.slug, name, position)
    rows = list(item_editing.versions(row))
    versions = [(new, _labelled(old, new)) for new, old in pairwise(rows)] + [(rows[-1], [])]
    context = {"project": project, "section": "datasets", "dataset": dataset, "item": row, "versions": versions}
    context["breadcrumbs"] = _breadcrumbs(project, row, _("Versions"))
    return render(request, "data/item_versions.html", context)


def _labelled(old: Item, new: Item) -> list[dict[str, Any]]:
    words = {
        "question": _("Question"),
        "answers": _("Answers"),
        "support": _("Support"),
        "paragraph": _("Paragraph"),
        "hop": _("Hop"),
        "rest": _("Other fields"),
    }
    changed = changes(old.example, new.example).items()
    return [{"label": words[part], "number": number, "change": change} for (part, number), change in changed]


@requester_action
def item_restore(request: Request, project: Project, name: str, position: int, version: int) -> HttpResponse:
    """Create a new version with the content of an old one."""
    _dataset, row = _item(project, name, position)
    old = get_object_or_404(item_editing.versions(row), version=min(version, 2**31 - 1))
    with refusal_as_message(request):
        made = item_editing.restore(old, user=request.user)
        text = _("Version %(n)s now has the content of version %(old)s.") % {"n": made.version, "old": old.version}
        messages.success(request, text)
    return see_other("item-versions", project.slug, name, position)


@requester_action
def item_archive(request: Request, project: Project, name: str, position: int) -> HttpResponse:
    """Archive the item with a reason; with `back` restore it."""
    dataset, row = _item(project, name, position)
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:500]
    with refusal_as_message(request):
        if "back" in request.POST:
            item_editing.unarchive(dataset, [row.position])
            messages.success(request, _("The item is in use again."))
        else:
            item_editing.archive(dataset, [row.position], reason=reason)
            messages.success(request, _("The item is archived. Batches that use it continue."))
    return see_other("item", project.slug, name, position)


@requester_action
def dataset_archive(request: Request, project: Project, name: str) -> HttpResponse:
    """Archive the dataset; with `back` restore it."""
    out = "back" not in request.POST
    item_editing.archive_dataset(dataset_of(project, name), out=out)
    gone = _("The dataset is archived: it is hidden from new batches. You can restore it at any time.")
    messages.success(request, gone if out else _("The dataset can be used for new batches again."))
    return see_other("dataset", project.slug, name)


@requester_action
def dataset_describe(request: Request, project: Project, name: str) -> HttpResponse:
    """Change the dataset's licence, source, ethics approval and consent."""
    row, form = dataset_of(project, name), DatasetDetailsForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(text) for errors in form.errors.values() for text in errors))
    elif item_editing.describe(row, **form.cleaned_data):
        messages.success(request, _("Saved. Datasheets, cards and exports will include it."))
    return see_other("dataset", project.slug, name)
