"""Rows that hundreds of tests begin with: a process makes them once, and later runs the statements that made them.

Making them takes ten times as long, nearly all of it in Django's queries. Only on SQLite, which tells its statements.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import DateTimeField, Model
from django.utils import timezone
from django.utils.translation import get_language

TIME = re.compile(r"'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6})'")
WRITES = ("INSERT", "UPDATE", "DELETE")


class Recording(NamedTuple):
    statements: list[tuple[str, list[str]]]  # with the times that stand in its places
    ended: datetime
    result: bytes


_recordings: dict[Any, Recording] = {}


def replayed(name: str, make: Callable[[], Any], *given: Any) -> Any:
    """The result of `make()`, of which the rows and the result itself are recorded; `given` is what it builds upon.

    A recording serves where the language, all numbers that come next, and what is given are as they were. Its times
    are those of the test. The result is a row, which others may be given, or holds some.
    """
    if connection.vendor != "sqlite" or not all(hasattr(one, "as_recorded") for one in given):
        return make()
    key = (name, get_language(), _state(), *[_values(one) for one in given])
    if known := _recordings.get(key):
        result = _play(known, given)
    else:
        result = _record(key, make, given)
    if isinstance(result, Model):
        result.as_recorded = name  # type: ignore[attr-defined]  # what the next recording looks for
    return result


def _state() -> tuple[Any, ...]:
    connection.ensure_connection()
    return tuple(connection.connection.execute("SELECT name, seq FROM sqlite_sequence WHERE seq ORDER BY name"))


def _values(row: Any) -> str:
    fields = [field.attname for field in row._meta.concrete_fields if not isinstance(field, DateTimeField)]
    return repr([row.as_recorded, *[row.__dict__.get(name) for name in fields]])


def _record(key: Any, make: Callable[[], Any], given: tuple[Any, ...]) -> Any:
    told: list[str] = []
    connection.connection.set_trace_callback(told.append)
    try:
        result = make()
    finally:
        connection.connection.set_trace_callback(None)
    assert not any(text.startswith("ROLLBACK") for text in told)
    statements = [(TIME.sub("?", text), TIME.findall(text)) for text in told if text.startswith(WRITES)]
    _recordings[key] = Recording(statements, timezone.now(), _stored(result, given))
    return result


def _play(known: Recording, given: tuple[Any, ...]) -> Any:
    clock: dict[str, datetime] = {}  # a time that was recorded is the moment at which it is first written again
    ahead = timezone.now() - known.ended
    with transaction.atomic():
        for text, times in known.statements:
            now = timezone.now()
            for time in times:
                recorded = datetime.fromisoformat(time).replace(tzinfo=UTC)
                clock.setdefault(
                    time, now if recorded <= known.ended else recorded + ahead
                )  # what lay ahead still does
            written = [f"{clock[time]:%Y-%m-%d %H:%M:%S.%f}" for time in times]
            connection.connection.execute(text, written).fetchall()
    reader = pickle.Unpickler(io.BytesIO(known.result))
    reader.persistent_load = lambda number: given[number]  # type: ignore[method-assign]
    result, rows = reader.load()
    for row in rows:
        _take_its_times(row)
    return result


def _take_its_times(row: Model) -> None:
    times = [field for field in row._meta.concrete_fields if isinstance(field, DateTimeField)]
    if not times or row.pk is None:
        return
    asked = (
        f"SELECT {', '.join(field.column for field in times)} FROM {row._meta.db_table} WHERE {row._meta.pk.column} = ?"
    )
    stored = connection.connection.execute(asked, [row.pk]).fetchone()
    for field, time in zip(times, stored, strict=True):
        if field.attname in row.__dict__:
            setattr(row, field.attname, time and time.replace(tzinfo=UTC))


def _stored(result: Any, given: tuple[Any, ...]) -> bytes:
    """The result and the rows in it, where what is given stays what the test holds itself."""
    places = {id(one): number for number, one in enumerate(given)}
    rows: list[Model] = []

    class Writer(pickle.Pickler):
        def persistent_id(self, obj: Any) -> int | None:
            place = places.get(id(obj))
            if place is None and isinstance(obj, Model) and not any(obj is row for row in rows):
                rows.append(obj)
            return place

    file = io.BytesIO()
    Writer(file).dump((result, rows))
    return file.getvalue()
