"""The people of a project: who runs it, who answers, and the links by which they come in."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.tokens import default_token_generator
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.console_forms import InviteForm
from annotation.flow import enrolling, joining, knowing, messaging, mturk_ids, qualifying, recording
from annotation.flow.refusal import Refused
from annotation.models import Invite, Member, Project, User, Worker
from annotation.pure import roles
from annotation.views.access import member_required, require_get_or_post
from annotation.views.seeing import see


@never_cache
@require_get_or_post
@member_required(roles.PEOPLE)
def people(request: HttpRequest, project: Project) -> HttpResponse:
    """Everybody, and every link; POST makes an invite link."""
    role = project.members.get(user=request.user).role
    form = InviteForm(request.POST or None, role=role)
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
        "alone": project.members.filter(role=Member.Role.OWNER, user__is_active=True).count() < 2,
        "gone": enrolling.gone(project),
        "member_roles": Member.Role.choices,
        "invites": [_link(request, invite, role) for invite in project.invites.order_by("-created_at")[:50]],
        "open_url": _open_url(request, project),
        "letters_new": messaging.unread_of(project).count(),
    }
    return render(request, "people/people.html", context, status=422 if form.errors else 200)


def _workers(project: Project) -> Any:
    return project.workers.select_related("user", "block").order_by("-active", "pk")


def _told(project: Project, workers: list[Worker]) -> list[dict[str, Any]]:
    """Workers with their pseudonym, what they submitted and when they were last seen at work."""
    known = knowing.of_workers(workers)
    for worker in workers:
        worker.project = project
    return [{"worker": one, "submitted": known[one.pk].submitted, "last": known[one.pk].last} for one in workers]


def _link(request: HttpRequest, invite: Invite, role: str) -> dict[str, Any]:
    """An invite with its address, for whoever may let people in as that, and whether it still lets people in."""
    url = request.build_absolute_uri(reverse("join", args=[invite.token]))
    return {"invite": invite, "state": invite.state, "url": url if roles.may_invite(role, invite.role) else ""}


def _open_url(request: HttpRequest, project: Project) -> str:
    if project.sign_up == Project.SignUp.INVITE:
        return ""
    return request.build_absolute_uri(reverse("open-join", args=[project.slug]))


@never_cache
@require_get_or_post
@member_required(roles.PEOPLE)
def mturk_ids_import(request: HttpRequest, project: Project) -> HttpResponse:
    """Carry worker IDs of Mechanical Turk over: one a line."""
    text, problem = request.POST.get("ids", ""), ""
    if request.method == "POST":
        try:
            told = mturk_ids.import_ids(project, text.splitlines())
        except Refused as refused:
            problem = str(refused)
        else:
            said = _(
                "%(added)s worker IDs added, %(known)s known already. You can block them and give them scores now."
            )
            messages.success(request, said % told)
            return see("people", project.slug)
    context = {"project": project, "section": "people", "ids": text, "problem": problem}
    return render(request, "people/mturk_ids.html", context, status=422 if problem else 200)


@require_POST
@member_required(roles.PEOPLE)
def invite_revoke(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Close an invite link."""
    joining.revoke_invite(get_object_or_404(Invite, project=project, pk=pk))
    messages.success(request, _("The link lets nobody in any more. Who joined with it stays."))
    return see("people", project.slug)


@require_POST
@member_required(roles.PEOPLE)
def worker_active(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Deactivate or reactivate an annotator."""
    worker = get_object_or_404(Worker, project=project, pk=pk)
    active = request.POST.get("active") == "1"
    joining.set_active(worker, active=active)
    gone = _("They get no more assignments. What they submitted stays.")
    messages.success(request, _("They can take assignments again.") if active else gone)
    return see("people", project.slug)


@require_POST
@member_required(roles.PEOPLE)
def worker_unblock(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Lift the block of an annotator."""
    qualifying.unblock(get_object_or_404(Worker, project=project, pk=pk))
    messages.success(request, _("They can take assignments again."))
    return see("people", project.slug)


@never_cache
@require_POST
@member_required(roles.PEOPLE)
def password_link(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Make a link with which a person of the project sets a new password; it is shown this once."""
    of_project = Q(memberships__project=project) | Q(workers__project=project)
    person = get_object_or_404(User.objects.filter(of_project).distinct(), pk=pk)
    if not joining.may_reset_password(request.user, person):
        text = _("%(person)s may open more than you may, so an administrator must reset the password.")
        messages.error(request, text % {"person": person})
        return see("people", project.slug)
    recording.record("password link made", project, account=person.pk)
    key = urlsafe_base64_encode(force_bytes(person.pk))
    address = reverse("password-reset", args=[key, default_token_generator.make_token(person)])
    context = {"project": project, "section": "people", "person": person, "url": request.build_absolute_uri(address)}
    return render(request, "people/password_link.html", context)
