"""Fields and lookups that act alike on every database: JSON kept as text, times of its clock, folded searches."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from django.db import models
from django.db.models import CharField, TextField
from django.db.models.lookups import BuiltinLookup, IContains, IExact

from annotation.models import clock
from annotation.pure.text import normalization


def to_text(value: Any) -> str:
    """Compact JSON text; raises ValueError for NaN and infinities, which are not JSON."""
    return _encode(value)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class JSONTextField(models.TextField):
    """A JSON value in a text column: keeps order and numbers exactly; queries never look inside."""

    _pyi_private_set_type: Any  # read by mypy's plugin alone
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else to_text(value)

    def value_to_string(self, obj: models.Model) -> Any:
        return self.value_from_object(obj)  # dumpdata writes it as JSON, and `to_python` gets the same value back


def one_of(column: str, values: Sequence[str], *, name: str) -> models.CheckConstraint:
    """The constraint that the column has one of these values."""
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": values}), name=name)


PLAIN = models.DateTimeField()


class TimestampField(models.DateTimeField):
    """Time of a row's creation (auto_now_add) or last change (auto_now), by the database's clock."""

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        if self.auto_now or (self.auto_now_add and add):
            setattr(model_instance, self.attname, clock.now())
        return getattr(model_instance, self.attname)

    def get_col(self, alias: Any, output_field: models.Field | None = None) -> Any:
        return super().get_col(alias, output_field or PLAIN)  # plain, so that expressions may mix it with other times

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.DateTimeField", args, kwargs  # the column is the same


class FoldedField(models.CharField):
    """The folded form of another column (pure/text/normalization), by which the database compares it."""

    def __init__(self, source: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.source = source

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        setattr(model_instance, self.attname, normalization.fold(getattr(model_instance, self.source)))
        return super().pre_save(model_instance, add)

    def deconstruct(self) -> Any:
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs  # the column is the same


class StateRow(models.Model):
    """A row whose `state` is changed by guarded updates."""

    class Meta:
        abstract = True

    def move(self, to: str, *, since: tuple[str, ...], **stamps: Any) -> bool:
        """Change the state from one of `since`; False if another process changed it first."""
        moved = self._meta.base_manager.filter(pk=self.pk, state__in=since).update(state=to, **stamps)
        if moved:
            self.state = to
        return bool(moved)


FINAL = {"\u03c3": "\u03c2", "\u03c2": "\u03c3"}  # the Greek sigma within and at the end of a word


def other_cases(words: str) -> dict[str, str]:
    """{letter: its capital} for the letters beyond ASCII in the words, in each case in which a text may have them."""
    found = {}
    for letter in {sign for sign in words if not sign.isascii() and sign.upper() != sign.lower()}:
        capital = letter.upper() if len(letter.upper()) == 1 else letter
        for form in (letter, letter.lower(), FINAL.get(letter.lower(), letter)):
            if len(form) == 1 and form != capital:
                found[form] = capital
    return found


class _AnyCase(BuiltinLookup):
    """A lookup that ignores case, as Django has it, for letters beyond ASCII too."""

    def process_lhs(self, compiler: Any, connection: Any, lhs: Any = None) -> Any:
        sql, values = cast(Any, super().process_lhs(compiler, connection, lhs))  # stubs of a later Django
        letters = other_cases(self.rhs) if isinstance(self.rhs, str) else {}
        if letters and connection.vendor == "postgresql" and not _knows_case(connection):
            return f"TRANSLATE({sql}, %s, %s)", [*values, "".join(letters), "".join(letters.values())]
        if letters and connection.vendor == "sqlite":
            for form, capital in letters.items():
                sql, values = f"REPLACE({sql}, %s, %s)", [*values, form, capital]
        return sql, values

    def process_rhs(self, compiler: Any, connection: Any) -> Any:
        sql, values = cast(Any, super().process_rhs(compiler, connection))
        if isinstance(self.rhs, str):
            cases = str.maketrans(other_cases(self.rhs))
            values = [value.translate(cases) for value in values]
        return sql, values


def _knows_case(connection: Any) -> bool:
    """Whether the database has a locale that knows more than ASCII; asked once a connection."""
    if not hasattr(connection, "knows_case"):
        with connection.cursor() as cursor:
            cursor.execute("SELECT UPPER('ö') = 'Ö'")
            connection.knows_case = cursor.fetchone()[0]
    return bool(connection.knows_case)


@CharField.register_lookup
@TextField.register_lookup
class ContainsInAnyCase(_AnyCase, IContains):
    pass


@CharField.register_lookup
@TextField.register_lookup
class EqualInAnyCase(_AnyCase, IExact):
    pass
