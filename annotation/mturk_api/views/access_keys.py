"""A project's access keys of the MTurk API."""

from django.contrib import messages
from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import AccessKey, Project
from annotation.mturk_api.flow import access_keys
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_form
from annotation.views.post_handling import see_other


def _endpoint(request: Request) -> str:
    return request.build_absolute_uri(reverse("mturk-api"))


@member_form(roles.OWN)
def key_list(request: Request, project: Project) -> HttpResponse:
    """The project's keys; POST creates one, whose secret is shown only once."""
    if request.method == "POST":
        made = access_keys.make(project, request.user)
        context = {"project": project, "section": "settings", "key": made, "endpoint": _endpoint(request)}
        return render(request, "mturk_api/access_key.html", context)
    rows = project.access_keys.select_related("user").order_by(F("revoked_at").asc(nulls_first=True), "-created_at")
    context = {"project": project, "section": "settings", "keys": rows[:100], "endpoint": _endpoint(request)}
    return render(request, "mturk_api/access_keys.html", context)


@member_action(roles.OWN)
def revoke(request: Request, project: Project, pk: int) -> HttpResponse:
    """Revoke a key."""
    access_keys.revoke(get_object_or_404(AccessKey, project=project, pk=pk))
    messages.success(request, _("The key is revoked. Scripts that use it are refused from now on."))
    return see_other("access-keys", project.slug)
