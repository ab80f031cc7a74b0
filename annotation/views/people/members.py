"""Members of a project: changing roles, removing, restoring."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from annotation.flow.people import members
from annotation.models import Member, Project
from annotation.pure.people import roles
from annotation.views.access import member_action
from annotation.views.redirects import see
from annotation.views.refusals import refusal_as_message


@member_action(roles.OWN)
def member_role(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Give a member another role."""
    member = get_object_or_404(project.members.select_related("user", "project"), pk=pk)
    role = request.POST.get("role", "")
    if role not in Member.Role.values:
        messages.error(request, _("Choose a role."))
        return see("people", project.slug)
    with refusal_as_message(request):
        if members.change_role(member, role):
            text = _("%(person)s was %(before)s and is now %(role)s.")
            named = {"role": Member.Role(role).label, "before": member.get_role_display()}
            messages.success(request, text % {"person": member.user, **named})
    # members who gave up their own role may no longer see the page of people
    is_owner = Member.objects.filter(pk=member.pk, role=Member.Role.OWNER).exists
    gave_up = member.user == request.user and not roles.may(role, roles.PEOPLE) and not is_owner()
    return see("project" if gave_up else "people", project.slug)


@member_action(roles.OWN)
def member_remove(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Remove a member; the page then offers to undo it."""
    member = get_object_or_404(project.members.select_related("user", "project"), pk=pk)
    with refusal_as_message(request):
        members.remove(member)
        text = _("%(person)s no longer has access to this project. You can restore access under People for 30 days.")
        messages.success(request, text % {"person": member.user})
        if member.user == request.user:
            return see("home")
    return see("people", project.slug)


@member_action(roles.OWN)
def member_restore(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Restore a removed member in their former role."""
    person = next((former.user for former in members.gone(project) if former.user.pk == pk), None)
    if person is None:
        raise Http404
    if members.bring_back(project, person):
        messages.success(request, _("%(person)s is a member again.") % {"person": person})
    return see("people", project.slug)
