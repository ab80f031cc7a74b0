"""A person's own account: profile, projects, password, sessions, keyboard shortcuts, deletion."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from annotation.flow.people import shortcuts, sign_in, two_factor, worker_erasure
from annotation.flow.projects import projects
from annotation.forms.account import DeletionForm, ProfileForm, ShortcutsForm
from annotation.models import User
from annotation.views.access import Request, require_get_or_post, signed_in_action, signed_in_form
from annotation.views.people.two_factor import answer, proved, too_many
from annotation.views.post_handling import refusal_in_form, see_other


@signed_in_form
def account(request: Request) -> HttpResponse:
    """Name and email, and links to all other settings."""
    user, wait = request.user, 0
    posted = request.POST if request.method == "POST" else None
    form = ProfileForm(user, posted, initial={"display_name": user.display_name, "email": user.email})
    proves = posted is not None and posted.get("email", "") != user.email
    if not (proves and (wait := too_many(user, form))) and form.is_valid():
        if form.cleaned_data.pop("password"):
            proved(user)
        User.objects.filter(pk=user.pk).update(**form.cleaned_data)
        messages.success(request, _("Saved."))
        return see_other("account")
    context = {
        "form": form,
        "members": _in_present_projects(user.memberships),
        "workers": _in_present_projects(user.workers),
        "two_factor": two_factor.is_on(user),
        "sessions": sign_in.sessions_of(user),
        "may_found": projects.may_create_project(user),
    }
    return answer(request, "people/account.html", context, form, wait)


def _in_present_projects(rows: Any) -> Any:
    return rows.filter(project__removed_at=None).select_related("project").order_by("project__title")


@signed_in_action
def session_end(request: Request, pk: int) -> HttpResponse:
    """End another session of the viewer."""
    if not sign_in.end_session(request.user, pk):
        raise Http404
    messages.success(request, _("That session was ended."))
    return see_other("account")


@signed_in_action
def sessions_end(request: Request) -> HttpResponse:
    """End all sessions of the viewer but this one."""
    sign_in.end_all(request.user)
    update_session_auth_hash(request, request.user)
    messages.success(request, _("You were signed out everywhere else."))
    return see_other("account")


@never_cache
@sensitive_post_parameters()
@require_get_or_post
@login_required
def password_change(request: Request) -> HttpResponse:
    """Set a new password; other sessions are signed out."""
    form, wait = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and not (wait := too_many(request.user, form)) and form.is_valid():
        form.save()
        update_session_auth_hash(request, form.user)
        proved(request.user)
        messages.success(request, _("Your password was changed. You were signed out everywhere else."))
        return see_other("account")
    return answer(request, "people/change_password.html", {"form": form}, form, wait)


@never_cache
@sensitive_post_parameters()
@require_get_or_post
@login_required
def account_delete(request: Request) -> HttpResponse:
    """A preview of the account's deletion; POST deletes it."""
    user = request.user
    owed = worker_erasure.owed(*user.workers.select_related("project"))
    form, wait = DeletionForm(user, owed, request.POST if request.method == "POST" else None), 0
    if request.method == "POST" and not (wait := too_many(user, form)) and form.is_valid():
        with refusal_in_form(form):
            worker_erasure.delete_account(user)
            logout(request)
            messages.success(request, _("Your account is deleted. Your responses stay, under your pseudonym."))
            return see_other("sign-in")
    context = {"form": form, "owed": owed, "alone": worker_erasure.owned_alone(user), "works": user.workers.exists()}
    return answer(request, "people/delete_account.html", context, form, wait)


@signed_in_form
def keys(request: Request) -> HttpResponse:
    """Every action of the tasks with its key; POST changes them, or resets all."""
    posted = request.method == "POST"
    if posted and "reset" in request.POST:
        shortcuts.save(request.user, off=False, keys={})
        messages.success(request, _("All keys are the defaults again."))
        return see_other("keys")
    form = ShortcutsForm(request.user.shortcuts, request.POST if posted else None)
    if posted and form.is_valid():
        shortcuts.save(request.user, off=not form.cleaned_data["single"], keys=form.chosen())
        messages.success(request, _("Saved. Your keys work in all tasks."))
        return see_other("keys")
    places = [{"url": reverse("account"), "label": _("Your account")}, {"url": "", "label": _("Keyboard shortcuts")}]
    context = {"form": form, "breadcrumbs": places}
    return render(request, "people/keys.html", context, status=422 if form.errors else 200)
