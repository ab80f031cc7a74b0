"""Access control of pages. Objects that the viewer may not see give 404."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.middleware import HtmxDetails

from annotation.flow.people import qualification_types, two_factor
from annotation.flow.work import arm_draws, next_assignment
from annotation.models import Assignment, Batch, Member, Project, User, Worker
from annotation.pure.people import roles

View = Callable[..., HttpResponseBase]


class Request(HttpRequest):
    """A request of somebody signed in, as the decorators here and middleware leave it; a name for annotations."""

    user: User
    may: frozenset[str]  # the acts of the viewer's role, on a page of a project
    htmx: HtmxDetails


class OtherRole(PermissionDenied):
    """A member's role does not allow this; the text is shown to them."""


require_get_or_post = require_http_methods(["GET", "HEAD", "POST"])  # a page with a form


def signed_in_or_401(view: View) -> View:
    """A decorator for calls from scripts: 401 instead of a redirect to the sign-in page."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return JsonResponse({"problem": "signed out"}, status=401)
        return view(request, *args, **kwargs)

    return checked


def member_required(act: str, *, posting: str = "", removed: bool = False) -> Callable[[View], View]:
    """A decorator that replaces the view's `slug` by the Project, for members who may do `act` (POST: `posting`).

    It also replaces `batch`, for a view that takes a Batch, by that of the project; 404 if there is none.
    Other users get 404; members without the permission get an explanation. `request.may` has all their permissions.
    `removed`: for a deleted project.
    """

    def decorate(view: View) -> View:
        takes_batch = view.__annotations__.get("batch") in {Batch, "Batch"}

        @wraps(view)
        @login_required
        def checked(request: Request, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            rows = Member.objects.select_related("project").filter(project__removed_at__isnull=not removed)
            member = get_object_or_404(rows, project__slug=slug, user=request.user)
            if not member.may(posting if posting and request.method == "POST" else act):
                raise OtherRole(_role_message(member))
            if two_factor.is_missing(member.project, request.user):
                text = _("“%(project)s” requires a second factor of its members. Set yours up to continue.")
                messages.info(request, text % {"project": member.project})
                back = request.get_full_path() if request.method == "GET" else reverse("project", args=[slug])
                return redirect(f"{reverse('second-factor')}?{urlencode({'next': back})}")
            request.may = roles.acts_of(member.role)
            if takes_batch:
                kwargs["batch"] = _batch_of(member.project, kwargs["batch"])
            return view(request, member.project, *args, **kwargs)

        return checked

    return decorate


def _batch_of(project: Project, slug: str) -> Batch:
    batch = get_object_or_404(project.batches.select_related("project"), slug=slug)
    batch.project = project
    return batch


requester_required = member_required(roles.RUN)


def _stacked(*decorators: Callable[[View], View]) -> Callable[[View], View]:
    """Compose decorators; the first is the outermost."""

    def decorate(view: View) -> View:
        for decorator in reversed(decorators):
            view = decorator(view)
        return view

    return decorate


def member_page(act: str) -> Callable[[View], View]:
    """A decorator for a page of a project that changes nothing and is never cached (see member_required)."""
    return _stacked(never_cache, require_safe, member_required(act))


def member_form(act: str, *, posting: str = "", removed: bool = False) -> Callable[[View], View]:
    """A decorator for a page of a project with a form, which is never cached (see member_required)."""
    return _stacked(never_cache, require_get_or_post, member_required(act, posting=posting, removed=removed))


def member_action(act: str, *, removed: bool = False) -> Callable[[View], View]:
    """A decorator for a POST to a project (see member_required)."""
    return _stacked(require_POST, member_required(act, removed=removed))


requester_page = member_page(roles.RUN)
requester_form = member_form(roles.RUN)
requester_action = member_action(roles.RUN)
# the same for pages of people themselves, in all their projects
signed_in_page = _stacked(never_cache, require_safe, login_required)
signed_in_form = _stacked(never_cache, require_get_or_post, login_required)
signed_in_action = _stacked(require_POST, login_required)


def demand(request: Request, project: Project, act: str) -> None:
    """Raise OtherRole if the viewer may not do `act`, for forms that need more than their page."""
    if act not in request.may:
        raise OtherRole(_role_message(Member.objects.get(project=project, user=request.user)))


def _role_message(member: Member) -> str:
    text = _("Your role in this project is %(role)s, which does not allow this. Ask an owner of the project.")
    return text % {"role": member.get_role_display()}


def own_assignment(request: Request, public_id: str) -> Assignment:
    """The viewer's own assignment, as `next_assignment.own` reads it; 404 for anybody else's."""
    found = next_assignment.own(public_id, request.user.pk)
    if found is None:
        raise Http404
    return found


def open_batch(request: Request, pk: int) -> tuple[Batch, Worker]:
    """A launched batch that the viewer may discover as a worker of its project; 404 otherwise.

    An arm of an experiment only once it is, or was, open to them.
    """
    launched = Batch.objects.exclude(state__in=[Batch.State.DRAFT, Batch.State.LAUNCHING])
    launched = launched.filter(project__removed_at__isnull=True).select_related("project")
    batch = get_object_or_404(launched, pk=pk, project__workers__user=request.user)
    worker = Worker.objects.get(project=batch.project, user=request.user)
    worker.project = batch.project
    if (
        qualification_types.lacks(worker, batch, act="discover")
        and not batch.participations.filter(worker=worker).exists()
    ):
        raise Http404
    if batch.experiment_id is not None and not arm_draws.has_reached(worker, batch):
        raise Http404
    return batch, worker


def with_next(url: str, request: Request) -> HttpResponse:
    """Redirect to `url`, which then leads back to this page."""
    return redirect(f"{url}?{urlencode({'next': request.get_full_path()})}")
