"""A requester's qualifications: the types, who holds them, and who asks for them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import granting, qualifying
from annotation.flow.refusal import Refused
from annotation.models import Project, Qualification, QualificationRequest, QualificationType
from annotation.pure import roles
from annotation.pure.wire_xml import read_answers
from annotation.qualification_forms import FileForm, HandForm, TypeForm
from annotation.views.access import member_required, require_get_or_post
from annotation.views.seeing import see

PAGE = 100


def type_of(project: Project, public_id: str) -> QualificationType:
    """The project's type of that id, if it was not retired; 404 otherwise."""
    found = get_object_or_404(qualifying.types_of(project), public_id=public_id)
    found.project = project
    return found


def shell(project: Project, *crumbs: tuple[str, str], **more: Any) -> dict[str, Any]:
    """What a page about qualifications shows around its own matter; crumbs are (label, address)."""
    way = [(_("Qualifications"), reverse("qualifications", args=[project.slug])), *crumbs]
    named = [{"label": label, "url": url} for label, url in way]
    return {"project": project, "section": "qualifications", "crumbs": named, **more}


def of_type(type: QualificationType, label: str = "", **more: Any) -> dict[str, Any]:
    """The same for a page below a type's."""
    home = reverse("qualification", args=[type.project.slug, type.public_id]) if label else ""
    here = [(label, "")] if label else []
    return shell(type.project, (type.name, home), *here, type=type, **more)


@never_cache
@require_safe
@member_required(roles.PEOPLE)
def qualifications(request: HttpRequest, project: Project) -> HttpResponse:
    """Every type with how many hold it and how many ask for it."""
    granted = Q(qualifications__state=Qualification.State.GRANTED)
    asking = Q(requests__state=QualificationRequest.State.PENDING)
    types = qualifying.types_of(project).annotate(
        held=Count("qualifications", filter=granted, distinct=True),
        asked=Count("requests", filter=asking, distinct=True),
    )
    retired = project.qualification_types.filter(deleted_at__isnull=False).order_by("-deleted_at")[:20]
    context = {"project": project, "section": "qualifications", "types": types, "retired": retired}
    return render(request, "qualifications/list.html", context)


@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_new(request: HttpRequest, project: Project) -> HttpResponse:
    """Make a type."""
    form = TypeForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = qualifying.create_type(project, form.cleaned_data["name"], **form.terms())
        except Refused as refusal:
            form.add_error("name" if isinstance(refusal, qualifying.NameTaken) else None, str(refusal))
        else:
            messages.success(request, _("Made. Grant it below, or let workers ask for it."))
            return see("qualification", project.slug, made.public_id)
    context = shell(project, (_("New qualification"), ""), form=form, type=None)
    return render(request, "qualifications/edit.html", context, status=422 if form.is_bound else 200)


@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_edit(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Change what workers read of a type and how they come by it."""
    type = type_of(project, public_id)
    form = TypeForm(request.POST if request.method == "POST" else None, type=type)
    if form.is_bound and form.is_valid():
        try:
            qualifying.update_type(type, **form.terms())
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Saved."))
            return see("qualification", project.slug, type.public_id)
    context = of_type(type, _("Settings"), form=form)
    return render(request, "qualifications/edit.html", context, status=422 if form.is_bound else 200)


@require_POST
@member_required(roles.PEOPLE)
def qualification_retire(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Retire a type; it can be restored from the list."""
    type = type_of(project, public_id)
    qualifying.delete_type(type)
    messages.success(request, _("“%(name)s” is retired. Nobody holds it any more.") % {"name": type.name})
    return see("qualifications", project.slug)


@require_POST
@member_required(roles.PEOPLE)
def qualification_restore(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Take a retirement back."""
    type = get_object_or_404(project.qualification_types, public_id=public_id)
    try:
        if qualifying.restore_type(type):
            text = _("“%(name)s” is back with its scores. Workers cannot ask for it unless you allow it again.")
            messages.success(request, text % {"name": type.name})
    except Refused as refusal:
        messages.error(request, str(refusal))
    return see("qualifications", project.slug)


@never_cache
@require_safe
@member_required(roles.PEOPLE)
def qualification(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Who holds a type with what score, and the ways to grant and revoke it."""
    type = type_of(project, public_id)
    return render(request, "qualifications/type.html", type_page(request, type))


def type_page(request: HttpRequest, type: QualificationType, **forms: Any) -> dict[str, Any]:
    """What a type's page shows; `forms` are those that were filled in wrongly."""
    wanted = request.GET.get("q", "").strip()[:40]
    rows = granting.holders(type)
    if wanted:
        rows = rows.filter(worker__in=_named(type.project, wanted))
    step = granting.last_step(type)
    proposed = {"hand": HandForm(), "file": FileForm()}
    return of_type(
        type,
        page=Paginator(rows, PAGE).get_page(request.GET.get("page")),
        wanted=wanted,
        asking=granting.waiting(type).count(),
        step=step,
        last=step[-1].pk if step else 0,
        requiring=_requiring(type),
        **proposed | forms,
    )


def _named(project: Project, beginning: str) -> list[int]:
    """Keys of the workers whose pseudonym or id begins so."""
    found = granting.people_by_name(project).items()
    return [worker.pk for name, worker in found if name.lower().startswith(beginning.lower())]


def _requiring(type: QualificationType) -> list[Any]:
    """The project's batches that name the type in what they require."""
    batches = type.project.batches.exclude(requirements=[]).order_by("-created_at").defer("options")
    return [b for b in batches if any(one["type"] == type.public_id for one in b.requirements)]


@require_POST
@member_required(roles.PEOPLE)
def qualification_revoke(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Take a type from the workers ticked."""
    type = type_of(project, public_id)
    ticked = project.workers.filter(public_id__in=request.POST.getlist("worker")[:1000])
    done = granting.revoke_all(type, ticked, reason=request.POST.get("reason", "")[:1000], user=request.user)
    text = ngettext("Revoked from %(n)s worker.", "Revoked from %(n)s workers.", done) % {"n": done}
    (messages.success if done else messages.info)(request, text if done else _("Tick somebody first."))
    return see("qualification", project.slug, type.public_id)


@require_POST
@member_required(roles.PEOPLE)
def qualification_undo(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Take the last step of granting or revoking back."""
    type = type_of(project, public_id)
    try:
        done = granting.undo(type, through=granting.whole(request.POST.get("through", "")) or 0, user=request.user)
        text = ngettext("Undone for %(n)s worker.", "Undone for %(n)s workers.", done)
        messages.success(request, text % {"n": done})
    except Refused as refusal:
        messages.warning(request, str(refusal))
    return see("qualification", project.slug, type.public_id)


@never_cache
@require_get_or_post
@member_required(roles.PEOPLE)
def qualification_requests(request: HttpRequest, project: Project, public_id: str) -> HttpResponse:
    """Who asks for a type; POST grants or refuses it to those ticked."""
    type = type_of(project, public_id)
    if request.method == "POST":
        _decide(request, type)
        return see("qualification-requests", project.slug, type.public_id)
    page = Paginator(granting.waiting(type), PAGE).get_page(request.GET.get("page"))
    page.object_list = list(page.object_list)
    for asked in page:
        asked.said = read_answers(asked.answer) if asked.answer else []
    return render(request, "qualifications/requests.html", of_type(type, _("Requests"), page=page))


def _decide(request: HttpRequest, type: QualificationType) -> None:
    ticked = granting.waiting(type).filter(public_id__in=request.POST.getlist("request")[:1000])
    reason = request.POST.get("reason", "").strip()[:1000]
    value = request.POST.get("value", "").strip()
    score = granting.whole(value) if value else None
    if value and score is None:
        messages.error(request, _("The score is a whole number of at most ten digits."))
        return
    if not ticked:
        messages.info(request, _("Tick somebody first."))
        return
    grants = "grant" in request.POST
    done = granting.decide(ticked, value=score, reason=reason, grants=grants, user=request.user)
    words = ngettext("%(n)s request granted.", "%(n)s requests granted.", done)
    refused = ngettext("%(n)s request refused.", "%(n)s requests refused.", done)
    messages.success(request, (words if grants else refused) % {"n": done})
