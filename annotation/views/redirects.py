"""Redirects after POST."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from annotation.flow.money.ledger import Overdrawn


def see(page: str, *args: Any) -> HttpResponseRedirect:
    """303 to the page of that name, so that reloading does not post again."""
    return HttpResponseRedirect(reverse(page, args=args), status=303)


def unless_overdrawn(request: HttpRequest, verb: Callable[[], bool]) -> bool | None:
    """The result of the function; None, with a message to the requester, if the budget does not cover it."""
    try:
        return verb()
    except Overdrawn as short:
        messages.error(request, str(short))
        return None
