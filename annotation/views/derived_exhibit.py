"""The report of a derivation as tables: any figures, nested as they come, made readable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Table:
    """`columns` name what stands in the rows behind their first cell; none where there is one value each."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[str]]]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What was read, kept and dropped for which reasons (most first), the single figures, and the tables."""

    read: int
    kept: int
    dropped: int
    reasons: list[tuple[str, int]]
    figures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def derived_exhibit(report: Mapping[str, Any]) -> Exhibit | None:
    """The exhibit of {"read", "kept", "dropped", "figures"}; None for any other report."""
    if not {"read", "kept", "dropped"} <= set(report):
        return None
    reasons = sorted(report["dropped"].items(), key=lambda each: (-each[1], each[0]))
    figures = report.get("figures") or {}
    plain = [(_named(key), _shown(value)) for key, value in figures.items() if not isinstance(value, dict)]
    nested = {key: value for key, value in figures.items() if isinstance(value, dict) and value}
    dropped = sum(count for _reason, count in reasons)
    return Exhibit(report["read"], report["kept"], dropped, reasons, plain, list(_tables(nested)))


def _tables(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[Table]:
    """A table a figure; figures that say the same of different things are one table."""
    alike: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
    for key, value in figures.items():
        if all(isinstance(each, dict) for each in value.values()):
            yield _matrix(_named(key), {name: dict(_flat(each)) for name, each in value.items()})
        else:
            row = dict(_flat(value))
            alike.setdefault(tuple(row), {})[key] = row
    for rows in alike.values():
        if len(rows) == 1:
            title, row = next(iter(rows.items()))
            yield Table(_named(title), [], [(name, [value]) for name, value in row.items()])
        else:
            yield _matrix("", rows)


def _flat(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, what is shown) of what is in a figure; what is nested further gets its way as its name."""
    for key, each in value.items():
        if not isinstance(each, dict):
            yield _named(key), _shown(each)
            continue
        whole = value.get("number")
        shares = whole if whole and sum(n for n in each.values() if isinstance(n, int)) == whole else None
        for name, inner in each.items():
            share = f" ({100 * inner / shares:.1f} %)" if shares else ""
            yield f"{_named(key)}: {name}", _shown(inner) + share


def _matrix(title: str, rows: Mapping[str, Mapping[str, str]]) -> Table:
    """Rows by columns; turned where it would be wider than high."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    if len(columns) > max(len(rows), 4):
        body = [(column, [row.get(column, "–") for row in rows.values()]) for column in columns]
        return Table(title, [_named(name) for name in rows], body)
    return Table(title, columns, [(_named(name), [row.get(c, "–") for c in columns]) for name, row in rows.items()])


def _named(key: str) -> str:
    """A figure's name as a heading; a shape or a dataset's name stays as it is."""
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:] if " " in words or words.isalpha() else key


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
