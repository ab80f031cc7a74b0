"""Queries whose SQL Django makes once: making it costs ten times as much as running it.

For the queries of every claim and submission. A function decorated with `@compiled` builds a queryset from its
parameters, once for each kind of database; a call runs the SQL kept from then with its arguments:

    @compiled
    def under_way(worker: int, batch: int) -> QuerySet[Assignment]:
        return Assignment.objects.filter(worker=worker, batch=batch, state="accepted")[:1]

    rows: list[Assignment] = under_way(3, 4)

Parameters are int, str or float, and each must be a value in the SQL: what decides which SQL is made, such as None, a
list or a limit, cannot be a parameter.

This rests on what Django's compilers are inside. `settings.PLAIN_QUERIES` has Django itself do all of it, at four times
the cost, for a release of Django with which this file fails.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, wraps
from select import POLLIN, poll
from typing import Any, Generic, ParamSpec, TypeVar, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.models import Field, Model, Q, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import ModelIterable, get_related_populators
from django.db.models.signals import post_init, pre_init
from django.db.models.sql import DeleteQuery, InsertQuery, UpdateQuery

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=Model)
Update = tuple[QuerySet[Any], dict[str, Any]]
Reader = Callable[[Sequence[Sequence[Any]], BaseDatabaseWrapper], list[Any]]

# Values that stand for the arguments while the SQL is made. They fit every column of their type.
PLACEHOLDERS: dict[str, Callable[[int], Any]] = {
    "int": lambda k: 2_000_000_000 + k,
    "float": lambda k: 2_000_000_000.5 + k,
    "str": lambda k: f"\0{k}\0",
}


class SQLiteCursor(SQLiteCursorWrapper):
    """A cursor that rewrites each SQL text from Django's placeholders to SQLite's only once."""

    def convert_query(self, query: str, *, param_names: Any = None) -> str:
        if param_names is not None:
            return str(super().convert_query(query, param_names=param_names))
        if query not in _converted:
            _converted[query] = super().convert_query(query)
        return _converted[query]


_converted: dict[str, str] = {}  # only of kept statements, of which there are some dozens


def _here() -> BaseDatabaseWrapper:
    """The thread's connection itself; `connection` looks for it at each access."""
    return connections[DEFAULT_DB_ALIAS]


def _cursor(here: Any) -> Any:
    """A cursor for kept statements; on PostgreSQL the server plans them once (psycopg prepares what comes again)."""
    if here.queries_logged:
        return here.cursor()  # a statement that was prepared before has no text for the log
    here.validate_thread_sharing()
    here.health_check_done |= _is_silent(here)
    here.close_if_health_check_failed()
    here.ensure_connection()
    with here.wrap_database_errors:
        if here.vendor == "sqlite":
            return here.make_cursor(here.connection.cursor(factory=SQLiteCursor))
        from django.db.backends.postgresql.base import ServerBindingCursor

        return here.make_cursor(ServerBindingCursor(here.connection))  # type: ignore[call-arg]  # as psycopg's Cursor


def _is_silent(here: Any) -> bool:
    """Whether PostgreSQL ended nothing: it would have said so. Else Django asks, at each request's first statement."""
    if here.vendor == "sqlite" or here.health_check_done or here.connection is None or here.connection.closed:
        return False
    look = poll()
    look.register(here.connection.fileno(), POLLIN)
    return not look.poll(0)


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with its parameters; `places` are pairs: the index of a parameter, and of the argument that it comes from."""

    sql: str
    parameters: Sequence[Any]
    places: Sequence[tuple[int, int]]

    def execute(self, cursor: Any, values: Sequence[Any]) -> None:
        parameters = list(self.parameters)
        for place, argument in self.places:
            # Some databases' parameters carry their type, as a subclass of int or str.
            parameters[place] = type(parameters[place])(values[argument])
        cursor.execute(self.sql, parameters)


class Signature(Generic[P]):
    """The parameters of a function and their placeholders."""

    def __init__(self, build: Callable[P, object]) -> None:
        self._signature = inspect.signature(build)
        kinds = [parameter.annotation for parameter in self._signature.parameters.values()]
        self.placeholders = [PLACEHOLDERS[getattr(kind, "__name__", kind)](k) for k, kind in enumerate(kinds)]
        self._names = list(self._signature.parameters)

    def values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        return [*args, *(kwargs[name] for name in self._names[len(args) :])]

    def statement(self, sql: str, parameters: Sequence[Any]) -> Statement:
        places = [
            (place, k)
            for place, parameter in enumerate(parameters)
            for k, placeholder in enumerate(self.placeholders)
            if parameter == placeholder
        ]
        if missing := {*range(len(self.placeholders))} - {k for _place, k in places}:
            raise TypeError(f"{[self._names[k] for k in missing]} are not values in this SQL: {sql}")
        return _inlined(sql, parameters, dict(places))


def _inlined(sql: str, parameters: Sequence[Any], places: dict[int, int]) -> Statement:
    """The statement with its constants in the SQL: a partial index is used only where its condition stands there."""
    texts, kept, left = sql.split("%s"), list[Any](), list[tuple[int, int]]()
    pieces = [texts[0]]
    for place, (parameter, text) in enumerate(zip(parameters, texts[1:], strict=True)):
        constant = None if place in places else _literal(parameter)
        if constant is None:
            if place in places:
                left.append((len(kept), places[place]))
            kept.append(parameter)
        pieces += constant or "%s", text
    return Statement("".join(pieces), kept, left)


def _literal(value: Any) -> str | None:
    """SQL of a constant, where it has the same on all databases."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str) and "\0" not in value and "\\" not in value:
        return "'" + value.replace("'", "''").replace("%", "%%") + "'"
    return None


def compiled(build: Callable[P, QuerySet[M, R]]) -> Callable[P, list[R]]:
    """The rows of the queryset that `build` makes; tuples if it asks for `values_list`."""
    signature = Signature(build)

    @cache
    def made(_vendor: str) -> tuple[Statement, Reader]:
        query = build(*signature.placeholders)  # type: ignore[call-arg]  # in place of its values
        compiler = query.query.get_compiler(connection=connection)
        statement = signature.statement(*compiler.as_sql())
        return statement, _reader(query, compiler)

    @wraps(build)
    def run(*args: P.args, **kwargs: P.kwargs) -> list[R]:
        if settings.PLAIN_QUERIES:
            return list(build(*args, **kwargs))
        here = _here()
        statement, read = made(here.vendor)
        with _cursor(here) as cursor:
            statement.execute(cursor, signature.values(args, kwargs))
            fetched = cursor.fetchall()
        return read(fetched, here) if fetched else []

    return run


def _reader(queryset: QuerySet[Any], compiler: Any) -> Reader:
    """A function that turns database rows into the queryset's objects, as Django's ModelIterable does."""
    converters = list(compiler.get_converters([each[0] for each in compiler.select]).items())

    def converted(row: Sequence[Any], here: BaseDatabaseWrapper) -> list[Any]:
        values = list(row)
        for place, (functions, expression) in converters:
            value = values[place]
            for function in functions:
                value = function(value, expression, here)
            values[place] = value
        return values

    if not issubclass(queryset._iterable_class, ModelIterable):
        return lambda rows, here: [tuple(converted(row, here)) for row in rows]

    info = compiler.klass_info
    own = slice(info["select_fields"][0], info["select_fields"][-1] + 1)
    names = [each[0].target.attname for each in compiler.select[own]]
    made = Maker(info["model"]).from_db
    populators = get_related_populators(info, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]  # stubs of a later Django
    _make_by_makers(populators)
    annotations = list(compiler.annotation_col_map.items())

    def instance(row: Sequence[Any], here: BaseDatabaseWrapper) -> Any:
        values = converted(row, here)
        found = made(DEFAULT_DB_ALIAS, names, values[own])
        for populator in populators:
            populator.populate(values, found)
        for name, place in annotations:
            setattr(found, name, values[place])
        return found

    return lambda rows, here: [instance(row, here) for row in rows]


class Maker:
    """Makes a model's instances of database rows as its `from_db` does, at a third of the cost."""

    def __init__(self, model: type[Model]) -> None:
        self._model = model
        plain = model.__init__ is Model.__init__ and model.from_db.__func__ is Model.from_db.__func__  # type: ignore[attr-defined]  # of class methods
        if not plain or pre_init.has_listeners(model) or post_init.has_listeners(model):
            self.from_db = model.from_db  # type: ignore[method-assign, assignment]  # its own

    def from_db(self, alias: str, names: Sequence[str], values: Sequence[Any]) -> Any:
        made = self._model.__new__(self._model)
        state = ModelState()
        state.adding, state.db = False, alias
        # A field's value is what stands below its name, and one without a value is read when it is asked for.
        vars(made).update(zip(names, values, strict=True), _state=state)
        return made


def _make_by_makers(populators: Sequence[Any]) -> None:
    for populator in populators:
        populator.model_cls = Maker(populator.model_cls)
        _make_by_makers(populator.related_populators)


def insert(row: M) -> M:
    """Insert a new row of plain values and give it its key, as `save()` does, but without signals; returns the row."""
    if settings.PLAIN_QUERIES:
        row.save(force_insert=True)
        return row
    here = _here()
    fields, sql = _insertion(type(row), here.vendor, True)
    with _cursor(here) as cursor:
        cursor.execute(sql, _values(row, fields, here))
        [row.pk] = cursor.fetchone()
    row._state.adding, row._state.db = False, here.alias
    return row


def insert_many(rows: Sequence[Model]) -> None:
    """Insert new rows of plain values and of one model, like `insert`, but without giving them their keys.

    On PostgreSQL by COPY: INSERT prepares the table's indexes and constraints anew for each row, which took a seventh
    of a launch.
    """
    if rows and settings.PLAIN_QUERIES:
        type(rows[0])._base_manager.bulk_create(rows)
    elif rows:
        here = _here()
        fields, sql = _insertion(type(rows[0]), here.vendor, False)
        values = [_values(row, fields, here) for row in rows]
        with _cursor(here) as cursor:
            if here.vendor == "sqlite":
                cursor.executemany(sql, values)
            else:
                columns = ", ".join(f'"{field.column}"' for field in fields)
                copying = f'COPY "{rows[0]._meta.db_table}" ({columns}) FROM STDIN'
                with here.wrap_database_errors, cursor.copy(copying) as copy:  # as Django does around `execute` alone
                    for each in values:
                        copy.write_row(each)


def _values(row: Model, fields: Sequence["Field[Any, Any]"], here: BaseDatabaseWrapper) -> list[Any]:
    return [field.get_db_prep_save(field.pre_save(row, True), here) for field in fields]


def delete(row: Model) -> bool:
    """Delete a row that no other refers to, without signals; False if it was gone."""
    if settings.PLAIN_QUERIES:
        return bool(type(row)._base_manager.filter(pk=row.pk).delete()[0])
    here = _here()
    with _cursor(here) as cursor:
        cursor.execute(_deletion(type(row), here.vendor), [row.pk])
        return bool(cursor.rowcount)


@cache
def _deletion(model: type[Model], _vendor: str) -> str:
    query = DeleteQuery(model)
    query.add_q(Q(pk=1))
    sql, _values = query.get_compiler(connection=connection).as_sql()
    return str(sql)


@cache
def _insertion(model: type[Model], _vendor: str, with_key: bool) -> tuple[list["Field[Any, Any]"], str]:
    key = model._meta.pk
    fields = [field for field in model._meta.local_concrete_fields if field is not key and not field.generated]
    query = InsertQuery(model)
    query.insert_values(fields, [model()])
    compiler = query.get_compiler(connection=connection)
    compiler.returning_fields = [key] if with_key else None
    [(sql, _values)] = compiler.as_sql()
    return fields, sql


def _update(build: Callable[P, Update], signature: Signature[P]) -> tuple[Statement, QuerySet[Any]]:
    rows, changes = build(*signature.placeholders)  # type: ignore[call-arg]  # in place of its values
    query = cast(UpdateQuery, rows.query.chain(UpdateQuery))
    query.add_update_values(changes)
    return signature.statement(*query.get_compiler(connection=connection).as_sql()), rows


def compiled_update(build: Callable[P, Update]) -> Callable[P, int]:
    """Update the rows of a queryset; `build` makes it and the changes. Returns how many rows matched."""
    signature = Signature(build)

    @cache
    def made(_vendor: str) -> Statement:
        return _update(build, signature)[0]

    @wraps(build)
    def run(*args: P.args, **kwargs: P.kwargs) -> int:
        if settings.PLAIN_QUERIES:
            rows, changes = build(*args, **kwargs)
            return rows.update(**changes)
        here = _here()
        statement = made(here.vendor)
        with _cursor(here) as cursor:
            statement.execute(cursor, signature.values(args, kwargs))
            return int(cursor.rowcount)

    return run


def compiled_update_returning(build: Callable[P, Update]) -> Callable[P, list[Any]]:
    """As `compiled_update`, for a queryset of one row at most: returns that row as it is then, or nothing."""
    signature = Signature(build)

    @cache
    def made(_vendor: str) -> tuple[Statement, Reader]:
        statement, rows = _update(build, signature)
        compiler = rows.query.get_compiler(connection=connection)
        compiler.as_sql()  # finds what is selected
        columns = ", ".join(compiler.compile(each[0])[0] for each in compiler.select)
        return replace(statement, sql=f"{statement.sql} RETURNING {columns}"), _reader(rows, compiler)

    @wraps(build)
    def run(*args: P.args, **kwargs: P.kwargs) -> list[Any]:
        if settings.PLAIN_QUERIES:
            rows, changes = build(*args, **kwargs)
            keys = list(rows.values_list("pk", flat=True))
            return list(rows.model._base_manager.filter(pk__in=keys)) if rows.update(**changes) else []
        here = _here()
        statement, read = made(here.vendor)
        with _cursor(here) as cursor:
            statement.execute(cursor, signature.values(args, kwargs))
            return read(cursor.fetchall(), here)

    return run
