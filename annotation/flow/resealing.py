"""Secrets at rest under another SECRET_KEY: which can still be opened, and sealing all of them with the new one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused
from annotation.models.sealed import SealedField, Unsealable, unseal


def _columns() -> Iterator[tuple[Any, str]]:
    for model in apps.get_app_config("annotation").get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, SealedField):
                yield model, field.attname


def _sealed(model: Any, column: str) -> Iterator[tuple[Any, str]]:
    """(key, what lies in the column) of each row that has a secret."""
    rows = model._base_manager.annotate(at_rest=Cast(column, models.TextField()))
    for key, at_rest in rows.order_by("pk").values_list("pk", "at_rest"):
        if at_rest:
            yield key, at_rest


def lost() -> dict[str, int]:
    """{table: secrets that neither SECRET_KEY nor its fallbacks open}."""
    found: dict[str, int] = {}
    for model, column in _columns():
        for _key, at_rest in _sealed(model, column):
            try:
                unseal(at_rest)
            except Unsealable:
                found[model._meta.db_table] = found.get(model._meta.db_table, 0) + 1
    return found


@transaction.atomic
def reseal() -> int:
    """Seal every secret with SECRET_KEY; how many. Raises Refused, and nothing changed, where one cannot be opened."""
    if gone := lost():
        text = _("Secrets in %(tables)s were sealed with a key that is neither SECRET_KEY nor among its fallbacks.")
        raise Refused(text % {"tables": ", ".join(sorted(gone))})
    count = 0
    for model, column in _columns():
        for key, at_rest in list(_sealed(model, column)):
            count += model._base_manager.filter(pk=key).update(**{column: unseal(at_rest)})
    return count
