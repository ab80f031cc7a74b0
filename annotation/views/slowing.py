"""The same answer wherever somebody signed in, or half signed in, types secrets too often."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import ngettext

from annotation.flow import throttling
from annotation.models import User


def too_many(user: User, form: forms.Form) -> int:
    """Count a try of this person, from wherever; the seconds to wait, told in the form, when it is one too many."""
    wait = throttling.wait_of(f"{user.pk} proves", address="")
    if wait:
        text = ngettext(
            "Too many tries. You can try again in %(wait)s second.",
            "Too many tries. You can try again in %(wait)s seconds.",
            wait,
        )
        form.errors.clear()  # whether the secret was right is not told now
        form.add_error(None, text % {"wait": wait})
    return wait


def proved(user: User) -> None:
    """The tries before the right one are forgotten."""
    throttling.forget(f"{user.pk} proves", address="")


def answer(
    request: HttpRequest, template: str, context: dict[str, object], form: forms.Form, wait: int
) -> HttpResponse:
    """The page with its form again: 422 for what was wrong, 429 for what came too often."""
    status = 429 if wait else 422 if form.errors else 200
    wrong = next((name for name in form.fields if name in form.errors), None) if form.is_bound else None
    if wrong:
        form.fields[wrong].widget.attrs["autofocus"] = True
    response = render(request, template, context, status=status)
    if wait:
        response["Retry-After"] = str(wait)
    return response
