"""A worker's quality over time: the running mean of their grades with its interval, and where its line goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.pure.reports.charts import Tick
from annotation.pure.statistics.intervals import wilson


@dataclass(frozen=True, slots=True)
class Point:
    """The mean of the first `number` grades, with Wilson's 95 % interval, and its place in the chart."""

    number: int
    grade: float
    mean: float
    low: float
    high: float
    x: float = 0.0
    y: float = 0.0
    grade_y: float = 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """The chart: `line` and `band` are the points of a polyline and of a polygon."""

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]
    line: str
    band: str


def running(grades: Sequence[float]) -> list[Point]:
    """The means of ever more grades (0..1). F1s count as shares: their interval is rather too wide."""
    found, total = [], 0.0
    for number, grade in enumerate(grades, start=1):
        total += grade
        figure = wilson(total, number)
        found.append(Point(number, grade, total / number, figure.low or 0.0, figure.high or 0.0))
    return found


def trend(grades: Sequence[float], *, width: float = 640, height: float = 200, left: float = 36) -> Trend:
    """The running mean by answer number, from 0 to 100 percent."""
    top, bottom, right = 10.0, height - 24, width - 10
    plain = running(grades)
    step = (right - left) / max(1, len(plain) - 1)

    def place(value: float) -> float:
        return round(bottom - (bottom - top) * value, 1)

    points = [
        Point(p.number, p.grade, p.mean, p.low, p.high, round(left + k * step, 1), place(p.mean), place(p.grade))
        for k, p in enumerate(plain)
    ]
    above = [f"{p.x},{place(p.high)}" for p in points]
    below = [f"{p.x},{place(p.low)}" for p in reversed(points)]
    ticks = tuple(Tick(str(percent), place(percent / 100)) for percent in (0, 25, 50, 75, 100))
    line = " ".join(f"{p.x},{p.y}" for p in points)
    return Trend(width, height, left, top, right, bottom, ticks, tuple(points), line, " ".join([*above, *below]))
