"""The open page of a project, where people join without an invite."""

from typing import Any

from django.contrib.auth import login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from annotation.flow.people import sign_in_throttle, sign_up
from annotation.flow.work import eligibility
from annotation.forms.sign_up import JoinForm
from annotation.models import Project, User
from annotation.views.access import require_get_or_post
from annotation.views.markdown_html import html_of
from annotation.views.people.sign_up import MODEL_BACKEND, address_of, safe_next, too_many_attempts


@never_cache
@require_get_or_post
def open_join(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's description and a form to join; 404 if it does not admit the viewer."""
    project = get_object_or_404(Project, slug=slug)
    person = request.user if request.user.is_authenticated else None
    if not sign_up.may_sign_up(project, person):
        raise Http404
    if person is not None and project.workers.filter(user=person).exists():
        return redirect(safe_next(request))
    if request.method == "POST":
        return _joined(request, project, person) if person is not None else _account(request, project)
    return _page(request, project, JoinForm())


def _account(request: HttpRequest, project: Project) -> HttpResponse:
    """Create an account and join; 429 if one address creates many."""
    wait = sign_in_throttle.wait_of("open page", address=address_of(request))
    if wait:
        return too_many_attempts(request, wait, again=request.get_full_path())
    form = JoinForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    with transaction.atomic():
        user = form.save()
        response = _joined(request, project, user)
    login(request, user, backend=MODEL_BACKEND)
    return response


def _joined(request: HttpRequest, project: Project, user: User) -> HttpResponse:
    """Redirect to the consent, and from there to `next`."""
    sign_up.sign_up(project, user)
    onward = f"?{urlencode({'next': safe_next(request)})}" if "next" in request.GET else ""
    return redirect(reverse("consent", args=[project.slug]) + onward)


def _page(request: HttpRequest, project: Project, form: JoinForm, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "batches": eligibility.advertised(project),
        "consent_html": html_of(project.consent),
    }
    return render(request, "people/join_open_project.html", context, status=status)
