"""Granting a qualification by hand, by file or by rule: first a preview, then the change."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants
from annotation.flow.people.bulk_grants import BadFile
from annotation.forms.qualifications import FileForm, HandForm, RuleForm
from annotation.models import Project, QualificationType
from annotation.pure.people import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.people.qualifications import of_type, type_of, type_page
from annotation.views.redirects import see

SOURCES = {"hand", "file", "rule"}


@never_cache
@require_POST
@member_required(roles.PEOPLE)
def qualification_grant(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Names or a file: shows the changes. POST of the shown rows grants them."""
    type = type_of(project, public_id)
    if "rows" in request.POST:
        return _granted(request, type)
    form = FileForm(request.POST, request.FILES) if "by-file" in request.POST else HandForm(request.POST)
    kind = "file" if "by-file" in request.POST else "hand"
    if form.is_valid():
        try:
            lines = form.cleaned_data["file"] if kind == "file" else form.lines()
            wanted = bulk_grants.read_file(project, lines)
        except BadFile as bad:
            form.add_error("file" if kind == "file" else "names", str(bad).split("\n"))
        else:
            return _shown(request, type, wanted, source=kind, reason=form.cleaned_data.get("reason", ""))
    return render(request, "people/qualification.html", type_page(request, type, **{kind: form}), status=422)


@never_cache
@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_rule(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """A rule over batches; POST shows who would get which score."""
    type = type_of(project, public_id)
    form = RuleForm(project, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        return _shown(request, type, form.found(), source="rule", reason=form.words())
    context = of_type(type, _("Grant by rule"), form=form)
    return render(request, "people/qualification_rule.html", context, status=422 if form.is_bound else 200)


def _shown(request: HttpRequest, type: QualificationType, wanted: Any, *, source: str, reason: str) -> HttpResponse:
    changes = bulk_grants.plan(type, wanted)
    rows = "\n".join(f"{change.worker.public_id},{change.value}" for change in changes)
    more = {"changes": changes, "same": len(wanted) - len(changes), "rows": rows, "source": source, "reason": reason}
    return render(request, "people/qualification_changes.html", of_type(type, _("Preview of the changes"), **more))


def _granted(request: HttpRequest, type: QualificationType) -> HttpResponse:
    source = request.POST.get("source", "")
    try:
        wanted = bulk_grants.read_file(type.project, request.POST["rows"].splitlines())
        done = bulk_grants.grant_all(
            type,
            wanted,
            source=source if source in SOURCES else "hand",
            reason=request.POST.get("reason", "")[:1000],
            user=request.user,
        )
        text = ngettext("Granted to %(n)s worker.", "Granted to %(n)s workers.", done) % {"n": done}
        messages.success(request, text)
    except Refused as refusal:
        messages.error(request, str(refusal))
    return see("qualification", type.project.slug, type.public_id)
