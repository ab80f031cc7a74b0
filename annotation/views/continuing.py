"""More of the same: a batch again as a draft, and the next items that nobody was asked about yet."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.console_forms import ConsoleForm
from annotation.flow import continuing
from annotation.flow.refusal import Refused
from annotation.models import Project
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.seeing import see


class NextForm(ConsoleForm):
    """How many unseen items, under which name."""

    count = forms.IntegerField(
        label=gettext_lazy("Items from each dataset"),
        min_value=1,
        max_value=10**9,
        help_text=gettext_lazy("Of twins, pairs and other groups that are judged together, so many whole groups."),
    )
    name = forms.SlugField(
        label=gettext_lazy("Name of the new batch"),
        max_length=100,
        help_text=gettext_lazy("For addresses, commands and exports: letters, digits, hyphens."),
    )


@require_POST
@requester_required
def batch_clone(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """A new draft with everything that was settled for this batch."""
    try:
        draft = continuing.clone(batch_of(project, batch), user=request.user)
    except Refused as refusal:
        messages.error(request, str(refusal))
        return see("batch", project.slug, batch)
    messages.success(request, _("This is a draft with the same settings. Change what you like, then launch it."))
    return see("batch-edit", project.slug, draft.slug)


@never_cache
@require_get_or_post
@requester_required
def batch_next(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """How many items are left for this task, and a form; POST makes a draft with the next ones."""
    shown = batch_of(project, batch)
    form = NextForm(request.POST if request.method == "POST" else None)
    form.initial = {"count": shown.sample, "name": continuing.free_name(project, shown.slug)}
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            draft = continuing.next_items(shown, wanted["count"], name=wanted["name"], user=request.user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("A draft with the next items. Look at the quote, then launch it."))
            return see("batch-edit", project.slug, draft.slug)
    left = continuing.remaining(shown)
    context = batch_context(
        shown, "batch-next", leaf=_("The next items"), form=form, left=left, any_left=any(row.left for row in left)
    )
    return render(request, "batches/next.html", context, status=422 if form.is_bound else 200)
