"""Copy all rows to another database in one transaction, and compare counts and hashes."""

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.models import UserSession

CHUNK = 200
LEFT_BEHIND = {Session, UserSession}  # people sign in again
OnProgress = Callable[[int, int], None]
Rows = type[models.Model]


def tables() -> list[Rows]:
    """Every model with a table to copy, including many-to-many tables; `migrate` fills the others."""
    known = [model for config in apps.get_app_configs() for model in config.get_models(include_auto_created=True)]
    own = [model for model in known if model._meta.managed and not model._meta.proxy and model not in LEFT_BEHIND]
    return [model for model in own if model._meta.app_label not in {"contenttypes", "auth"}]


def copy(source: str, target: str, *, progress: OnProgress) -> dict[str, int]:
    """Copy all rows between two of Django's DATABASES with the same schema; returns {table: rows}.

    Raises Refused, having copied nothing, if the target contains rows or a table differs after the copy.
    """
    if full := [model._meta.db_table for model in tables() if model._base_manager.using(target).exists()]:
        text = _("The other database is not empty: %(tables)s contain rows. Name a new database.")
        raise Refused(text % {"tables": ", ".join(full[:5])})
    total = sum(model._base_manager.using(source).count() for model in tables())
    done, copied = 0, {}
    with transaction.atomic(using=source), transaction.atomic(using=target):
        for model in tables():
            copied[model._meta.db_table] = 0
            rows = _rows(model, source)
            while chunk := list(islice(rows, CHUNK)):
                _write(model, chunk, target)
                copied[model._meta.db_table] += len(chunk)
                done += len(chunk)
                progress(done, total)
        if different := [model._meta.db_table for model in tables() if digest(model, source) != digest(model, target)]:
            raise Refused(_("These tables differ after the copy: %(tables)s.") % {"tables": ", ".join(different)})
        _reset_sequences(target)
    return copied


def _write(model: Rows, rows: list[models.Model], using: str) -> None:
    """Insert rows unchanged. `bulk_create` would overwrite the times of creation (auto_now_add)."""
    fields = [field for field in model._meta.concrete_fields if not field.generated]
    model._base_manager.using(using)._insert(rows, fields=fields, using=using, raw=True)  # type: ignore[attr-defined]  # private


def digest(model: Rows, using: str) -> tuple[int, str]:
    """The number of rows of a table, and the SHA-256 of their values in order of their keys."""
    count, found = 0, hashlib.sha256()
    names = [field.attname for field in model._meta.concrete_fields if not field.generated]
    for row in _rows(model, using):
        found.update(repr([_plain(getattr(row, name)) for name in names]).encode("utf-8", "surrogatepass"))
        count += 1
    return count, found.hexdigest()


def _plain(value: Any) -> Any:
    """A value in a form equal for all database drivers: times in UTC to the microsecond."""
    return value.timestamp() if hasattr(value, "timestamp") else value


def _rows(model: Rows, using: str) -> Iterator[models.Model]:
    """The rows in order of their keys, read in chunks, because a table may not fit into memory."""
    key, last = model._meta.pk, None
    while True:
        rows = model._base_manager.using(using).order_by(key.name)
        some = list((rows if last is None else rows.filter(pk__gt=last))[:CHUNK])
        if not some:
            return
        yield from some
        last = some[-1].pk


def _reset_sequences(using: str) -> None:
    """Set PostgreSQL's sequences behind the copied keys, which did not advance them."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)
