"""Requesters' pages of qualifications: types, holders, requests, and granting by hand, file or rule."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow.errors import Refused
from annotation.flow.people import bulk_grants, qualification_types
from annotation.flow.people.bulk_grants import BadFile
from annotation.forms.qualifications import QualificationTypeForm, RuleForm, ScoreFileForm, ScoresForm
from annotation.models import Batch, Project, Qualification, QualificationRequest, QualificationType
from annotation.pure.mturk.mturk_xml import read_answers
from annotation.pure.people import roles
from annotation.views.access import (
    Request,
    member_action,
    member_form,
    member_page,
    member_required,
    require_get_or_post,
)
from annotation.views.post_handling import refusal_as_message, refusal_in_form, see_other

PAGE = 100


def type_of(project: Project, public_id: str) -> QualificationType:
    """The project's type of that id, if not deleted; 404 otherwise."""
    type = get_object_or_404(qualification_types.types_of(project), public_id=public_id)
    type.project = project
    return type


def shell(project: Project, *breadcrumbs: tuple[str, str], **more: Any) -> dict[str, Any]:
    """The common context of pages on qualifications; crumbs are (label, URL)."""
    way = [(_("Qualifications"), reverse("qualifications", args=[project.slug])), *breadcrumbs]
    named = [{"label": label, "url": url} for label, url in way]
    return {"project": project, "section": "qualifications", "breadcrumbs": named, **more}


def of_type(type: QualificationType, label: str = "", **more: Any) -> dict[str, Any]:
    """The common context of a type's pages."""
    home = reverse("qualification", args=[type.project.slug, type.public_id]) if label else ""
    here = [(label, "")] if label else []
    return shell(type.project, (type.name, home), *here, type=type, **more)


@member_page(roles.PEOPLE)
def qualifications(request: Request, project: Project) -> HttpResponse:
    """List types with the numbers of holders and requests."""
    granted = Q(qualifications__state=Qualification.State.GRANTED)
    asking = Q(requests__state=QualificationRequest.State.PENDING)
    types = qualification_types.types_of(project).annotate(
        held=Count("qualifications", filter=granted, distinct=True),
        asked=Count("requests", filter=asking, distinct=True),
    )
    deleted = project.qualification_types.filter(deleted_at__isnull=False).order_by("-deleted_at")[:20]
    context = {"project": project, "section": "qualifications", "types": types.prefetch_related("rounds__batch")}
    return render(
        request, "people/qualifications.html", context | {"deleted": deleted, "requiring": _requiring(project)}
    )


@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_new(request: Request, project: Project) -> HttpResponse:
    """Create a type."""
    form = QualificationTypeForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = qualification_types.create_type(project, form.cleaned_data["name"], **form.terms())
        except Refused as refusal:
            form.add_error("name" if isinstance(refusal, qualification_types.NameTaken) else None, str(refusal))
        else:
            messages.success(request, _("The qualification was created. Grant it below, or let workers request it."))
            return see_other("qualification", project.slug, made.public_id)
    context = shell(project, (_("New qualification"), ""), form=form, type=None)
    return render(request, "people/qualification_edit.html", context, status=422 if form.is_bound else 200)


@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_edit(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Change a type."""
    type = type_of(project, public_id)
    form = QualificationTypeForm(request.POST if request.method == "POST" else None, type=type)
    if form.is_bound and form.is_valid():
        with refusal_in_form(form):
            qualification_types.update_type(type, **form.terms())
            messages.success(request, _("Saved."))
            return see_other("qualification", project.slug, type.public_id)
    context = of_type(type, _("Settings"), form=form)
    return render(request, "people/qualification_edit.html", context, status=422 if form.is_bound else 200)


@member_action(roles.PEOPLE)
def qualification_delete(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Delete a type; the list offers to restore it."""
    type = type_of(project, public_id)
    qualification_types.delete_type(type)
    messages.success(request, _("“%(name)s” is deleted. Nobody holds it any more.") % {"name": type.name})
    return see_other("qualifications", project.slug)


@member_action(roles.PEOPLE)
def qualification_restore(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Restore a deleted type."""
    type = get_object_or_404(project.qualification_types, public_id=public_id)
    with refusal_as_message(request):
        if qualification_types.restore_type(type):
            text = _("“%(name)s” and its scores are restored. Workers cannot request it unless you allow it again.")
            messages.success(request, text % {"name": type.name})
    return see_other("qualifications", project.slug)


@member_page(roles.PEOPLE)
def qualification(request: Request, project: Project, public_id: str) -> HttpResponse:
    """The holders of a type with their scores, and forms to grant and revoke it."""
    type = type_of(project, public_id)
    return render(request, "people/qualification.html", type_page(request, type))


def type_page(request: Request, type: QualificationType, **forms: Any) -> dict[str, Any]:
    """Context of a type's page; `forms` are the forms with errors."""
    wanted = request.GET.get("q", "").strip()[:40]
    rows = bulk_grants.holders(type)
    if wanted:
        called = Q(worker__in=type.project.workers_called(wanted))
        rows = rows.filter(called | Q(worker__public_id__istartswith=wanted))
    step = bulk_grants.last_step(type)
    proposed = {"hand": ScoresForm(), "file": ScoreFileForm()}
    return of_type(
        type,
        page=Paginator(rows, PAGE).get_page(request.GET.get("page")),
        wanted=wanted,
        asking=bulk_grants.waiting(type).count(),
        step=step,
        last=step[-1].pk if step else 0,
        requiring=_requiring(type.project).get(type.public_id),
        **proposed | forms,
    )


def _requiring(project: Project) -> Mapping[str, list[Batch]]:
    """The project's batches, by the ids of the types that they require."""
    found = defaultdict(list)
    for batch in project.batches.exclude(requirements=[]).order_by("-created_at").defer("options"):
        for public_id in {requirement["type"] for requirement in batch.requirements}:
            found[public_id].append(batch)
    return found


@member_action(roles.PEOPLE)
def qualification_revoke(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Revoke a type from the checked workers."""
    type = type_of(project, public_id)
    ticked = project.workers.filter(public_id__in=request.POST.getlist("worker")[:1000])
    done = bulk_grants.revoke_all(type, ticked, reason=request.POST.get("reason", "")[:1000], user=request.user)
    text = ngettext("Revoked from %(n)s worker.", "Revoked from %(n)s workers.", done) % {"n": done}
    (messages.success if done else messages.info)(request, text if done else _("Select at least one worker first."))
    return see_other("qualification", project.slug, type.public_id)


@member_action(roles.PEOPLE)
def qualification_undo(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Undo the last step of granting or revoking."""
    type = type_of(project, public_id)
    step = bulk_grants.parse_integer(request.POST.get("through", "")) or 0
    with refusal_as_message(request, messages.warning):
        done = bulk_grants.undo(type, through=step, user=request.user)
        messages.success(request, ngettext("Undone for %(n)s worker.", "Undone for %(n)s workers.", done) % {"n": done})
    return see_other("qualification", project.slug, type.public_id)


@member_form(roles.PEOPLE)
def qualification_requests(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Open requests for a type; POST grants or rejects the checked ones."""
    type = type_of(project, public_id)
    if request.method == "POST":
        _decide(request, type)
        return see_other("qualification-requests", project.slug, type.public_id)
    page = Paginator(bulk_grants.waiting(type), PAGE).get_page(request.GET.get("page"))
    page.object_list = list(page.object_list)
    for row in page:
        row.answers = read_answers(row.answer) if row.answer else []
    return render(request, "people/qualification_requests.html", of_type(type, _("Requests"), page=page))


def _decide(request: Request, type: QualificationType) -> None:
    ticked = bulk_grants.waiting(type).filter(public_id__in=request.POST.getlist("request")[:1000])
    reason = request.POST.get("reason", "").strip()[:1000]
    value = request.POST.get("value", "").strip()
    score = bulk_grants.parse_integer(value) if value else None
    if value and score is None:
        messages.error(request, _("The score must be a whole number of at most ten digits."))
        return
    if not ticked:
        messages.info(request, _("Select at least one worker first."))
        return
    grants = "grant" in request.POST
    done = bulk_grants.decide(ticked, value=score, reason=reason, grants=grants, user=request.user)
    words = ngettext("%(n)s request granted.", "%(n)s requests granted.", done)
    refused = ngettext("%(n)s request refused.", "%(n)s requests refused.", done)
    messages.success(request, (words if grants else refused) % {"n": done})


SOURCES = {"hand", "file", "rule"}


@never_cache
@require_POST
@member_required(roles.PEOPLE)
def qualification_grant(request: Request, project: Project, public_id: str) -> HttpResponse:
    """Names or a file: shows the changes. POST of the shown rows grants them."""
    type = type_of(project, public_id)
    if "rows" in request.POST:
        return _granted(request, type)
    by_file = "by-file" in request.POST
    form: Any = ScoreFileForm(request.POST, request.FILES) if by_file else ScoresForm(request.POST)
    kind = "file" if by_file else "hand"
    if form.is_valid():
        try:
            wanted = bulk_grants.read_file(project, form.cleaned_data["file"] if by_file else form.lines())
        except BadFile as bad:
            form.add_error("file" if by_file else "names", str(bad).split("\n"))
        else:
            return _shown(request, type, wanted, source=kind, reason=form.cleaned_data.get("reason", ""))
    return render(request, "people/qualification.html", type_page(request, type, **{kind: form}), status=422)


@member_form(roles.PEOPLE)
def qualification_rule(request: Request, project: Project, public_id: str) -> HttpResponse:
    """A rule over batches; POST shows who would get which score."""
    type = type_of(project, public_id)
    form = RuleForm(project, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        return _shown(request, type, form.scored_workers(), source="rule", reason=form.words())
    context = of_type(type, _("Grant by rule"), form=form)
    return render(request, "people/qualification_rule.html", context, status=422 if form.is_bound else 200)


def _shown(request: Request, type: QualificationType, wanted: Any, *, source: str, reason: str) -> HttpResponse:
    changes = bulk_grants.plan(type, wanted)
    rows = "\n".join(f"{change.worker.public_id},{change.value}" for change in changes)
    more = {"changes": changes, "same": len(wanted) - len(changes), "rows": rows, "source": source, "reason": reason}
    return render(request, "people/qualification_changes.html", of_type(type, _("Preview of the changes"), **more))


def _granted(request: Request, type: QualificationType) -> HttpResponse:
    source = request.POST.get("source", "")
    terms = {"source": source if source in SOURCES else "hand", "reason": request.POST.get("reason", "")[:1000]}
    with refusal_as_message(request):
        wanted = bulk_grants.read_file(type.project, request.POST["rows"].splitlines())
        done = bulk_grants.grant_all(type, wanted, **terms, user=request.user)
        text = ngettext("Granted to %(n)s worker.", "Granted to %(n)s workers.", done)
        messages.success(request, text % {"n": done})
    return see_other("qualification", type.project.slug, type.public_id)
