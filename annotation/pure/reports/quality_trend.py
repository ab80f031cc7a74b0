"""A worker's quality over time: the running mean of their grades with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.pure.reports.tables import Translate
from annotation.pure.statistics.intervals import wilson
from annotation.pure.text.translation_marks import gettext_noop as _


@dataclass(frozen=True, slots=True)
class Point:
    """The mean of the first `number` grades, with Wilson's 95 % interval."""

    number: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trend:
    """The running mean by number of responses; `description` describes it for readers who cannot see it."""

    points: tuple[Point, ...]
    description: str


def trend(grades: Sequence[float], translate: Translate = str) -> Trend | None:
    """The means of ever more grades (0..1), if any. F1s count as shares: their interval is rather too wide."""
    points, total = [], 0.0
    for number, grade in enumerate(grades, start=1):
        total += grade
        figure = wilson(total, number)
        points.append(Point(number, total / number, figure.low or 0.0, figure.high or 0.0))
    return Trend(tuple(points), translate(_("Running mean per response"))) if points else None
