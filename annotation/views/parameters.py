"""Values of a request's parameters."""

from typing import TypeVar

from django.http import HttpRequest

Default = TypeVar("Default", int, None)


def whole_number(text: str, default: Default, *, digits: int = 9) -> int | Default:
    """The number that a parameter names; the default if it is none, or has too many digits for a column."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else default


def posted_text(request: HttpRequest, name: str) -> str:
    """A posted text as it can be stored: without zero bytes, lines ended by \\n."""
    return request.POST.get(name, "").replace("\0", "").replace("\r\n", "\n")
