"""Coming in: joining by invite, consent, preferences, and the way home."""

from __future__ import annotations

import json

from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow import joining
from annotation.flow.refusal import Refused
from annotation.forms import JoinForm
from annotation.models import Invite, User, Worker
from annotation.views.access import signed_in_or_401
from annotation.views.prose import html_of

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """To the one place that the user has, or to a choice of them."""
    projects = [m.project for m in request.user.memberships.select_related("project").order_by("project__title")]
    is_worker = request.user.workers.exists()
    if not projects and is_worker:
        return redirect("work")
    if len(projects) == 1 and not is_worker:
        return redirect("project", projects[0].slug)
    return render(request, "accounts/home.html", {"projects": projects, "is_worker": is_worker})


@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Behind an invite link: make an account, or join with the one that is signed in."""
    invited = joining.usable_invite(token)
    if invited is None:
        return render(request, "accounts/join.html", {"invite": None}, status=410)
    if request.method == "POST" and request.user.is_authenticated:
        return _joined(request, invited, request.user)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = form.save()
            response = _joined(request, invited, user)
        login(request, user, backend=MODEL_BACKEND)
        return response
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/join.html", {"invite": invited, "form": form}, status=status)


def _joined(request: HttpRequest, invited: Invite, user: User) -> HttpResponse:
    try:
        joining.accept_invite(invited, user)
    except Refused as refusal:
        return render(request, "accounts/join.html", {"invite": None, "message": str(refusal)}, status=410)
    if invited.role == Invite.Role.WORKER:
        return redirect("consent", invited.project.slug)
    return redirect("project", invited.project.slug)


@never_cache
@login_required
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    """The project's consent text; POST accepts the version that was shown."""
    rows = Worker.objects.select_related("project")
    worker = get_object_or_404(rows, user=request.user, project__slug=slug)
    project = worker.project
    after = safe_next(request)
    if request.method == "POST" and request.POST.get("version") == str(project.consent_version):
        joining.consent(worker, version=project.consent_version)
        return redirect(after)
    html = html_of(project.consent)
    context = {"project": project, "consent_html": html, "worker": worker, "next": after}
    return render(request, "accounts/consent.html", context)


def safe_next(request: HttpRequest) -> str:
    """Where to go on: `next` if it is a place of this site, else the worker's home."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure()):
        return url
    return reverse("work")


@require_POST
@signed_in_or_401
def preferences(request: HttpRequest) -> HttpResponse:
    """Save the viewer's keys: JSON {"off": bool, "keys": {action: one key}}."""
    try:
        wish = json.loads(request.body)
        off, keys = wish["off"], wish["keys"]
        fit = isinstance(off, bool) and len(keys) <= 60
        fit = fit and all(isinstance(k, str) and isinstance(v, str) for k, v in keys.items())
        fit = fit and all(0 < len(k) <= 30 and len(v) <= 12 and "\0" not in k + v for k, v in keys.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        fit = False
    if not fit:
        return HttpResponseBadRequest(_("The keys were not understood, so nothing was changed."))
    User.objects.filter(pk=request.user.pk).update(shortcuts={"off": off, "keys": keys})
    return JsonResponse({}, status=200)
