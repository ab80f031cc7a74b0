"""Where the marks of a chart go, in SVG user units; the templates draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    value: int
    x: float
    y: float
    width: float
    height: float


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


def _r(number: float) -> float:
    return round(number, 1)
