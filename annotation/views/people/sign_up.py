"""Signing in, joining by invite or on a project's open page, consent, preferences, and the home redirect."""

import json
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, user_logged_in
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.contrib.auth.views import LoginView, PasswordResetConfirmView
from django.db import transaction
from django.db.models import Q
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse, reverse_lazy
from django.utils import translation
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import set_language

from annotation.flow.errors import Refused
from annotation.flow.notifications import announcements, notice_inbox
from annotation.flow.people import consent, members, shortcuts, sign_in, sign_up, two_factor
from annotation.flow.projects import projects, recycle_bin
from annotation.flow.work import eligibility
from annotation.forms.sign_up import JoinForm
from annotation.models import Invite, Notice, Project, User, Worker, clock
from annotation.pure.people import roles
from annotation.pure.people.consent_text import is_unfinished, shown
from annotation.views import next_steps
from annotation.views.access import Request, require_get_or_post, signed_in_form, signed_in_or_401
from annotation.views.markdown_html import html_for_reader
from annotation.views.people.two_factor import ask_for_code
from annotation.views.post_handling import see_other


@receiver(user_logged_in)
def note_language(sender: Any, request: Request, user: User, **_more: Any) -> None:
    """Use the sign-in page's language for mails, if the user never chose one."""
    notice_inbox.set_language(user, translation.get_language(), unless_known=True)


def language(request: Request) -> HttpResponse:
    """Set the language of pages and mails."""
    wanted = request.POST.get("language", "")
    if request.user.is_authenticated and translation.check_for_language(wanted):
        notice_inbox.set_language(request.user, wanted)
    response = set_language(request)
    if response.status_code == 302:
        response.status_code = 303  # a 302 to the sign-in page says that a session ended (PersonMiddleware)
    return response


KNOWN_FOR = 365 * 24 * 3600  # seconds
KNOWN = "known_here"  # cookie: people who signed in from this browser are exempt from the limit of their address


class SignIn(LoginView):
    """Sign-in page; after too many failed attempts 429 for the rest of a minute."""

    template_name = "people/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name = request.POST.get("username", "")
        is_known = constant_time_compare(request.COOKIES.get(KNOWN, ""), sign_in.seal(name))
        most = 0 if is_known else sign_in.MOST_AT_ADDRESS
        wait = sign_in.wait_of(name, address=address_of(request), most_at_address=most)
        if not wait:
            return super().post(request, *args, **kwargs)
        return too_many_attempts(request, wait, next=self.get_redirect_url())

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        name = self.request.POST.get("username", "")
        sign_in.forget(name, address=address_of(self.request))
        if two_factor.is_on(form.get_user()):
            response = ask_for_code(self.request, form.get_user(), after=self.get_redirect_url())
        else:
            response = super().form_valid(form)
        kept: dict[str, Any] = {"max_age": KNOWN_FOR, "secure": settings.SESSION_COOKIE_SECURE, "httponly": True}
        response.set_cookie(KNOWN, sign_in.seal(name), samesite="Lax", **kept)
        return response


def too_many_attempts(request: HttpRequest, wait: int, **context: str) -> HttpResponse:
    """429 with the seconds to wait."""
    response = render(request, "people/too_many_attempts.html", {"wait": wait, **context}, status=429)
    response["Retry-After"] = wait
    return response


def address_of(request: HttpRequest) -> str:
    """The client's address; behind the TLS proxy the last entry of X-Forwarded-For, which the proxy adds."""
    seen = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.HTTPS else ""
    return seen.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


class NewPassword(PasswordResetConfirmView):
    """Set a new password by link, and notify the account's person; 410 if the link was used or expired."""

    template_name = "people/set_password.html"
    success_url = reverse_lazy("sign-in")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        response = super().form_valid(form)
        of_project = Q(members__user=self.user) | Q(workers__user=self.user)
        if project := Project.objects.filter(of_project).order_by("pk").first():
            key = f"password/{clock.now().timestamp()}"
            announcements.notify([cast(User, self.user)], Notice.Kind.PASSWORD, project=project, key=key)
        messages.success(self.request, _("Your new password is set. Sign in with it."))
        return response

    def render_to_response(self, context: dict[str, Any], **response: Any) -> HttpResponse:
        return super().render_to_response(context, status=200 if self.validlink else 410, **response)


@require_safe
@login_required
def home(request: Request) -> HttpResponse:
    """Redirect to the user's only project, or let them choose; with ?all always choose."""
    members = request.user.memberships.select_related("project").order_by("project__title")
    present = list(members.filter(project__removed_at=None))
    gone = members.filter(project__removed_at__isnull=False, project__erasure=None)
    removed = [member.project for member in gone if member.may(roles.OWN)]
    is_worker = request.user.workers.filter(project__removed_at=None).exists()
    choose = removed or "all" in request.GET
    if not present and is_worker and not choose:
        return redirect("work")
    if len(present) == 1 and not is_worker and not choose:
        return redirect("project", present[0].project.slug)
    waits = [next_steps.shown(one.project, next_steps.waiting(one.project), roles.acts_of(one.role)) for one in present]
    members_and_steps = list(zip(present, waits, strict=True))
    context = {"members": members_and_steps, "removed": removed, "is_worker": is_worker}
    context |= {"days": recycle_bin.KEPT_FOR.days, "may_found": projects.may_create_project(request.user)}
    return render(request, "people/home.html", context)


@never_cache
@require_get_or_post
def join(request: Request, token: str) -> HttpResponse:
    """Join by invite link: create an account, or join with the current one."""
    if request.user.is_authenticated and (known := members.joined_by(token, request.user)):
        messages.info(request, _("You have joined “%(project)s” already.") % {"project": known.project})
        return redirect("work") if known.role == Invite.Role.WORKER else redirect("project", known.project.slug)
    invited = members.usable_invite(token)
    if invited is None:
        return render(request, "people/join.html", {"invite": None}, status=410)
    if request.method == "POST" and request.user.is_authenticated:
        return _joined(request, invited, request.user)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = form.save()
            response = _joined(request, invited, user)
        login(request, user)
        return response
    status = 422 if request.method == "POST" else 200
    return render(request, "people/join.html", {"invite": invited, "form": form}, status=status)


def _joined(request: Request, invited: Invite, user: User) -> HttpResponse:
    try:
        members.accept_invite(invited, user)
    except Refused as refusal:
        return render(request, "people/join.html", {"invite": None, "message": str(refusal)}, status=410)
    return redirect("consent" if invited.role == Invite.Role.WORKER else "project", invited.project.slug)


@signed_in_form
def consent_page(request: Request, slug: str) -> HttpResponse:
    """The project's consent text; POST accepts the version that was shown, or withdraws the consent."""
    rows = Worker.objects.select_related("project").filter(project__removed_at=None)
    worker = get_object_or_404(rows, user=request.user, project__slug=slug)
    project = worker.project
    after = safe_next(request)
    if request.method == "POST" and "withdraw" in request.POST:
        consent.withdraw(worker)
        text = _("You withdrew your consent. You get no more work in “%(project)s”.")
        messages.success(request, text % {"project": project})
        return see_other("work")
    unfinished = is_unfinished(project.consent)
    if request.method == "POST" and request.POST.get("version") == str(project.consent_version) and not unfinished:
        consent.give(worker, version=project.consent_version)
        return HttpResponseRedirect(after)
    is_guest = "guest_home" in request.session
    html = html_for_reader(shown(project.consent, from_panel=is_guest))
    context = {"project": project, "consent_html": html, "worker": worker, "next": after, "unfinished": unfinished}
    context["is_guest"] = is_guest
    return render(request, "people/consent.html", context)


def safe_next(request: Request, otherwise: str = "work") -> str:
    """The URL of `next` if it is on this site, else of the named page (by default the worker's home)."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure()):
        return url
    return reverse(otherwise)


@require_POST
@signed_in_or_401
def preferences(request: Request) -> HttpResponse:
    """Save the viewer's keyboard shortcuts: JSON {"off": bool, "keys": {action: one key}}."""
    try:
        chosen = json.loads(request.body)
        off, keys = chosen["off"], chosen["keys"]
        fit = isinstance(off, bool) and len(keys) <= 60
        fit = fit and all(isinstance(k, str) and isinstance(v, str) for k, v in keys.items())
        fit = fit and all(0 < len(k) <= 30 and len(v) <= 12 and (k + v).isprintable() for k, v in keys.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        fit = False
    if not fit:
        return JsonResponse({"problem": _("These keys were not valid, so nothing was changed.")}, status=400)
    if conflicts := shortcuts.conflicts(keys):
        return JsonResponse({"problem": " ".join(conflicts.values())}, status=409)
    shortcuts.save(request.user, off=off, keys=keys)
    return JsonResponse({}, status=200)


@never_cache
@require_get_or_post
def open_join(request: Request, slug: str) -> HttpResponse:
    """The project's description and a form to join; 404 if it does not admit the viewer."""
    project = get_object_or_404(Project, slug=slug)
    person = request.user if request.user.is_authenticated else None
    if not sign_up.may_sign_up(project, person):
        raise Http404
    if person is not None and project.workers.filter(user=person).exists():
        return redirect(safe_next(request))
    if request.method != "POST":
        return _join_page(request, project, JoinForm())
    if person is None:
        return _create_account(request, project)
    return _sign_up_and_consent(request, project, person)


def _create_account(request: Request, project: Project) -> HttpResponse:
    """Create an account and join; 429 if one address creates many."""
    wait = sign_in.wait_of("open page", address=address_of(request))
    if wait:
        return too_many_attempts(request, wait, again=request.get_full_path())
    form = JoinForm(request.POST)
    if not form.is_valid():
        return _join_page(request, project, form, status=422)
    with transaction.atomic():
        user = form.save()
        response = _sign_up_and_consent(request, project, user)
    login(request, user)
    return response


def _sign_up_and_consent(request: Request, project: Project, user: User) -> HttpResponse:
    """Redirect to the consent, and from there to `next`."""
    sign_up.sign_up(project, user)
    onward = f"?{urlencode({'next': safe_next(request)})}" if "next" in request.GET else ""
    return redirect(reverse("consent", args=[project.slug]) + onward)


def _join_page(request: Request, project: Project, form: JoinForm, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "batches": eligibility.advertised(project),
        "consent_html": ""
        if is_unfinished(project.consent)
        else html_for_reader(shown(project.consent, from_panel=False)),
    }
    return render(request, "people/join_open_project.html", context, status=status)
