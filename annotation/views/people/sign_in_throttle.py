"""Throttling of wrong passwords and codes by people who are (partly) signed in."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import ngettext

from annotation.flow.people import sign_in_throttle
from annotation.models import User


def too_many(user: User, form: forms.Form) -> int:
    """Count an attempt of this person; returns the seconds to wait, and adds an error, if it is one too many."""
    wait = sign_in_throttle.wait_of(f"{user.pk} proves", address="")
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
    sign_in_throttle.forget(f"{user.pk} proves", address="")


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
