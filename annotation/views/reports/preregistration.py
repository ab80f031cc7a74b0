"""The preregistration of a batch: the form, or what is registered with what differs from it, and the file."""

import json

from django import forms
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.reports import preregistration
from annotation.flow.reports.preregistration import LABELS
from annotation.forms.reports import PreregistrationForm
from annotation.models import Batch, Project
from annotation.operations.downloads import download
from annotation.pure.people import roles
from annotation.pure.reports.preregistration import TEXTS, value_text
from annotation.templatetags.language_tags import in_language
from annotation.views.access import Request, member_form, member_page
from annotation.views.breadcrumbs import section_breadcrumbs
from annotation.views.post_handling import refusal_in_form, see_other


@member_form(roles.SEE, posting=roles.RUN)
def preregister(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """What is registered; without it the form."""
    form: forms.Form = PreregistrationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusal_in_form(form):
            preregistration.register(batch, form.cleaned_data, user=request.user)
            return see_other("preregistration", project.slug, batch.slug)
    breadcrumbs = section_breadcrumbs(project, "batches", in_language(batch.title))
    breadcrumbs[-1]["url"] = reverse("batch", args=[project.slug, batch.slug])
    made = preregistration.registered(batch)
    context = {
        "project": project,
        "section": "batches",
        "breadcrumbs": [*breadcrumbs, {"label": _("Preregistration"), "url": ""}],
        "batch": batch,
        "form": form,
        "made": made,
        "is_answered": made is None and preregistration.is_answered(batch),
    }
    if made is not None:
        kept = json.loads(made.document)
        context |= {
            "texts": [(_(label), kept[name]) for name, label in TEXTS.items() if kept[name]],
            "settings": [(_(label), value_text(kept["settings"].get(name))) for name, label in LABELS.items()],
            "late": preregistration.is_late(made),
            "differences": [(_(LABELS[name]), was, now) for name, was, now in preregistration.deviations(made)],
        }
    return render(request, "reports/preregistration.html", context, status=422 if form.errors else 200)


@member_page(roles.SEE)
def preregistration_file(request: Request, project: Project, batch: Batch) -> HttpResponseBase:
    """The registered file, byte for byte."""
    made = preregistration.registered(batch)
    if made is None:
        raise Http404
    name = f"{batch.slug}-preregistration.json"
    return download(made.document.encode(), name=name, kind="application/json")
