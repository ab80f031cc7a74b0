"""What is answered when a request could not be: a pause while the database is away, an apology for a defect."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

AWAY = (OperationalError, InterfaceError)  # cannot be reached or is locked; was reached and is gone


def pause(request: HttpRequest) -> HttpResponse:
    """503 with Retry-After, so that pages keep their work and try again."""
    response = render(request, "503.html", status=503)
    response["Retry-After"] = "2"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500. A database that goes away outside of a view, as for the session, comes here too."""
    if isinstance(sys.exc_info()[1], AWAY):
        return pause(request)
    return defaults.server_error(request)
