"""The figures that a paper prints, and where ours are.

`published.csv` has one row for each figure: what it is, its value with unit and n, where the paper prints it, the path
to ours in the report of one of the study's batches, or of two whose difference is the figure, whether a conclusion is
drawn from it, and whether the paper gives a bound.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.pure.reports import figure_paths
from annotation.pure.statistics.intervals import ITEMS_ONLY, Figure
from annotation.pure.studies.definition import BadStudy
from annotation.pure.text.translation_marks import gettext_noop as _

BEFORE = ("figure", "value", "unit", "n", "table", "row", "column", "page", "quoted_from", "batch", "path")
COLUMNS = (*BEFORE, "primary", "bound")  # runs that were launched earlier have a file with BEFORE
AT_LEAST, AT_MOST = _("at least"), _("at most")
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
    def is_contrast(self) -> bool:
        return len(self.batches) == 2

    @property
    def place(self) -> str:
        """Where the paper prints it."""
        parts = [self.table, self.row, self.column, f"p. {self.page}" if self.page else ""]
        return ", ".join(part for part in parts if part)


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
    if found.bound and found.is_contrast:
        raise BadStudy(f"{place}, bound: a contrast has none")
    names = found.batches
    if len(names) > 2 or len(set(names)) < len(names) or (len(names) == 2 and ANALYSIS in names):
        raise BadStudy(f"{place}, batch: write a batch, or two different ones as first{MINUS}second")


def ours(report: Mapping[str, Any], path: str) -> Figure | None:
    """The figure at a path of a report (`figure_paths`); a plain number has no interval and no n. None if none."""
    found = figure_paths.at(report, path)
    if isinstance(found, Mapping) and found.get("value") is not None:
        method = ITEMS_ONLY if found.get("items_only") else ""
        return Figure(found["value"], found.get("low"), found.get("high"), found.get("n") or 0, method)
    return (
        Figure(float(found), None, None, 0) if isinstance(found, int | float) and not isinstance(found, bool) else None
    )
