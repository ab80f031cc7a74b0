"""The report of a derivation as tables, also as files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Dataset
from annotation.pure.data.example import JSON
from annotation.pure.data.features import is_shape, shape_words
from annotation.views.reports.report_tables import Address, shown_table


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Numbers of items read, kept and dropped, single figures, and the tables, as `report_tables` has them.

    The first table lists the reasons for dropping, most frequent first.
    """

    read: int
    kept: int
    dropped: int
    figures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[JSON] = field(default_factory=list)


def derived_exhibit(report: Mapping[str, Any], address: Address | None = None) -> Exhibit | None:
    """The exhibit of {"read", "kept", "dropped", "figures"}; None for other reports. `address` as in shown_table."""
    if not _is_derived(report):
        return None
    figures = report.get("figures") or {}
    plain = [(_named(key), _shown(value)) for key, value in figures.items() if not isinstance(value, dict)]
    shown = [_shown_table(table, address) for table in derived_tables(report)]
    return Exhibit(report["read"], report["kept"], sum(report["dropped"].values()), plain, shown)


def derived_tables(report: Mapping[str, Any]) -> list[JSON]:
    """The tables of a derivation's report as annotation.pure.reports.tables has them; none for other reports."""
    if not _is_derived(report):
        return []
    reasons = sorted(report["dropped"].items(), key=lambda each: (-each[1], each[0]))
    figures = report.get("figures") or {}
    nested = {key: value for key, value in figures.items() if isinstance(value, dict) and value}
    head = [_("Reason"), _("Dropped")]
    why = [_table(_("Reasons for dropped records"), head, [[*each] for each in reasons])] if reasons else []
    return [table | {"name": f"figures-{n}"} for n, table in enumerate([*why, *_tables(nested)], start=1)]


def table_address(dataset: Dataset) -> Address:
    """The URLs of the tables as files."""

    def address(table: str, suffix: str) -> str:
        return reverse("dataset-table", args=[dataset.project.slug, dataset.slug, table, suffix])

    return address


def _is_derived(report: Mapping[str, Any]) -> bool:
    return {"read", "kept", "dropped"} <= set(report)


def _shown_table(table: JSON, address: Address | None) -> JSON:
    """All cells but the first are right-aligned, including numbers with their share."""
    shown = shown_table(table, address=address)
    for cells in [shown["columns"], *shown["rows"]]:
        for cell in cells[1:]:
            cell["number"] = True
    return shown


def _table(title: str, columns: list[str], rows: list[list[Any]]) -> JSON:
    """A table of annotation.pure.reports.tables without its name; the first column has the rows' names."""
    return {"title": title or _("Figures"), "columns": columns, "rows": rows, "bars": False}


def _tables(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[JSON]:
    """A table per figure; the same figure of different things is one table."""
    alike: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for key, value in figures.items():
        if all(isinstance(each, dict) for each in value.values()):
            yield _matrix(_named(key), {name: dict(_flat(each)) for name, each in value.items()})
        else:
            row = dict(_flat(value))
            alike.setdefault(tuple(row), {})[key] = row
    for rows in alike.values():
        if len(rows) == 1:
            title, row = next(iter(rows.items()))
            yield _table(_named(title), [_("Figure"), _("Value")], [[name, value] for name, value in row.items()])
        else:
            yield _matrix("", rows)


def _flat(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """(name, cell) of the values in a figure; deeper values are named by their path."""
    for key, each in value.items():
        if not isinstance(each, dict):
            yield _named(key), _cell(each)
            continue
        whole = value.get("number")
        shares = whole if whole and sum(n for n in each.values() if isinstance(n, int)) == whole else None
        for name, inner in each.items():
            share = f"{inner} ({100 * inner / shares:.1f} %)" if shares else _cell(inner)
            yield f"{_named(key)}: {_in_words(name)}", share


def _matrix(title: str, rows: Mapping[str, Mapping[str, Any]]) -> JSON:
    """Rows by columns, transposed if wider than high."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    if len(columns) > max(len(rows), 4):
        body = [[_in_words(column), *(row.get(column) for row in rows.values())] for column in columns]
        return _table(title, ["", *map(_named, rows)], body)
    return _table(
        title,
        ["", *map(_in_words, columns)],
        [[_named(name), *(row.get(c) for c in columns)] for name, row in rows.items()],
    )


def _named(key: str) -> str:
    """A figure's name as a heading, shapes as text; datasets' names unchanged."""
    if is_shape(key):
        return _(shape_words(key))
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:] if " " in words or words.isalpha() else key


def _in_words(name: str) -> str:
    """A shape as text, other names unchanged."""
    return _(shape_words(name)) if is_shape(name) else name


def _cell(value: Any) -> Any:
    """Numbers unchanged, so that they are right-aligned; everything else as text."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else _shown(value)


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
