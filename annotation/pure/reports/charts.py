"""Charts as values: bars, points with intervals, grids, lines. annotation/pure/reports/svg.py draws them.

A worker's quality over time is one too: the running mean of their grades with its interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.pure.reports.tables import UNKNOWN, Translate
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _

LONGEST = 600  # characters of a description
Point = tuple[float, float | None, float | None] | None  # value, low, high


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart of counts; `description` is for screen readers.

    `ends` label the first and last bar; without them every bar has its label, as far as there is room.
    """

    values: tuple[tuple[str, int], ...]
    description: str
    ends: tuple[str, str] | None = None
    height: float = 140.0
    width: float = 640.0
    mark: int | None = None  # position in percent of the width, for a line that a script lets people move

    @classmethod
    def of(cls, values: Sequence[tuple[str, int]], text: str) -> Bars:
        """Bars of dates; `text` has places for their number and the first."""
        return cls(tuple(values), text % {"n": len(values), "first": values[0][0]}, (values[0][0], values[-1][0]))


@dataclass(frozen=True, slots=True)
class Series:
    """A series of a chart: a point for each group, None if it is undefined."""

    label: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """Values with 95 % bars, grouped. `across`: a row a group, since their names are long or many."""

    name: str
    title: str
    axis: str
    groups: tuple[str, ...]
    series: tuple[Series, ...]
    across: bool = False
    study: str = ""
    n: str = ""  # of items or responses behind the points

    def as_text(self) -> str:
        """The numbers as text, for readers who cannot see the chart."""

        def line(one: Series) -> str:
            return ", ".join(
                f"{group} {point_text(point)}" for group, point in zip(self.groups, one.points, strict=True)
            )

        parts = [f"{one.label}: {line(one)}" for one in self.series]
        return _cut(f"{self.title}. {'; '.join(parts)}.")


@dataclass(frozen=True, slots=True)
class Grid:
    """A number, or None, for each (row, column) pair, as a shade and in words. `dense`: low rows, narrow columns."""

    name: str
    title: str
    axis: str  # label of the columns
    side: str  # label of the rows
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int | None, ...], ...]
    study: str = ""
    n: str = ""
    dense: bool = False

    def as_text(self) -> str:
        parts = [
            f"{row}: {', '.join(f'{column} {count}' for column, count in cells if count is not None)}"
            for row, counts in zip(self.rows, self.counts, strict=True)
            for cells in [list(zip(self.columns, counts, strict=True))]
        ]
        return _cut(f"{self.title}. {'; '.join(parts)}.")


@dataclass(frozen=True, slots=True)
class Line:
    """A line over time; `dashed` lines are plans, `stepped` ones stay at a value until the next."""

    label: str
    points: tuple[tuple[datetime, float], ...]
    dashed: bool = False
    stepped: bool = True


@dataclass(frozen=True, slots=True)
class Lines:
    """Amounts over time."""

    name: str
    title: str
    axis: str
    lines: tuple[Line, ...]
    study: str = ""
    n: str = ""

    def as_text(self) -> str:
        def ends(line: Line) -> str:
            (first, few), (last, most) = line.points[0], line.points[-1]
            return f"{line.label}: {first:%Y-%m-%d %H:%M} {few:g} – {last:%Y-%m-%d %H:%M} {most:g}"

        return _cut(f"{self.title}. {'; '.join(map(ends, self.lines))}.")


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps from top to bottom, each with its count and the losses after it: (label, count, ((reason, count), ...))."""

    name: str
    title: str
    steps: tuple[tuple[str, int, tuple[tuple[str, int], ...]], ...]
    study: str = ""
    n: str = ""

    def as_text(self) -> str:
        parts = [
            "; ".join([f"{label} {count}", *(f"− {reason} {lost}" for reason, lost in losses)])
            for label, count, losses in self.steps
        ]
        return _cut(f"{self.title}. {'; '.join(parts)}.")


Plot = Dots | Grid | Lines | Flow


def point_text(point: Point) -> str:
    """A value with its interval."""
    if point is None:
        return UNKNOWN
    value, low, high = point
    return f"{value:.1f}" if low is None or high is None else f"{value:.1f} [{low:.1f}, {high:.1f}]"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The mean of the first `number` grades, with Wilson's 95 % interval."""

    number: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trend:
    """The running mean by number of responses; `description` describes it for readers who cannot see it."""

    points: tuple[TrendPoint, ...]
    description: str


def trend(grades: Sequence[float], translate: Translate = str) -> Trend | None:
    """The means of ever more grades (0..1), if any. F1s count as shares: their interval is rather too wide."""
    points, total = [], 0.0
    for number, grade in enumerate(grades, start=1):
        total += grade
        figure = wilson(total, number)
        points.append(TrendPoint(number, total / number, figure.low or 0.0, figure.high or 0.0))
    return Trend(tuple(points), translate(_("Running mean per response"))) if points else None
