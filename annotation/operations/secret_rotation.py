"""Rotation of SECRET_KEY: find stored secrets that cannot be decrypted, and encrypt all with the current key."""

from collections import Counter
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


def _sealed() -> Iterator[tuple[Any, str, Any, str]]:
    """(model, column, primary key, encrypted value) of each secret."""
    for model, column in _columns():
        rows = model._base_manager.annotate(at_rest=Cast(column, models.TextField()))
        for key, at_rest in list(rows.order_by("pk").values_list("pk", "at_rest")):
            if at_rest:
                yield model, column, key, at_rest


def lost() -> Counter[str]:
    """{table: number of secrets that neither SECRET_KEY nor its fallbacks decrypt}."""
    found = Counter[str]()
    for model, _column, _key, at_rest in _sealed():
        try:
            unseal(at_rest)
        except Unsealable:
            found[model._meta.db_table] += 1
    return found


@transaction.atomic
def reseal() -> int:
    """Encrypt every secret with SECRET_KEY; returns how many. Raises Refused, changing none, if one is unreadable."""
    if gone := lost():
        text = _("Secrets in %(tables)s are encrypted with a key that is neither SECRET_KEY nor one of its fallbacks.")
        raise Refused(text % {"tables": ", ".join(sorted(gone))})
    return sum(
        model._base_manager.filter(pk=key).update(**{column: unseal(at_rest)})
        for model, column, key, at_rest in _sealed()
    )
