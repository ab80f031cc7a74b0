"""What a page does when flow refuses: show the reason as a message, or at the form."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from annotation.flow.errors import Refused


@contextmanager
def refusal_as_message(request: HttpRequest, add: Callable[..., Any] = messages.error) -> Iterator[None]:
    """End the block at a refusal, and add its reason to the messages."""
    try:
        yield
    except Refused as refusal:
        add(request, str(refusal))


@contextmanager
def refusal_in_form(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """End the block at a refusal, and add its reason to the form's errors."""
    try:
        yield
    except Refused as refusal:
        form.add_error(field, str(refusal))
