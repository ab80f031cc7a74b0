"""Searches that ignore case in every script and on every database.

SQLite ignores the case of ASCII letters only, and so does PostgreSQL in a database without a locale. The other letters
of the words that are searched for are therefore brought to one case in the column, too.
"""

from __future__ import annotations

from typing import Any, cast

from django.db.models import CharField, TextField
from django.db.models.lookups import BuiltinLookup, IContains, IExact

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
