"""Where the marks of a chart go, in SVG user units; the templates draw them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Interval = tuple[float, float | None, float | None]  # value, low, high; 0..1


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its whisker; `high_y` and `low_y` are equal to `y` where the interval is undefined."""

    series: int
    x: float
    y: float
    high_y: float
    low_y: float
    value: float


@dataclass(frozen=True, slots=True)
class Group:
    label: str
    x: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    label: str
    y: float


@dataclass(frozen=True, slots=True)
class Chart:
    """`left`, `top`, `right`, `bottom` bound the plot; labels go outside of it."""

    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float
    ticks: tuple[Tick, ...]
    bars: tuple[Bar, ...] = ()
    groups: tuple[Group, ...] = ()


def round_top(most: float) -> int:
    """The smallest of 1, 2, 4, 5, 10, 20, 40, 50, ... that is not below `most`; at least 1."""
    scale = 1
    while True:
        for step in (1, 2, 4, 5):
            if step * scale >= most:
                return step * scale
        scale *= 10


def bar_chart(values: Sequence[tuple[str, int]], *, width: float = 640, height: float = 140, left: float = 36) -> Chart:
    """Bars of counts (label, count) side by side; the axis ends at a round number."""
    top, bottom, right = 8.0, height - 20, width - 4
    most = round_top(max((count for _, count in values), default=0))
    step = (right - left) / max(1, len(values))
    bars = tuple(
        Bar(label, count, _r(left + k * step + step * 0.1), _r(y), _r(step * 0.8), _r(bottom - y))
        for k, (label, count) in enumerate(values)
        for y in [bottom - (bottom - top) * count / most]
    )
    ticks = (Tick("0", bottom), Tick(f"{most:,}", top))
    return Chart(width, height, left, top, right, bottom, ticks, bars=bars)


def interval_chart(
    groups: Mapping[str, Sequence[Interval | None]],
    *,
    width: float = 640,
    height: float = 260,
    left: float = 44,
) -> Chart:
    """Values with intervals in 0..1, grouped by label; the k-th of each group belongs to series k.

    The axis begins at the highest tenth that lies below everything, so that differences can be seen.
    """
    top, bottom, right = 10.0, height - 28, width - 6
    lows = [v if low is None else low for row in groups.values() for v, low, _high in filter(None, row)]
    floor = max(0.0, math.floor(min(lows, default=0.0) * 10 - 1e-9) / 10)
    floor = min(floor, 0.8)

    def place(value: float) -> float:
        return _r(bottom - (bottom - top) * (min(max(value, floor), 1.0) - floor) / (1 - floor))

    step = (right - left) / max(1, len(groups))
    drawn = []
    for k, (label, row) in enumerate(groups.items()):
        middle = left + (k + 0.5) * step
        drawn.append(Group(label, _r(middle), tuple(_marks(row, middle=middle, step=step, place=place))))
    tenths = range(round(floor * 10), 11, 1 if floor >= 0.5 else 2)
    ticks = tuple(Tick(str(tenth * 10), place(tenth / 10)) for tenth in tenths)
    return Chart(width, height, left, top, right, bottom, ticks, groups=tuple(drawn))


def _marks(
    row: Sequence[Interval | None], *, middle: float, step: float, place: Callable[[float], float]
) -> list[Mark]:
    apart = min(28.0, step / (len(row) + 1))
    marks = []
    for series, interval in enumerate(row):
        if interval is None:
            continue
        value, low, high = interval
        y = place(value)
        high_y, low_y = (y if end is None else place(end) for end in (high, low))
        x = _r(middle + (series - (len(row) - 1) / 2) * apart)
        marks.append(Mark(series, x, y, high_y, low_y, value))
    return marks


def _r(number: float) -> float:
    return round(number, 1)
