"""Two-factor authentication: set-up, backup codes, removal, the second step of signing in; throttled guesses."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model, login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.flow.people import sign_in, two_factor
from annotation.forms.account import CodeForm, ProofForm
from annotation.models import User, clock
from annotation.views import qr_code
from annotation.views.access import Request, require_get_or_post, signed_in_form
from annotation.views.post_handling import see_other


def too_many(user: User, form: forms.Form) -> int:
    """Count an attempt of this person; returns the seconds to wait, and adds an error, if it is one too many."""
    wait = sign_in.wait_of(f"{user.pk} proves", address="")
    if wait:
        text = ngettext(
            "Too many attempts. You can try again in %(wait)s second.",
            "Too many attempts. You can try again in %(wait)s seconds.",
            wait,
        )
        form.errors.clear()  # do not reveal whether the secret was right
        form.add_error(None, text % {"wait": wait})
    return wait


def proved(user: User) -> None:
    """Forget the attempts before the right one."""
    sign_in.forget(f"{user.pk} proves", address="")


def answer(
    request: HttpRequest, template: str, context: dict[str, object], form: forms.Form, wait: int
) -> HttpResponse:
    """The page with its form: status 422 for errors, 429 for too many attempts."""
    status = 429 if wait else 422 if form.errors else 200
    wrong = next((name for name in form.fields if name in form.errors), None) if form.is_bound else None
    if wrong:
        form.fields[wrong].widget.attrs["autofocus"] = True
    response = render(request, template, context, status=status)
    if wait:
        response["Retry-After"] = str(wait)
    return response


PROPOSED = "hopscribe.second-factor"
HALF_WAY = "signing_in"  # session key: the user whose password was right, until when, and the next URL
PATIENCE = 10 * 60  # seconds between the two steps


def ask_for_code(request: HttpRequest, user: User, *, after: str) -> HttpResponse:
    """After the right password: remember the user in a new, anonymous session, and ask for the code."""
    request.session.cycle_key()
    request.session[HALF_WAY] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "backend": user.backend,
        "until": clock.now().timestamp() + PATIENCE,
        "after": after,
    }
    return redirect("sign-in-code")


@never_cache
@require_get_or_post
def sign_in_code(request: Request) -> HttpResponse:
    """The second step of signing in; without the first one, back to it."""
    half = request.session.get(HALF_WAY) or {}
    user = _half_way(half)
    if user is None:
        request.session.pop(HALF_WAY, None)
        return redirect("sign-in")
    form, wait = CodeForm(request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and form.is_valid() and not (wait := too_many(user, form)):
        if two_factor.verify_code(user, form.cleaned_data["code"]):
            proved(user)
            del request.session[HALF_WAY]
            login(request, user, backend=half["backend"])
            return HttpResponseRedirect(half["after"] or reverse("home"))
        form.add_error("code", two_factor.refusal_reason(user))
    return answer(request, "people/sign_in_code.html", {"form": form}, form, wait)


def _half_way(half: dict[str, Any]) -> User | None:
    """The user between the two steps, unless it took too long or the password changed."""
    if not half or half["until"] < clock.now().timestamp():
        return None
    user = get_user_model().objects.filter(pk=half["user"], is_active=True).first()
    return user if user and constant_time_compare(half["hash"], user.get_session_auth_hash()) else None


@signed_in_form
def second_factor(request: Request) -> HttpResponse:
    """Set it up with a code and the password; if it is on, change it."""
    if two_factor.is_on(request.user):
        return _in_use(request)
    key = _shown_key(request) or two_factor.proposed_key()
    form, wait = ProofForm(request.user, request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and not (wait := too_many(request.user, form)) and form.is_valid():
        if codes := two_factor.confirm(request.user, key, form.cleaned_data["code"]):
            proved(request.user)
            update_session_auth_hash(request, request.user)
            return render(request, "people/backup_codes.html", {"codes": codes, "next": _next(request)})
        form.add_error("code", _("This code is wrong. Is the clock of your phone correct?"))
    image = qr_code.as_data_uri(two_factor.address(request.user, key))
    context = {"form": form, "image": image, "key": two_factor.typed_key(key), "next": _next(request)}
    context["signed_key"] = signing.dumps([request.user.pk, key], salt=PROPOSED)
    return answer(request, "people/two_factor_setup.html", context, form, wait)


def _shown_key(request: Request) -> str:
    """The key shown to this person, kept in the session until confirmed."""
    try:
        user, key = signing.loads(request.POST.get("key", ""), salt=PROPOSED, max_age=PATIENCE * 6)
    except signing.BadSignature:
        return ""
    return key if user == request.user.pk else ""


def _next(request: Request) -> str:
    """The URL to continue with, if it is on this site."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    return url if url_has_allowed_host_and_scheme(url, {request.get_host()}, request.is_secure()) else ""


def _in_use(request: Request, form: ProofForm | None = None, wait: int = 0) -> HttpResponse:
    form = form or ProofForm(request.user)
    form.fields["code"].help_text = CodeForm.base_fields["code"].help_text
    left = two_factor.codes_left(request.user)
    return answer(request, "people/two_factor.html", {"form": form, "left": left}, form, wait)


@never_cache
@require_POST
@login_required
def second_factor_change(request: Request, act: str) -> HttpResponse:
    """Create new backup codes (`codes`) or turn it off (`remove`), with password and code."""
    if not two_factor.is_on(request.user):
        return see_other("second-factor")
    form, wait = ProofForm(request.user, request.POST), 0
    if (wait := too_many(request.user, form)) or not form.is_valid():
        return _in_use(request, form, wait)
    if not two_factor.verify_code(request.user, form.cleaned_data["code"]):
        form.add_error("code", two_factor.refusal_reason(request.user))
        return _in_use(request, form)
    proved(request.user)
    if act == "codes":
        return render(
            request, "people/backup_codes.html", {"codes": two_factor.renew_backup_codes(request.user), "next": ""}
        )
    two_factor.remove(request.user)
    update_session_auth_hash(request, request.user)
    messages.success(request, _("You now sign in with your password alone. You were signed out everywhere else."))
    return see_other("account")
