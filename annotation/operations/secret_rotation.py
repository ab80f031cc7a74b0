"""Rotation of SECRET_KEY: find stored secrets that cannot be decrypted, and encrypt all with the current key."""

from collections.abc import Iterator
from typing import Any

from django.db import models, transaction
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from annotation import discovery
from annotation.flow.errors import Refused
from annotation.models.sealed import SealedField, Unsealable, unseal


def _columns() -> Iterator[tuple[Any, str]]:
    for model in discovery.models():
        for field in model._meta.concrete_fields:
            if isinstance(field, SealedField):
                yield model, field.attname


def _sealed(model: Any, column: str) -> Iterator[tuple[Any, str]]:
    """(primary key, encrypted value) of each row that has a secret."""
    rows = model._base_manager.annotate(at_rest=Cast(column, models.TextField()))
    for key, at_rest in rows.order_by("pk").values_list("pk", "at_rest"):
        if at_rest:
            yield key, at_rest


def lost() -> dict[str, int]:
    """{table: number of secrets that neither SECRET_KEY nor its fallbacks decrypt}."""
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
    """Encrypt every secret with SECRET_KEY; returns how many. Raises Refused, changing none, if one is unreadable."""
    if gone := lost():
        text = _("Secrets in %(tables)s are encrypted with a key that is neither SECRET_KEY nor one of its fallbacks.")
        raise Refused(text % {"tables": ", ".join(sorted(gone))})
    count = 0
    for model, column in _columns():
        for key, at_rest in list(_sealed(model, column)):
            count += model._base_manager.filter(pk=key).update(**{column: unseal(at_rest)})
    return count
