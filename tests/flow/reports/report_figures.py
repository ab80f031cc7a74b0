"""Every figure of a report: its interval contains its value, or it has none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.pure.reports.tables import cell_text

SLACK = 1e-9
RANGES = ("without", "With one annotator left out", "with one annotator left out")  # of other values than their own


def contradicting(report: Any) -> list[str]:
    """Where an interval does not contain its value, or has one end only."""
    return [where for where, value, low, high in figures(report) if not _contains(value, low, high)]


def _contains(value: Any, low: Any, high: Any) -> bool:
    if low is None and high is None:
        return True
    return None not in (value, low, high) and low - SLACK <= value <= high + SLACK


def figures(content: Any, where: str = "") -> Iterator[tuple[str, Any, Any, Any]]:
    """(where, value, low, high) of each figure, also of tables with a column for each."""
    if isinstance(content, dict):
        if {"value", "low", "high"} <= content.keys():
            yield where, content["value"], content["low"], content["high"]
        if isinstance(content.get("rows"), list) and "columns" in content:
            yield from _of_table(content)
            return
        for key, each in content.items():
            if key not in RANGES and not (key != "average" and "/people/" in f"{where}/"):
                yield from figures(each, f"{where}/{key}")
    elif isinstance(content, list | tuple):
        for k, each in enumerate(content):
            yield from figures(each, f"{where}/{k}")


def _of_table(table: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    names = table["columns"]
    for row in table["rows"]:
        where = f"{table['name']}: {cell_text(row[0])}"
        if "95 % low" in names:
            k = names.index("95 % low")
            yield where, row[k - 1], row[k], row[k + 1]
        for name, cell in zip(names, row, strict=True):
            if name not in RANGES and not any(cell_text(each) in RANGES for each in row[:2]):
                yield from figures(cell, f"{where}, {name}")
