"""A person's own account: who they are, their projects, their password, and its end."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from annotation.account_forms import DeletionForm, ProfileForm
from annotation.flow import erasing, founding, proving
from annotation.flow.refusal import Refused
from annotation.models import User
from annotation.views.access import require_get_or_post
from annotation.views.seeing import see
from annotation.views.slowing import answer, proved, too_many


@never_cache
@require_get_or_post
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Name and email, and the ways to everything else of one's own."""
    user = request.user
    form = ProfileForm(
        request.POST if request.method == "POST" else None,
        initial={"display_name": user.display_name, "email": user.email},
    )
    if request.method == "POST" and form.is_valid():
        User.objects.filter(pk=user.pk).update(**form.cleaned_data)
        messages.success(request, _("Saved."))
        return see("account")
    context = {
        "form": form,
        "members": _there(user.memberships),
        "workers": _there(user.workers),
        "two_factor": proving.is_on(user),
        "may_found": founding.may_found(user),
        "languages": settings.LANGUAGES if len(settings.LANGUAGES) > 1 else [],
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


def _there(rows: Any) -> Any:
    """Somebody's parts in projects that were not deleted."""
    return rows.filter(project__removed_at=None).select_related("project").order_by("project__title")


@never_cache
@sensitive_post_parameters()
@require_get_or_post
@login_required
def password_change(request: HttpRequest) -> HttpResponse:
    """A new password; whoever is signed in with the old one elsewhere is signed out."""
    form, wait = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and not (wait := too_many(request.user, form)) and form.is_valid():
        form.save()
        update_session_auth_hash(request, form.user)
        proved(request.user)
        messages.success(request, _("Your password is changed. Everywhere else you are signed out."))
        return see("account")
    return answer(request, "accounts/password_change.html", {"form": form}, form, wait)


@never_cache
@sensitive_post_parameters()
@require_get_or_post
@login_required
def account_delete(request: HttpRequest) -> HttpResponse:
    """What goes and what stays, and the deletion itself."""
    user = request.user
    owed = erasing.owed(*user.workers.select_related("project"))
    form, wait = DeletionForm(user, owed, request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and not (wait := too_many(user, form)) and form.is_valid():
        try:
            erasing.delete_account(user)
        except Refused as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted. What you answered stays, under its pseudonym."))
            return see("sign-in")
    context = {"form": form, "owed": owed, "alone": erasing.owned_alone(user), "works": user.workers.exists()}
    return answer(request, "accounts/delete.html", context, form, wait)
