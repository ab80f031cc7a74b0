"""Going on to another page after a POST."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from annotation.flow.ledger import Overdrawn


def see(page: str, *args: Any) -> HttpResponseRedirect:
    """303 to the page of that name: the browser GETs it, and a reload sends nothing again."""
    return HttpResponseRedirect(reverse(page, args=args), status=303)


def unless_overdrawn(request: HttpRequest, verb: Callable[[], bool]) -> bool | None:
    """What the verb returns; None, and the requester is told, where the budget does not cover it."""
    try:
        return verb()
    except Overdrawn as short:
        messages.error(request, str(short))
        return None
