"""A batch's guide: its versions, and writing the next."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from annotation.flow import batching
from annotation.models import Project
from annotation.pure import roles
from annotation.terms_forms import GuideForm
from annotation.views.access import member_required, require_get_or_post
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.prose import html_of
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@member_required(roles.SEE, posting=roles.RUN)
def guide(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The guide to edit, with its preview and earlier versions; POST writes a new version."""
    shown = batch_of(project, batch)
    last = shown.guide
    form = GuideForm(request.POST if request.method == "POST" else None, initial={"guide": last.text})
    if form.is_valid():
        new = batching.change_guide(shown, form.cleaned_data["guide"], user=request.user)
        if new.version != last.version:
            text = _("Saved as version %(n)s. Everybody reads it before going on.")
            messages.success(request, text % {"n": new.version})
        return see("guide", project.slug, shown.slug)
    versions = list(shown.guides.select_related("created_by").order_by("-version"))
    for version in versions:
        version.html = html_of(version.text)
    context = batch_context(shown, "guide", form=form, guide=last, guide_html=html_of(last.text), versions=versions)
    return render(request, "batches/guide.html", context, status=422 if form.is_bound else 200)
