"""The people of a project: who runs it, who answers, and the links by which they come in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.tokens import default_token_generator
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.console_forms import InviteForm
from annotation.flow import joining
from annotation.models import Assignment, Invite, Project, User, Worker
from annotation.views.access import requester_required, require_get_or_post
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@requester_required
def people(request: HttpRequest, project: Project) -> HttpResponse:
    """Everybody, and every link; POST makes an invite link."""
    form = InviteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        joining.invite(project, by=request.user, **form.cleaned_data)
        messages.success(request, _("The link is ready. Copy it from the list and send it."))
        return see("people", project.slug)
    page = Paginator(_workers(project), 100).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "section": "people",
        "form": form,
        "page": page,
        "workers": _told(project, list(page)),
        "members": project.members.select_related("user").order_by("created_at"),
        "invites": [_link(request, invite) for invite in project.invites.order_by("-created_at")[:50]],
    }
    return render(request, "people/people.html", context, status=422 if form.errors else 200)


def _workers(project: Project) -> Any:
    return project.workers.select_related("user").order_by("-active", "pk")


def _told(project: Project, workers: list[Worker]) -> list[dict[str, Any]]:
    """Workers with their pseudonym, what they submitted and when they were last seen at work."""
    submitted = Count("pk", filter=Q(state=Assignment.State.SUBMITTED))
    rows = Assignment.objects.filter(worker__in=workers).values("worker")
    counted = rows.annotate(n=submitted, taken=Max("accepted_at"), sent=Max("submitted_at"))
    found = {row["worker"]: row for row in counted}
    told = []
    for worker in workers:
        worker.project = project
        seen = found.get(worker.pk, {"n": 0, "taken": None, "sent": None})
        times = [time for time in (seen["taken"], seen["sent"]) if time]
        told.append({"worker": worker, "submitted": seen["n"], "last": max(times, default=None)})
    return told


def _link(request: HttpRequest, invite: Invite) -> dict[str, Any]:
    """An invite with its address and whether it still lets people in."""
    over = invite.expires_at <= timezone.now()
    state = "revoked" if invite.revoked_at else "over" if over else "used" if invite.used >= invite.places else "open"
    return {"invite": invite, "state": state, "url": request.build_absolute_uri(reverse("join", args=[invite.token]))}


@require_POST
@requester_required
def invite_revoke(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Close an invite link."""
    joining.revoke_invite(get_object_or_404(Invite, project=project, pk=pk))
    messages.success(request, _("The link lets nobody in any more. Who joined with it stays."))
    return see("people", project.slug)


@require_POST
@requester_required
def worker_active(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Deactivate or reactivate an annotator."""
    worker = get_object_or_404(Worker, project=project, pk=pk)
    active = request.POST.get("active") == "1"
    joining.set_active(worker, active=active)
    gone = _("They get no more assignments. What they submitted stays.")
    messages.success(request, _("They can take assignments again.") if active else gone)
    return see("people", project.slug)


@never_cache
@require_POST
@requester_required
def password_link(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Make a link with which a person of the project sets a new password; it is shown this once."""
    of_project = Q(memberships__project=project) | Q(workers__project=project)
    person = get_object_or_404(User.objects.filter(of_project).distinct(), pk=pk)
    if not joining.may_reset_password(request.user, person):
        text = _("%(person)s also belongs to other projects, so an administrator must reset the password.")
        messages.error(request, text % {"person": person})
        return see("people", project.slug)
    key = urlsafe_base64_encode(force_bytes(person.pk))
    address = reverse("password-reset", args=[key, default_token_generator.make_token(person)])
    context = {"project": project, "section": "people", "person": person, "url": request.build_absolute_uri(address)}
    return render(request, "people/password_link.html", context)
