"""Wakes those processes of this machine that do background work, from any other: there is something to do."""

from django.conf import settings


def wake() -> None:
    (settings.VAR / "woken").touch()


def last() -> int:
    """When they were woken last; only good for telling two times apart."""
    file = settings.VAR / "woken"
    return file.stat().st_mtime_ns if file.exists() else 0
