"""The people of a project: members and their roles, workers, invites."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation import jobs
from annotation.flow.batches import workers_needed
from annotation.flow.errors import Refused
from annotation.flow.notifications import worker_messages
from annotation.flow.people import members, mturk_ids, qualification_types, sign_up, worker_profile
from annotation.flow.projects import audit_log
from annotation.forms.projects import InviteForm
from annotation.forms.setting_fields import FilterForm
from annotation.models import Batch, Invite, Member, Project, User, Worker
from annotation.operations.password_links import password_path
from annotation.pure.net import addresses
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_form, member_required
from annotation.views.invite_links import base_of_links, link_of
from annotation.views.post_handling import refusal_as_message, see_other, whole_number


@member_form(roles.PEOPLE)
def people(request: Request, project: Project) -> HttpResponse:
    """Members, workers and invites; POST creates an invite."""
    role = project.members.get(user=request.user).role
    missing = workers_needed.places_missing(project)
    places = min(whole_number(request.GET.get("places", ""), 0) or missing or 1, InviteForm.MOST_PLACES)
    form = InviteForm(request.POST or None, role=role, initial={"places": places})
    if request.method == "POST" and form.is_valid():
        made = members.invite(project, by=request.user, **form.cleaned_data)
        return HttpResponseRedirect(f"{reverse('people', args=[project.slug])}?made={made.pk}", status=303)
    wanted = worker_profile.WorkerFilter.of(request.GET)
    page = wanted.page(wanted.narrow(project, project.workers.select_related("user", "block")), request.GET)
    types = project.qualification_types.filter(deleted_at=None).order_by("name").values_list("public_id", "name")
    base = base_of_links(request)
    by_invite = project.sign_up == Project.SignUp.INVITE
    context = {
        "project": project,
        "section": "people",
        "form": form,
        "page": page,
        "filters": FilterForm(wanted, qualification=types),
        "workers": _worker_rows(project, list(page)),
        "members": project.members.select_related("user").order_by("created_at"),
        "alone": project.members.filter(role=Member.Role.OWNER, user__is_active=True).count() < 2,
        "gone": members.removed_members(project),
        "member_roles": Member.Role.choices,
        "invites": [link_of(base, invite, role) for invite in project.invites.order_by("-created_at")[:50]],
        "made": whole_number(request.GET.get("made", ""), 0),
        "missing": missing,
        "host": urlsplit(base).netloc,
        "port": request.META["SERVER_PORT"],
        "reach": addresses.reach_of(urlsplit(base).netloc),
        "open_url": "" if by_invite else base + reverse("open-join", args=[project.slug]),
        "unread_messages": worker_messages.unread_of(project).count(),
    }
    return render(request, "people/people.html", context, status=422 if form.errors else 200)


def _worker_rows(project: Project, workers: list[Worker]) -> list[dict[str, Any]]:
    """Workers with pseudonym, number of responses, time of the last one, and where they are stuck without any."""
    known = worker_profile.of_workers(workers)
    for worker in workers:
        worker.project = project
    stages = worker_profile.stages(workers, {key: activity.submitted for key, activity in known.items()})
    return [
        {
            "worker": w,
            "submitted": known[w.pk].submitted,
            "last": known[w.pk].last,
            "stage": worker_profile.NAMES.get(stages.get(w.pk, "")),
        }
        for w in workers
    ]


@member_form(roles.PEOPLE)
def mturk_ids_import(request: Request, project: Project) -> HttpResponse:
    """Import Mechanical Turk worker IDs, one per line."""
    text, problem = request.POST.get("ids", ""), ""
    if request.method == "POST":
        added = _(
            "%(added)s worker IDs added; %(known)s were already known. You can block them and set their scores now."
        )
        try:
            messages.success(request, added % mturk_ids.import_ids(project, text.splitlines()))
            return see_other("people", project.slug)
        except Refused as refused:
            problem = str(refused)
    context = {"project": project, "section": "people", "ids": text, "problem": problem}
    return render(request, "people/mturk_ids.html", context, status=422 if problem else 200)


@member_action(roles.PEOPLE)
def batch_invite(request: Request, project: Project, batch: Batch) -> HttpResponse:
    """Create a link for as many workers as lack one; the batch's overview shows it."""
    if missing := min(workers_needed.places_missing(project), InviteForm.MOST_PLACES):
        members.invite(project, by=request.user, role=Invite.Role.WORKER, places=missing)
    return see_other("batch", project.slug, batch.slug)


@member_action(roles.PEOPLE)
def invite_revoke(request: Request, project: Project, pk: int) -> HttpResponse:
    """Revoke an invite."""
    members.revoke_invite(get_object_or_404(Invite, project=project, pk=pk))
    messages.success(request, _("The link no longer works. Everybody who joined with it stays."))
    return see_other("people", project.slug)


@member_action(roles.PEOPLE)
def worker_active(request: Request, project: Project, pk: int) -> HttpResponse:
    """Deactivate or activate a worker."""
    worker = get_object_or_404(Worker, project=project, pk=pk)
    active = request.POST.get("active") == "1"
    sign_up.set_active(worker, active=active)
    gone = _("They get no more assignments. Their responses stay.")
    messages.success(request, _("They can accept assignments again.") if active else gone)
    return see_other("people", project.slug)


@member_action(roles.PEOPLE)
def worker_unblock(request: Request, project: Project, pk: int) -> HttpResponse:
    """Unblock a worker."""
    qualification_types.unblock(get_object_or_404(Worker, project=project, pk=pk))
    messages.success(request, _("They can accept assignments again."))
    return see_other("people", project.slug)


@never_cache
@require_POST
@member_required(roles.PEOPLE)
def password_link(request: Request, project: Project, pk: int) -> HttpResponse:
    """A link to set a person's password: shown once, or mailed to them if they have used the account."""
    of_project = Q(memberships__project=project) | Q(workers__project=project)
    person = get_object_or_404(User.objects.filter(of_project).distinct(), pk=pk)
    text = ""
    if not sign_up.may_reset_password(request.user, person):
        text = _("%(person)s has more rights than you, so an administrator must reset the password.")
    elif not sign_up.may_see_link(person) and not (settings.EMAIL_URL and person.email):
        text = _(
            "%(person)s has signed in before, so a link may only be mailed to them, and that is not possible here. An "
            "administrator can make one with the command password_link."
        )
    if text:
        messages.error(request, text % {"person": person})
        return see_other("people", project.slug)
    audit_log.record("password link made", project, account=person.pk)
    if not sign_up.may_see_link(person):
        title = _("Password link for an account")
        jobs.enqueue_once("mail_password_link", project=project, title=title, arguments={"user": person.pk})
        messages.success(request, _("A link is on its way to the address in their account."))
        return see_other("people", project.slug)
    url = request.build_absolute_uri(password_path(person))
    context = {"project": project, "section": "people", "person": person, "url": url}
    return render(request, "people/password_link.html", context)


@member_action(roles.OWN)
def member_role(request: Request, project: Project, pk: int) -> HttpResponse:
    """Give a member another role."""
    member = get_object_or_404(project.members.select_related("user", "project"), pk=pk)
    role = request.POST.get("role", "")
    if role not in Member.Role.values:
        messages.error(request, _("Choose a role."))
        return see_other("people", project.slug)
    with refusal_as_message(request):
        if members.change_role(member, role):
            text = _("%(person)s was %(before)s and is now %(role)s.")
            named = {"role": Member.Role(role).label, "before": member.get_role_display()}
            messages.success(request, text % {"person": member.user, **named})
    mine = project.members.filter(user=request.user).first()
    if mine is None:  # somebody removed them meanwhile
        return see_other("home")
    # Who gave up their own role may no longer see the page of people.
    return see_other("people" if mine.may(roles.PEOPLE) else "project", project.slug)


@member_action(roles.OWN)
def member_remove(request: Request, project: Project, pk: int) -> HttpResponse:
    """Remove a member; the page then offers to undo it."""
    member = get_object_or_404(project.members.select_related("user", "project"), pk=pk)
    with refusal_as_message(request):
        members.remove(member)
        text = _("%(person)s no longer has access to this project. You can restore access under Members for 30 days.")
        messages.success(request, text % {"person": member.user})
        if member.user == request.user:
            return see_other("home")
    return see_other("people", project.slug)


@member_action(roles.OWN)
def member_restore(request: Request, project: Project, pk: int) -> HttpResponse:
    """Restore a removed member in their former role."""
    person = next((former.user for former in members.removed_members(project) if former.user.pk == pk), None)
    if person is None:
        raise Http404
    if members.restore_member(project, person):
        messages.success(request, _("%(person)s is a member again.") % {"person": person})
    return see_other("people", project.slug)
