"""What annotators reported about items, for a requester to decide on."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.flow import flagging
from annotation.flow.naming import name_uncomposed
from annotation.models import Flag, Project
from annotation.pure import roles
from annotation.views.access import member_required
from annotation.views.batch_page import batch_context, batch_of
from annotation.views.frame import FLAG_REASONS
from annotation.views.seeing import see, unless_overdrawn


@never_cache
@require_safe
@member_required(roles.REVIEW)
def flags(request: HttpRequest, project: Project, batch: str) -> HttpResponse:
    """The open reports, oldest first; or the decided ones, newest first."""
    shown = batch_of(project, batch)
    decided = request.GET.get("show") == "decided"
    rows = Flag.objects.filter(assignment__batch=shown).select_related(
        "assignment__hit__item__dataset", "assignment__worker__project"
    )
    rows = rows.defer("assignment__hit__payload", "assignment__hit__item__content", "assignment__draft")
    if decided:
        rows = rows.exclude(state=Flag.State.OPEN).order_by("-decided_at", "-pk")
    else:
        rows = rows.filter(state=Flag.State.OPEN).order_by("created_at", "pk")
    page = Paginator(rows, 30).get_page(request.GET.get("page"))
    name_uncomposed(row.assignment.hit.item for row in page)
    for row in page:
        row.reason_text = reason_text(row)
    return render(request, "batches/flags.html", batch_context(shown, "flags", page=page, decided=decided))


def reason_text(flag: Flag) -> str:
    """The reason as the annotator read it."""
    return _(FLAG_REASONS.get(flag.reason, flag.reason))


def _flag(project: Project, batch: str, pk: int) -> Flag:
    rows = Flag.objects.filter(assignment__batch=batch_of(project, batch))
    return get_object_or_404(rows.select_related("assignment__hit"), pk=pk)


@require_POST
@member_required(roles.REVIEW)
def flag_keep(request: HttpRequest, project: Project, batch: str, pk: int) -> HttpResponse:
    """The item is in order: close the report."""
    if not flagging.keep(_flag(project, batch, pk)):
        messages.warning(request, _("This problem was decided meanwhile."))
    return see("flags", project.slug, batch)


@require_POST
@member_required(roles.REVIEW)
def flag_void(request: HttpRequest, project: Project, batch: str, pk: int) -> HttpResponse:
    """The annotator is right: leave the item out of the scores, for the reason they gave."""
    flag = _flag(project, batch, pk)
    reason = ": ".join(part for part in (reason_text(flag), flag.text.strip()) if part)[:500]
    if flag.state != Flag.State.OPEN or not flagging.void(flag.assignment.hit, reason=reason):
        messages.warning(request, _("This problem was decided meanwhile."))
    return see("flags", project.slug, batch)


@require_POST
@member_required(roles.REVIEW)
def flag_reopen(request: HttpRequest, project: Project, batch: str, pk: int) -> HttpResponse:
    """Undo the decision."""
    if unless_overdrawn(request, lambda: flagging.reopen(_flag(project, batch, pk))):
        messages.success(request, _("Undone: the problem is open again."))
    return see("flags", project.slug, batch)
