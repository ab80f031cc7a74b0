"""Which columns of a table hold which part of an item: question, answer, paragraphs, support and so on.

A column is a path into a record: `q`, `data.question` in an object, `ctxs[].text` in each object of a list. Numbered
columns are one family, whose number is written `*`: `passage_*` are `passage_1`, `passage_2`, ...
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = {  # in the order of lists; of those with False only one column
    "question": False,
    "answer": False,
    "aliases": True,
    "paragraph": True,
    "title": True,
    "support": True,
    "support_from_1": True,
    "id": False,
    "type": False,
    "answerable": False,
    "options": True,
    "hop_question": True,
    "hop_answer": True,
}
_NUMBER = re.compile(r"\d+")
EACH = "[]"
NONE = "none"  # instead of `role=column`: no column has a role
_TRUTHS = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}


class BadMapping(ValueError):
    """A mapping that makes no items; the message says what to change, `role` which part."""

    def __init__(self, message: str, role: str = "") -> None:
        super().__init__(message)
        self.role = role


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Role to columns or families, in order. Without any, items are records with all they have as additional data."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> ColumnMapping:
        """The mapping of (role, column) pairs. Raises BadMapping."""
        columns: dict[str, tuple[str, ...]] = {}
        for role, column in pairs:
            if role not in ROLES:
                raise BadMapping(f"There is no role {role[:60]!r}. Choose among {', '.join(ROLES)}.")
            if role in columns and not ROLES[role]:
                raise BadMapping(
                    f"Only one column can be the {role}. Choose one of {columns[role][0]}, {column}.", role
                )
            columns[role] = (*columns.get(role, ()), column)
        _check(columns)
        return cls(columns)

    @classmethod
    def of_words(cls, words: Iterable[str]) -> ColumnMapping:
        """The mapping of `role=column` words, or of `none` alone. Raises BadMapping."""
        words = list(words)
        if words == [NONE]:
            return cls()
        pairs = [tuple(word.split("=", 1)) for word in words]
        if bad := next((pair for pair in pairs if len(pair) != 2 or not pair[1]), None):
            raise BadMapping(f"{bad[0][:60]!r} maps no column. Write ROLE=COLUMN, such as question=q, or {NONE} alone.")
        return cls.of((role.strip(), column) for role, column in pairs)

    @classmethod
    def of_json(cls, value: object) -> ColumnMapping:
        """The mapping of `{"question": "q", "paragraph": ["passage_*"]}`. Raises BadMapping."""
        if not isinstance(value, Mapping):
            raise BadMapping('Give an object of roles and their columns, such as {"question": "q"}.')
        pairs = []
        for role, columns in value.items():
            for column in columns if isinstance(columns, list) else [columns]:
                if not isinstance(column, str):
                    raise BadMapping(f"The columns of {role!s:.60} are not texts. Give a column or a list of columns.")
                pairs.append((role, column))
        return cls.of(pairs)

    def as_json(self) -> dict[str, list[str]]:
        return {role: list(self.columns[role]) for role in ROLES if role in self.columns}

    def roles(self) -> dict[str, str]:
        """Column or family to role."""
        return {column: role for role, columns in self.as_json().items() for column in columns}

    def words(self) -> list[str]:
        """`role=column` of each column."""
        return [f"{role}={column}" for role, columns in self.as_json().items() for column in columns]

    def expanded(self, known: Sequence[str]) -> dict[str, list[str]]:
        """The columns of each role among the known ones, families expanded. Raises BadMapping for an unknown one."""
        found = {role: [each for one in some for each in _matching(one, known)] for role, some in self.columns.items()}
        for role, columns in found.items():
            if len(columns) > 1 and not ROLES[role]:
                raise BadMapping(f"Only one column can be the {role}. Choose one of {', '.join(columns)[:300]}.", role)
        return found


def _check(columns: Mapping[str, Sequence[str]]) -> None:
    if "hop_answer" in columns and "hop_question" not in columns:
        raise BadMapping("hop_answer needs hop_question. Map the columns with the hops' questions too.", "hop_answer")
    if {"support", "support_from_1"} <= set(columns):
        raise BadMapping("Map support or support_from_1, not both.", "support")


def _matching(column: str, known: Sequence[str]) -> list[str]:
    if column in known or any(each.startswith((f"{column}.", f"{column}{EACH}.")) for each in known):
        return [column]
    for star in (r"\d+", r".+") if "*" in column else ():
        pattern = re.compile(star.join(map(re.escape, column.split("*"))))
        if found := [each for each in known if pattern.fullmatch(each)]:
            return found
    raise BadMapping(f"There is no column {column[:60]!r}. The columns are {', '.join(known)[:600]}.")


def family_of(column: str) -> str:
    """The column with its numbers as `*`."""
    return _NUMBER.sub("*", column)


def families(columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns in order, with numbered ones, if there are several, under their family."""
    found: dict[str, list[str]] = {}
    for column in columns:
        found.setdefault(family_of(column), []).append(column)
    return {name if len(some) > 1 else some[0]: some for name, some in found.items()}


def columns_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The paths of all values in the records, in order of appearance."""
    paths = dict.fromkeys(path for record in records for path in _paths(record))
    outer = {before for path in paths for before in _outer(path)}  # where another record has an empty list or object
    return [path for path in paths if path not in outer]


def _outer(path: str) -> Iterator[str]:
    """`a[].b.c` gives `a`, `a[]`, `a[].b`."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path
        yield path.removesuffix(EACH)


def _paths(record: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for key, value in record.items():
        path = f"{before}{key}"
        inner = value if isinstance(value, dict) else None
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            inner, path = {key: part for each in value for key, part in each.items()}, path + EACH
        if inner:
            yield from _paths(inner, f"{path}.")
        else:
            yield path


def value_at(record: Any, path: str) -> Any:
    """The value at a path, None if there is none; a list for a path through a list."""
    if isinstance(record, dict) and path in record:
        return record[path]
    head, dot, rest = path.partition(".")
    if not dot or not isinstance(record, dict):
        return None
    if not head.endswith(EACH):
        return value_at(record.get(head), rest)
    members = record.get(head.removesuffix(EACH))
    return [value_at(each, rest) for each in members] if isinstance(members, list) else None


def truth_of(value: object) -> bool | None:
    """The truth that a value says: true, yes or 1; false, no or 0. None for any other."""
    return _TRUTHS.get(str(value).strip().lower()) if isinstance(value, str | int | float) else None


def without(record: Mapping[str, Any], used: Collection[str], before: str = "") -> dict[str, Any]:
    """A copy of the record without the values at the used paths, and without objects that are empty then."""
    rest: dict[str, Any] = {}
    for key, value in record.items():
        path = f"{before}{key}"
        if path in used:
            continue
        if isinstance(value, dict) and value:
            value = without(value, used, f"{path}.")
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            members = [without(each, used, f"{path}{EACH}.") for each in value]
            value = members if any(members) else None
        else:
            rest[key] = value
            continue
        if value:
            rest[key] = value
    return rest
