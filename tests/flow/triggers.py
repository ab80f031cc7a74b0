"""The triggers of the first migration: the tests' database is made without them."""

from __future__ import annotations

from importlib import import_module

from django.db import connection


def make() -> None:
    """Make them, for the transaction of a test."""
    release = import_module("annotation.migrations.0001_squashed_0025_asked_models")
    with connection.cursor() as cursor:
        for statement in {"sqlite": release.SQLITE, "postgresql": release.POSTGRESQL}[connection.vendor]:
            cursor.execute(statement, None)
