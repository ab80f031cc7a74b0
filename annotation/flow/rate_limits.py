"""Limits of what one worker may send in an hour, high enough for the busiest: they stop scripts and stuck keys."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.flow.errors import Refused

HOUR = timedelta(hours=1)


def check_hourly(rows: QuerySet[Any], most: int, text: str) -> None:
    """Raise Refused with the text, in which `%(most)s` is filled in, if so many rows were created in the last hour."""
    if rows.filter(created_at__gt=Now() - HOUR).count() >= most:
        raise Refused(text % {"most": most})
