"""The figures that a paper prints, and whether ours differ from them by more than chance.

`published.csv` has one row for each figure: what it is, its value with unit and n, where the paper prints it, the path
to ours in the report of one of the study's batches, or of two whose difference is the figure, whether a conclusion is
drawn from it, and whether the paper gives a bound.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure.statistics.intervals import wilson
from annotation.pure.studies.definition import BadStudy

BEFORE = ("figure", "value", "unit", "n", "table", "row", "column", "page", "quoted_from", "batch", "path")
COLUMNS = (*BEFORE, "primary", "bound")  # runs that were launched earlier have a file with BEFORE
AT_LEAST, AT_MOST = "at least", "at most"
MOST_PRIMARY = 10
MINUS = " - "  # between the two batches of a contrast
ANALYSIS = "analysis"  # as a `batch`: what the study computes from all batches together
UNITS = {"percent": 100.0, "score": 100.0, "share": 1.0, "count": 1.0}


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of a paper. `value` is a share of 1 where the unit is percent or score.

    `n` is None if the paper does not say it. `quoted_from` names the work it was read in, if not the paper itself.
    `batch` and `path` say where our figure is; both are empty if people's responses do not give it. `primary`: one of
    the few figures from which conclusions are drawn. `bound`: the paper says AT_LEAST or AT_MOST the value; "": equal.
    """

    figure: str
    value: float
    unit: str
    n: int | None
    table: str
    row: str
    column: str
    page: str
    quoted_from: str
    batch: str
    path: str
    primary: bool = False
    bound: str = ""

    @property
    def batches(self) -> list[str]:
        """The batches of our figure; of two it is the paired difference, the first minus the second."""
        return self.batch.split(MINUS) if self.batch else []

    @property
    def place(self) -> str:
        """Where the paper prints it."""
        parts = [self.table, self.row, self.column, f"p. {self.page}" if self.page else ""]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Ours:
    """Our figure with its 95 % interval."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Ours minus the paper's with a 95 % interval; `beyond_chance` is None where too little is known."""

    value: float
    low: float | None
    high: float | None
    beyond_chance: bool | None


def read(text: str) -> list[Published]:
    """The rows of `published.csv`. Raises BadStudy with the line and the column."""
    rows = csv.DictReader(io.StringIO(text))
    columns = tuple(rows.fieldnames or ())
    if columns not in (COLUMNS, BEFORE):
        raise BadStudy(f"published.csv, line 1: the columns must be {','.join(COLUMNS)}")
    found = [_row(row, len(columns), f"published.csv, line {number}") for number, row in enumerate(rows, start=2)]
    if sum(row.primary for row in found) > MOST_PRIMARY:
        raise BadStudy(f"published.csv, primary: at most {MOST_PRIMARY} figures can be primary")
    return found


def _row(row: Mapping[str, Any], columns: int, place: str) -> Published:
    if None in row or None in row.values():
        raise BadStudy(f"{place}: it has more or fewer than {columns} columns")
    unit = row["unit"]
    if unit not in UNITS:
        raise BadStudy(f"{place}, unit: write one of {', '.join(UNITS)}")
    if bool(row["batch"]) != bool(row["path"]):
        raise BadStudy(f"{place}: batch and path go together")
    try:
        value, n = float(row["value"]) / UNITS[unit], int(row["n"]) if row["n"] else None
    except ValueError:
        raise BadStudy(f"{place}: value and n are numbers; n may be empty") from None
    found = Published(**{**row, "value": value, "n": n, "primary": row.get("primary") == "yes"})
    _check(row, found, place)
    return found


def _check(row: Mapping[str, Any], found: Published, place: str) -> None:
    """Raise BadStudy for what a figure cannot be."""
    if row.get("primary", "") not in ("", "yes"):
        raise BadStudy(f"{place}, primary: write yes or nothing")
    if found.primary and (not found.batch or found.unit == "count"):
        raise BadStudy(f"{place}, primary: only a share or score with batch and path can be primary")
    if found.bound not in ("", AT_LEAST, AT_MOST):
        raise BadStudy(f"{place}, bound: write {AT_LEAST}, {AT_MOST} or nothing")
    names = found.batches
    if len(names) > 2 or len(set(names)) < len(names) or (len(names) == 2 and ANALYSIS in names):
        raise BadStudy(f"{place}, batch: write a batch, or two different ones as first{MINUS}second")


def ours(report: Mapping[str, Any], path: str) -> Ours | None:
    """The figure at a path of a batch's report, such as `tables.pairs.0.2` (name, row, column from 0); None if none.

    A plain number counts as a figure without an interval.
    """
    found: Any = report
    for step in path.split("."):
        found = _step(found, step)
    if isinstance(found, Mapping) and found.get("value") is not None:
        return Ours(found["value"], found.get("low"), found.get("high"), found.get("n") or 0)
    return Ours(float(found), None, None, 0) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _step(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return (
            value["rows"][int(step)]
            if "rows" in value and step.isdigit() and len(value["rows"]) > int(step)
            else (value.get(step))
        )
    if isinstance(value, list):
        if step.isdigit():
            return value[int(step)] if int(step) < len(value) else None
        return next((one for one in value if isinstance(one, Mapping) and one.get("name") == step), None)
    return None


def difference(published: Published, own: Ours) -> Difference:
    """Ours minus the paper's.

    Two shares are compared by Newcombe's interval of a difference (1998, method 10). For other means the paper prints
    no spread, so its spread is taken to be ours. Without an n of the paper only ours is taken to vary.
    """
    value = own.value - published.value
    if own.low is None or own.high is None or own.n < 1 or published.unit == "count":
        return Difference(value, None, None, None)
    if published.n is None:
        low, high = own.low - published.value, own.high - published.value
    elif published.unit in ("percent", "share"):
        low, high = _newcombe(own, published, published.n)
    else:
        half = (own.high - own.low) / 2 * math.sqrt(1 + own.n / published.n)
        low, high = value - half, value + half
    return Difference(value, low, high, not low <= 0 <= high)


def _newcombe(own: Ours, published: Published, n: int) -> tuple[float, float]:
    theirs = wilson(published.value * n, n)
    value = own.value - published.value
    below = math.hypot(own.value - (own.low or 0.0), (theirs.high or 0.0) - published.value)
    above = math.hypot((own.high or 0.0) - own.value, published.value - (theirs.low or 0.0))
    return value - below, value + above
