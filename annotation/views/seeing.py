"""Going on to another page after a POST."""

from typing import Any

from django.http import HttpResponseRedirect
from django.urls import reverse


def see(page: str, *args: Any) -> HttpResponseRedirect:
    """303 to the page of that name: the browser GETs it, and a reload sends nothing again."""
    return HttpResponseRedirect(reverse(page, args=args), status=303)
