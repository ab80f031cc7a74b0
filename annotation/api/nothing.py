"""Addresses below /api/ that nobody made: a problem as everywhere in the API, and no page."""

from __future__ import annotations

from typing import Any, NoReturn

from django.http import Http404
from rest_framework.request import Request
from rest_framework.views import APIView


class Nothing(APIView):
    """404 to everybody, whatever the method."""

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> NoReturn:
        raise Http404
