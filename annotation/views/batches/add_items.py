"""Copying a batch as a draft, and drafts for more items."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.flow.batches import add_items
from annotation.forms.projects import ConsoleForm
from annotation.models import Project
from annotation.views.access import requester_action, requester_form
from annotation.views.batches.batch_page import batch_context, batch_of
from annotation.views.redirects import see
from annotation.views.refusals import refusal_as_message, refusal_in_form


class NextForm(ConsoleForm):
    """The number of new items, and a name."""

    count = forms.IntegerField(
        label=gettext_lazy("Items from each dataset"),
        min_value=1,
        max_value=10**9,
        help_text=gettext_lazy("Twins, pairs and other groups count as one item each."),
    )
    name = forms.SlugField(
        label=gettext_lazy("Name of the new batch"),
        max_length=100,
        help_text=gettext_lazy("Used in URLs, commands and exports: letters, digits, hyphens."),
    )


@requester_action
def batch_clone(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Create a copy of this batch as a draft."""
    with refusal_as_message(request):
        draft = add_items.clone(batch_of(project, batch), user=request.user)
        messages.success(request, _("This is a draft with the same settings. Change what you like, then launch it."))
        return see("batch-edit", project.slug, draft.slug)
    return see("batch", project.slug, batch)


@requester_form
def batch_next(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """How many items are left for this task, and a form; POST creates a draft for more items."""
    shown = batch_of(project, batch)
    form = NextForm(request.POST if request.method == "POST" else None)
    form.initial = {"count": shown.sample, "name": add_items.free_name(project, shown.slug)}
    if form.is_valid():
        wanted = form.cleaned_data
        with refusal_in_form(form):
            draft = add_items.next_items(shown, wanted["count"], name=wanted["name"], user=request.user)
            messages.success(request, _("This is a draft with the remaining items. Check the quote, then launch it."))
            return see("batch-edit", project.slug, draft.slug)
    left = add_items.remaining(shown)
    context = batch_context(
        shown, "batch-next", leaf=_("Add items"), form=form, left=left, any_left=any(row.left for row in left)
    )
    return render(request, "batches/add_items.html", context, status=422 if form.is_bound else 200)
