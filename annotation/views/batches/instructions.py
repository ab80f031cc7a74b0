"""A batch's instructions: their versions, and editing."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.flow.batches import batch_launch
from annotation.forms.batch_terms import InstructionsForm
from annotation.models import Project
from annotation.pure.people import roles
from annotation.views.access import member_form
from annotation.views.batches.batch_page import batch_context, batch_of
from annotation.views.markdown_html import html_of
from annotation.views.redirects import see


@member_form(roles.SEE, posting=roles.RUN)
def instructions(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """Edit the instructions, with preview and earlier versions; POST saves a new version."""
    shown = batch_of(project, batch)
    last = shown.instructions
    form = InstructionsForm(request.POST if request.method == "POST" else None, initial={"instructions": last.text})
    if form.is_valid():
        new = batch_launch.change_instructions(shown, form.cleaned_data["instructions"], user=request.user)
        if new.version != last.version:
            text = _("Saved as version %(n)s. Workers read it before they continue.")
            messages.success(request, text % {"n": new.version})
        return see("instructions", project.slug, shown.slug)
    versions = list(shown.instructions_versions.select_related("created_by").order_by("-version"))
    for version in versions:
        version.html = html_of(version.text)
    context = batch_context(
        shown, "instructions", form=form, instructions=last, instructions_html=html_of(last.text), versions=versions
    )
    return render(request, "batches/instructions.html", context, status=422 if form.is_bound else 200)
