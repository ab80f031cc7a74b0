"""Handling of POST requests: values of their parameters, refusals of flow, redirects afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from annotation import jobs
from annotation.flow.errors import Refused
from annotation.flow.setting_values import InvalidSettings
from annotation.models import Project
from annotation.views.access import Request

Default = TypeVar("Default", int, None)


def whole_number(text: str, default: Default, *, digits: int = 9) -> int | Default:
    """The number that a parameter names; the default if it is none, or has too many digits for a column."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else default


def posted_text(request: HttpRequest, name: str) -> str:
    """A posted text as it can be stored: without zero bytes, lines ended by \\n."""
    return request.POST.get(name, "").replace("\0", "").replace("\r\n", "\n")


@contextmanager
def refusal_as_message(request: HttpRequest, add: Callable[..., Any] = messages.error) -> Iterator[None]:
    """End the block at a refusal, and add its reason to the messages."""
    try:
        yield
    except Refused as refusal:
        add(request, str(refusal))


@contextmanager
def refusal_in_form(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """End the block at a refusal, and add its reason to the form's errors, of settings beside their fields."""
    try:
        yield
    except InvalidSettings as invalid:
        for name, texts in invalid.problems.items():
            form.add_error(name if name in form.fields else field, texts)
    except Refused as refusal:
        form.add_error(field, str(refusal))


def see_other(page: str, *args: Any) -> HttpResponseRedirect:
    """303 to the page of that name, so that reloading does not post again."""
    return HttpResponseRedirect(reverse(page, args=args), status=303)


def enqueue_and_redirect(
    request: Request, kind: str, title: str, arguments: dict[str, Any], *, project: Project
) -> HttpResponseRedirect:
    """Start a job, unless the same one waits or runs, and redirect to its page."""
    job = jobs.enqueue_once(kind, project=project, title=title, arguments=arguments, user=request.user)
    return see_other("job", project.slug, job.public_id)
