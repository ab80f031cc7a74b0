"""A member's own API tokens: create, list, revoke."""

from typing import Any

from django.contrib import messages
from django.db.models import F, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.flow.projects import api_tokens
from annotation.forms.account import TokenForm
from annotation.models import ApiToken, Project, clock
from annotation.pure.people import roles
from annotation.views.access import Request, member_action, member_form
from annotation.views.post_handling import see_other

SHOWN = 100


@member_form(roles.SEE)
def tokens(request: Request, project: Project) -> HttpResponse:
    """The viewer's tokens that are valid here; POST creates one, whose text is shown only once."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    address = request.build_absolute_uri(reverse("api-project", args=[project.slug]))
    context = {"project": project, "section": "settings", "form": form, "address": address}
    if form.is_bound and form.is_valid():
        terms = {"scope": form.cleaned_data["scope"], "note": form.cleaned_data["note"], "expires_at": form.ends()}
        made, text = api_tokens.make(request.user, project=project, **terms)
        return render(request, "people/api_token.html", context | {"token": made, "text": text})
    rows = _own(request, project).order_by(F("revoked_at").asc(nulls_first=True), "-created_at")[:SHOWN]
    now = clock.now()
    context["tokens"] = [(row, _state(row, now)) for row in rows]
    return render(request, "people/api_tokens.html", context, status=422 if form.errors else 200)


def _own(request: Request, project: Project) -> Any:
    return ApiToken.objects.filter(Q(project=project) | Q(project=None), user=request.user)


def _state(row: ApiToken, now: Any) -> str:
    if row.revoked_at:
        return "revoked"
    return "over" if row.expires_at and row.expires_at <= now else "good"


@member_action(roles.SEE)
def token_revoke(request: Request, project: Project, pk: int) -> HttpResponse:
    """Revoke one of the viewer's tokens."""
    api_tokens.revoke(get_object_or_404(_own(request, project), pk=pk))
    messages.success(request, _("The token is revoked. Scripts that use it are refused from now on."))
    return see_other("tokens", project.slug)
