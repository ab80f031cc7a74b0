"""The bin: deleted objects of a project, restoring and erasing them."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import jobs
from annotation.flow.data import dataset_removal
from annotation.flow.projects import project_erasure, recycle_bin
from annotation.forms.projects import ConsoleForm
from annotation.models import Batch, Project
from annotation.pure.people import roles
from annotation.templatetags.language_tags import in_language
from annotation.views.access import member_action, member_form, requester_action, requester_page
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other


class NameForm(ConsoleForm):
    """The name of the object to erase, typed for confirmation."""

    plain = forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"})
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, widget=plain)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.wanted:
            raise ValidationError(_("This is not the name. Type %(name)s.") % {"name": self.wanted})
        return name


@requester_page
def bin_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Deleted batches, datasets and qualifications."""
    batches = [(batch, recycle_bin.holds_work(batch)) for batch in recycle_bin.removed_batches(project)]
    context = {
        "project": project,
        "section": "log",
        "batches": batches,
        "datasets": recycle_bin.removed_datasets(project),
        "types": project.qualification_types.filter(deleted_at__isnull=False).order_by("-deleted_at")[:100],
        "days": recycle_bin.KEPT_FOR.days,
    }
    return render(request, "projects/bin.html", context)


@requester_action
def batch_remove(request: HttpRequest, project: Project, batch: Batch) -> HttpResponse:
    """Delete a draft or a closed batch."""
    with refusal_as_message(request):
        recycle_bin.remove_batch(batch)
        text = _("“%(title)s” is in the bin. You can restore it from there.")
        messages.success(request, text % {"title": in_language(batch.title)})
        return see_other("bin", project.slug)
    return see_other("batch", project.slug, batch.slug)


@requester_action
def batch_restore(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Restore a deleted batch."""
    row = get_object_or_404(Batch.everything, project=project, slug=batch)
    if recycle_bin.restore_batch(row):
        messages.success(request, _("“%(title)s” was restored.") % {"title": in_language(row.title)})
    return see_other("batch", project.slug, row.slug)


@member_form(roles.OWN)
def batch_erase(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Erase a deleted batch, once its name is typed."""
    row = get_object_or_404(recycle_bin.removed_batches(project), slug=batch)
    what = {
        "title": in_language(row.title),
        "name": row.slug,
        "loss": _("Its settings, instructions and HITs are erased."),
    }
    return _erase(request, project, what, lambda: recycle_bin.erase_batch(row))


@member_form(roles.OWN)
def dataset_erase(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Erase a deleted dataset, once its name is typed."""
    removed = next((pair for pair in recycle_bin.removed_datasets(project) if pair[0].slug == name), None)
    if removed is None:
        raise Http404
    row, job = removed
    what = {"title": row.slug, "name": row.slug, "loss": _("All its items are erased.")}

    def erase() -> None:
        if dataset_removal.hasten(job, row):
            jobs.wake_worker(job)

    return _erase(request, project, what, erase)


def _erase(request: HttpRequest, project: Project, what: dict[str, str], erase: Callable[[], None]) -> HttpResponse:
    form = NameForm(request.POST if request.method == "POST" else None, wanted=what["name"])
    if request.method == "POST" and form.is_valid():
        with refusal_as_message(request):
            erase()
            messages.success(request, _("%(name)s was erased.") % {"name": what["name"]})
        return see_other("bin", project.slug)
    breadcrumbs = [{"label": _("Bin"), "url": reverse("bin", args=[project.slug])}, {"label": what["title"], "url": ""}]
    context = {"project": project, "section": "log", "breadcrumbs": breadcrumbs, "form": form, **what}
    return render(request, "projects/erase.html", context, status=422 if form.errors else 200)


@member_form(roles.OWN)
def project_remove(request: HttpRequest, project: Project) -> HttpResponse:
    """Delete the project, once its slug is typed; its owners can restore it from their home page."""
    message = _("“%(title)s” is deleted. You can restore it here.") % {"title": in_language(project.title)}
    return _by_name(request, project, "projects/delete.html", act=recycle_bin.remove_project, message=message)


@member_action(roles.OWN, removed=True)
def project_restore(request: HttpRequest, project: Project) -> HttpResponse:
    """Restore a deleted project."""
    if recycle_bin.restore_project(project):
        messages.success(request, _("“%(title)s” was restored.") % {"title": in_language(project.title)})
    return see_other("project", project.slug)


@member_form(roles.OWN, removed=True)
def project_erase(request: HttpRequest, project: Project) -> HttpResponse:
    """Erase a deleted project before its time, once its slug is typed."""
    message = _("%(name)s was erased.") % {"name": project.slug}
    return _by_name(request, project, "projects/erase_project.html", act=project_erasure.begin, message=message)


def _by_name(
    request: HttpRequest, project: Project, template: str, *, act: Callable[[Project], object], message: str
) -> HttpResponse:
    form = NameForm(request.POST if request.method == "POST" else None, wanted=project.slug)
    if request.method == "POST" and form.is_valid():
        with refusal_in_form(form):
            act(project)
            messages.success(request, message)
            return see_other("home")
    context = {"project": project, "section": "settings", "form": form}
    return render(request, template, context, status=422 if form.errors else 200)
