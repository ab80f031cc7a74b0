"""From one database to another: every row, in one transaction, then counted and hashed on both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.utils.translation import gettext as _

from annotation.flow.refusal import Refused

CHUNK = 200
LEFT_BEHIND = {Session}  # people sign in again
Told = Callable[[int, int], None]
Rows = type[models.Model]


def tables() -> list[Rows]:
    """Every model with rows of its own, links between rows included; Django makes the rest anew by `migrate`."""
    known = [model for config in apps.get_app_configs() for model in config.get_models(include_auto_created=True)]
    ours = [model for model in known if model._meta.managed and not model._meta.proxy and model not in LEFT_BEHIND]
    return [model for model in ours if model._meta.app_label not in {"contenttypes", "auth"}]


def copy(source: str, target: str, *, tell: Told) -> dict[str, int]:
    """Copy all rows between two of Django's DATABASES, whose schemas are alike; {table: rows}.

    Raises Refused where the target holds rows already, or where a table came out differently; nothing is kept then.
    """
    if full := [model._meta.db_table for model in tables() if model._base_manager.using(target).exists()]:
        text = _("The other database is not empty: %(tables)s hold rows. Name a fresh one.")
        raise Refused(text % {"tables": ", ".join(full[:5])})
    total = sum(model._base_manager.using(source).count() for model in tables())
    done, copied = 0, {}
    with transaction.atomic(using=source), transaction.atomic(using=target):
        for model in tables():
            copied[model._meta.db_table] = 0
            for chunk in _chunks(_rows(model, source)):
                _write(model, chunk, target)
                copied[model._meta.db_table] += len(chunk)
                done += len(chunk)
                tell(done, total)
        if different := [model._meta.db_table for model in tables() if digest(model, source) != digest(model, target)]:
            raise Refused(_("These tables came out differently: %(tables)s.") % {"tables": ", ".join(different)})
        _reset_sequences(target)
    return copied


def _write(model: Rows, rows: list[models.Model], using: str) -> None:
    """Insert rows with every value as it is: `bulk_create` would set the times of creation anew."""
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    model._base_manager.using(using)._insert(rows, fields=fields, using=using, raw=True)


def digest(model: Rows, using: str) -> tuple[int, str]:
    """How many rows a table has, and the SHA-256 of their values in order of their keys."""
    count, found = 0, hashlib.sha256()
    names = [field.attname for field in model._meta.concrete_fields if not field.generated]
    for row in _rows(model, using):
        found.update(repr([_plain(getattr(row, name)) for name in names]).encode("utf-8", "surrogatepass"))
        count += 1
    return count, found.hexdigest()


def _plain(value: Any) -> Any:
    """Times in UTC to the microsecond, whatever object a database's driver gives."""
    return value.timestamp() if hasattr(value, "timestamp") else value


def _rows(model: Rows, using: str) -> Iterator[models.Model]:
    """The rows in order of their keys, read in stretches so that no table has to fit into memory."""
    key, last = model._meta.pk, None
    while True:
        rows = model._base_manager.using(using).order_by(key.name)
        some = list((rows if last is None else rows.filter(pk__gt=last))[:CHUNK])
        if not some:
            return
        yield from some
        last = some[-1].pk


def _chunks(rows: Iterable[models.Model]) -> Iterator[list[models.Model]]:
    waiting = iter(rows)
    while some := list(islice(waiting, CHUNK)):
        yield some


def _reset_sequences(using: str) -> None:
    """Let new rows begin behind the copied keys."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)
