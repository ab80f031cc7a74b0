"""Charts as SVG, on pages and as files: the same chart gives the same bytes.

Colours are presentation attributes: files keep them, and a page's style sheet overrides them by class, for dark mode.
`style` attributes would violate our Content-Security-Policy. Series differ in shape as well as in colour (Okabe and
Ito's palette, safe for colour-blind readers).
"""

import math
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from annotation.pure.reports.charts import Bars, Dots, Flow, Grid, Line, Lines, Plot, Trend, point_text
from annotation.pure.reports.time_grid import period_label, time_grid

WIDTH, HEIGHT, EDGE = 640.0, 280.0, 8.0
LEFT, BELOW = 40.0, 18.0  # for values, for a line of text
INK, QUIET, LINE = "#1b1b1b", "#555555", "#d5d5d5"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = (
    "M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z", "M-3.2-3.2h6.4v6.4h-6.4z", "M0-4.5L4.2 3.5h-8.4z",
    "M0-4.8L4.8 0L0 4.8L-4.8 0z", "M0 4.5L4.2-3.5h-8.4z", "M-4.5-1.3h9v2.6h-9zM-1.3-4.5h2.6v9h-2.6z",
)  # fmt: skip
NARROWEST = 27.0  # column of a dense grid, for a number of three digits
LONG = 0.3 * WIDTH  # a group's name that stands above its row: a phone has no room for both side by side
TIMES = 5  # labels of a time axis, at most
ON_A_PHONE = 20 / 13  # how much larger labels are in static/css/console.css, where a chart has the class "fits"
XML = b'<?xml version="1.0" encoding="utf-8"?>\n'
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML


class Drawing:
    """An SVG under construction; `left`, `top`, `right` and `bottom` bound the plot area, with labels outside."""

    def __init__(
        self,
        description: str,
        height: float,
        *,
        left: float = LEFT,
        top: float = EDGE,
        below: float = 1,
        width: float = WIDTH,
    ) -> None:
        self.left, self.top, self.right, self.bottom = left, top, width - 2 * EDGE, height - below * BELOW - 4
        box = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
        font = {"font-family": "DejaVu Sans, Verdana, Arial, sans-serif", "font-size": "13"}
        look = "chart wide" if width > WIDTH else "chart"
        attributes = {"xmlns": "http://www.w3.org/2000/svg", "class": look, "role": "img", **box, **font}
        self.root = ET.Element("svg", attributes, **{"aria-label": description})
        self.add("rect", "paper", width=width, height=height, fill="white")

    def add(
        self, tag: str, look: str = "", description: str = "", /, inside: ET.Element | None = None, **how: Any
    ) -> ET.Element:
        """Add an element of a class; `description` is shown when the mouse points at it."""
        named = {"class": look} if look else {}
        named |= {name.replace("_", "-"): f"{v:.6g}" if isinstance(v, float) else str(v) for name, v in how.items()}
        made = ET.SubElement(self.root if inside is None else inside, tag, named)
        if description:
            ET.SubElement(made, "title").text = description
        return made

    def text(self, x: float, y: float, words: str, anchor: str = "middle", fill: str = INK, **how: Any) -> None:
        look = {INK: "label name", "white": "label on-dark"}.get(fill, "label")
        self.add("text", look, x=x, y=y, dy=4, text_anchor=anchor, fill=fill, **how).text = words

    def rows(self, ticks: Sequence[float], axis: str = "") -> None:
        """Horizontal lines with their values at the left."""
        for tick in ticks:
            y = self.y(tick, ticks)
            self.add("path", "grid", d=f"M{self.left:g} {y:.1f}H{self.right:g}", stroke=LINE)
            self.text(self.left - 6, y, f"{tick:,.10g}", "end", QUIET)
        self.side(axis)

    def side(self, axis: str) -> None:
        """The name of the vertical axis."""
        middle = (self.top + self.bottom) / 2
        if axis:
            self.text(14.0, middle, axis, transform=f"rotate(-90 14 {middle:g})")

    def x(self, value: float, ticks: Sequence[float]) -> float:
        return self.left + (self.right - self.left) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    def y(self, value: float, ticks: Sequence[float]) -> float:
        return self.bottom - (self.bottom - self.top) * (value - ticks[0]) / (ticks[-1] - ticks[0])


def draw(plot: Plot | Bars | Trend) -> str:
    """The chart as an SVG element."""
    drawn: Any = {Dots: _dots, Grid: _grid, Lines: _lines, Flow: _flow, Bars: _bars, Trend: _trend}[type(plot)]
    return _FORBIDDEN.sub("", ET.tostring(drawn(plot).root, encoding="unicode"))


def as_file(plot: Plot) -> bytes:
    """The chart as an SVG document."""
    return XML + draw(plot).encode()


def _ticks(low: float, high: float, most: int = 6, least: float = 0.0) -> list[float]:
    """Round numbers from below `low` to above `high`."""
    rough = max((high - low) / most, least) or 1.0
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * k for k in (1, 2, 4, 5, 10) if scale * k >= rough * 0.999 and scale * k >= least)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(k * step, 6) for k in range(first, max(last, first + 1) + 1)]


def _width(words: str) -> float:
    """About how wide a text is; East Asian letters fill a square."""
    return sum(13.0 if unicodedata.east_asian_width(char) in "WF" else 7.8 for char in words)


def _beside(ticks: Sequence[float]) -> float:
    """Room for the values and, beside them, the name of their axis."""
    return 32 + ON_A_PHONE * max(_width(f"{tick:,.10g}") for tick in ticks)


def _dots(plot: Dots) -> Drawing:
    widest, many = ON_A_PHONE * max(map(_width, plot.groups)), len(plot.series)
    stacked = plot.across and many == 1 and widest > ON_A_PHONE * LONG
    height = 70 + len(plot.groups) * (44.0 if stacked else max(24.0, 16.0 * many)) if plot.across else HEIGHT
    known = [value for one in plot.series for point in one.points if point for value in point if value is not None]
    ticks = _ticks(min(known, default=0), max(known, default=1))
    left = 2 * EDGE if stacked else min(widest + 14, 0.55 * WIDTH) if plot.across else _beside(ticks)
    drawing = Drawing(plot.as_text(), height, left=left, top=32 if many > 1 else EDGE, below=2 if plot.across else 1)
    if plot.across:
        for tick in ticks:
            x = drawing.x(tick, ticks)
            drawing.add("path", "grid", d=f"M{x:.1f} {drawing.top:g}V{drawing.bottom:g}", stroke=LINE)
            drawing.text(x, drawing.bottom + 12, f"{tick:g}", fill=QUIET)
        drawing.text((left + drawing.right) / 2, drawing.bottom + 30, plot.axis)
    else:
        drawing.rows(ticks, plot.axis)
    room = (drawing.bottom - drawing.top if plot.across else drawing.right - left) / len(plot.groups)
    every = 1 if plot.across else math.ceil((widest / ON_A_PHONE + 8) / room)  # groups per label
    apart = room * min(0.3 if plot.across else 0.18, 0.7 / many)
    for place, group in enumerate(plot.groups):
        middle = (drawing.top if plot.across else left) + (place + 0.5) * room
        if stacked:
            drawing.text(left, middle - 11, group, "start")
            middle += 9
        elif plot.across:
            drawing.text(left - 8, middle, group, "end")
        elif place % every == 0:
            drawing.text(middle, drawing.bottom + 12, group)
        for k, one in enumerate(plot.series):
            if point := one.points[place]:
                description = f"{one.label}: {group} {point_text(point)}"
                at = middle + (k - (many - 1) / 2) * apart
                _point(drawing, ticks, k, at, point, description, plot.across)
    fits = _legend(drawing, [one.label for one in plot.series]) if many > 1 else True
    if fits and (stacked or widest <= (left - 14 if plot.across else room - 8)):
        drawing.root.set("class", "chart fits")
    return drawing


def _point(
    drawing: Drawing, ticks: Sequence[float], k: int, at: float, point: Any, description: str, across: bool
) -> None:
    """Draw a marker with its interval; `at`: the group's coordinate."""
    value, low, high = (None if v is None else (drawing.x if across else drawing.y)(v, ticks) for v in point)
    group = drawing.add("g", "point", description, fill=COLOURS[k % 6], stroke=COLOURS[k % 6])
    if low is not None and high is not None:
        bar, cap = (f"M{low:.1f} {at:.1f}H{high:.1f}", "v6") if across else (f"M{at:.1f} {low:.1f}V{high:.1f}", "h6")
        ends = (f"M{end:.1f} {at - 3:.1f}{cap}" if across else f"M{at - 3:.1f} {end:.1f}{cap}" for end in (low, high))
        drawing.add("path", inside=group, d=bar + "".join(ends), stroke_width=1.5)
    x, y = (value, at) if across else (at, value)
    drawing.add("path", inside=group, d=MARKERS[k % 6], transform=f"translate({x:.1f} {y:.1f})", stroke="none")


def _legend(drawing: Drawing, labels: Sequence[str]) -> bool:
    """Add the names of series in a line; whether there is room for those of a phone."""
    wide, narrow = ([larger * _width(label) + 36 for label in labels] for larger in (ON_A_PHONE, 1))
    widths = wide if sum(wide) <= WIDTH else narrow
    x = max(EDGE, (WIDTH - sum(widths)) / 2)
    for k, label in enumerate(labels):
        drawing.add("path", d=MARKERS[k % 6], transform=f"translate({x + 6:.1f} 14)", fill=COLOURS[k % 6])
        drawing.text(x + 16, 14.0, label, "start")
        x += widths[k]
    return widths is wide


def _grid(plot: Grid) -> Drawing:
    left = min(max(map(_width, plot.rows)) + 40, 0.5 * WIDTH)
    slanted = plot.dense and len(plot.columns) > 6  # names of columns that would overlap
    height = (20.0 if plot.dense else 36.0) * len(plot.rows) + (110 if slanted else 70)
    width = max(WIDTH, left + NARROWEST * len(plot.columns) + 2 * EDGE) if plot.dense else WIDTH
    drawing = Drawing(plot.as_text(), height, left=left, below=4.6 if slanted else 2.4, width=width)
    most = 100 if plot.dense else max((count or 0 for row in plot.counts for count in row), default=0) or 1
    wide, high = (drawing.right - left) / len(plot.columns), (drawing.bottom - EDGE) / len(plot.rows)
    for j, (name, row) in enumerate(zip(plot.rows, plot.counts, strict=True)):
        y = EDGE + j * high
        drawing.text(left - 8, y + high / 2, name, "end")
        for k, count in enumerate(row):
            if count is not None:
                place = (left + k * wide, y, wide, high)
                _shade(drawing, place, count, most, f"{name}, {plot.columns[k]}: {count}")
    for k, name in enumerate(plot.columns):
        x, y = left + (k + 0.5) * wide, drawing.bottom + 12
        turned: dict[str, Any] = {"transform": f"rotate(-50 {x:g} {y:g})"} if slanted else {}
        drawing.text(x, y, name, "end" if slanted else "middle", **turned)
    drawing.text((left + drawing.right) / 2, height - 8, plot.axis)
    drawing.side(plot.side)
    return drawing


def _shade(drawing: Drawing, place: tuple[float, float, float, float], count: int, most: int, words: str) -> None:
    """A cell of a grid, the darker the more, with its number."""
    x, y, wide, high = place
    box: dict[str, Any] = {"x": x + 1, "y": y + 1, "width": wide - 2, "height": high - 2}
    opacity = round(0.06 + 0.94 * count / most, 3)
    drawing.add("rect", "", words, **box, fill=COLOURS[0], fill_opacity=opacity)
    drawing.text(x + wide / 2, y + high / 2, str(count), fill="white" if count > 0.6 * most else INK)


def _lines(plot: Lines) -> Drawing:
    many = len(plot.lines) > 1
    points = [point for line in plot.lines for point in line.points]
    values = _ticks(0, max(value for _time, value in points), least=1)
    drawing = Drawing(plot.as_text(), HEIGHT, left=_beside(values), top=32 if many else EDGE)
    drawing.rows(values, plot.axis)
    first, last = min(time for time, _value in points), max(time for time, _value in points)
    ends = [0.0, max(1.0, (last - first) / timedelta(hours=1))]
    _time_axis(drawing, first, ends[1])
    for k, line in enumerate(plot.lines):
        places = [(drawing.x((time - first) / timedelta(hours=1), ends), drawing.y(value, values))
                  for time, value in line.points]  # fmt: skip
        _line(drawing, line, places, COLOURS[k % 6])
    if not many or _legend(drawing, [line.label for line in plot.lines]):
        drawing.root.set("class", "chart fits")
    return drawing


def _line(drawing: Drawing, line: Line, places: Sequence[tuple[float, float]], colour: str) -> None:
    (x, y), *others = places
    steps = [f"H{x:.1f}V{y:.1f}" if line.stepped else f"L{x:.1f} {y:.1f}" for x, y in others]
    path = f"M{x:.1f} {y:.1f}{''.join(steps)}"
    dashes = "5 4" if line.dashed else "none"
    drawing.add("path", d=path, fill="none", stroke=colour, stroke_width=1.8, stroke_dasharray=dashes)


def _time_axis(drawing: Drawing, first: datetime, hours: float) -> None:
    """Labels at round times of an axis that ends `hours` after `first`."""
    starts = time_grid(first, first + timedelta(hours=hours), TIMES)
    for start in starts:
        if start >= first:  # the grid begins before the axis
            x, label = drawing.x((start - first) / timedelta(hours=1), [0.0, hours]), period_label(start, starts)
            half = _width(label) * ON_A_PHONE / 2
            drawing.text(min(max(x, half), WIDTH - half), drawing.bottom + 12, label, fill=QUIET)


def _flow(plot: Flow) -> Drawing:
    """Boxes below each other, with the losses between them at the right."""
    boxes = [(34.0, 18.0 * max(1, len(losses)) + 16) for _label, _count, losses in plot.steps]
    drawing = Drawing(plot.as_text(), 2 * EDGE + sum(box + gap for box, gap in boxes[:-1]) + boxes[-1][0], left=EDGE)
    wide, y = 0.46 * WIDTH, EDGE
    for (label, count, losses), (box, gap) in zip(plot.steps, boxes, strict=True):
        drawing.add("rect", "step", x=EDGE, y=y, width=wide, height=box, fill="none", stroke=QUIET)
        drawing.text(EDGE + 10, y + box / 2, label, "start")
        drawing.text(EDGE + wide - 10, y + box / 2, f"{count:,}", "end")
        y += box
        if (label, count, losses) == plot.steps[-1]:
            break
        middle = EDGE + wide / 4
        arrow = f"M{middle:g} {y:g}v{gap:g}m-4 -6l4 6l4 -6"
        drawing.add("path", "step", d=arrow, stroke=QUIET, fill="none")
        for k, (reason, lost) in enumerate(losses):
            at = y + 8 + 18 * (k + 0.5)
            drawing.add("path", "grid", d=f"M{middle:g} {at:g}H{EDGE + wide - 56:g}", stroke=LINE, fill="none")
            drawing.text(EDGE + wide - 10, at, f"− {lost:,}", "end", QUIET)
            drawing.text(EDGE + wide + 4, at, _shortened(reason, WIDTH - wide - 3 * EDGE), "start", QUIET)
        y += gap
    return drawing


def _shortened(words: str, room: float) -> str:
    """As much of the words as there is room for."""
    while words and _width(words) > room:
        words = f"{words[:-2]}…" if len(words) > 2 else ""
    return words


def _bars(plot: Bars) -> Drawing:
    drawing = Drawing(plot.description, plot.height, width=plot.width)
    counts = [0, _ticks(0, max((count for _label, count in plot.values), default=0), most=1, least=1)[-1]]
    drawing.rows(counts)
    step = (drawing.right - drawing.left) / max(1, len(plot.values))
    for k, (label, count) in enumerate(plot.values):
        x, y = drawing.left + step * k, drawing.y(count, counts)
        group = drawing.add("g", "", f"{label}: {count}")
        whole = f"M{x:.1f} {drawing.top:g}h{step:.1f}V{drawing.bottom:g}h-{step:.1f}z"
        drawing.add("path", inside=group, d=whole, fill_opacity=0)  # so that low bars tell their count too
        box: dict[str, Any] = {"x": x + step * 0.1, "y": y, "width": step * 0.8, "height": drawing.bottom - y}
        drawing.add("rect", "bar", inside=group, **box, fill=COLOURS[0])
    if plot.ends:
        _ends(drawing, *plot.ends)
    else:
        every = math.ceil((max((_width(label) for label, _n in plot.values), default=0) + 6) / step)
        for k, (label, _count) in enumerate(plot.values[::every]):
            drawing.text(drawing.left + step * (k * every + 0.5), drawing.bottom + 12, label, fill=QUIET)
    if plot.mark is not None:
        ends = {"data-left": f"{drawing.left:g}", "data-right": f"{drawing.right:g}"}
        drawing.root.attrib.update({"class": "chart scores", **ends})
        place = f"translate({drawing.x(plot.mark, [0, 100]):g} 0)"
        line = drawing.add("g", "mark-line", data_line="", transform=place)
        drawing.add("path", inside=line, d=f"M0 0V{drawing.bottom:g}", stroke=INK, stroke_width=2)
        drawing.add("rect", "grip", inside=line, x=-14, y=0, width=28, height=plot.height, fill_opacity=0)
        drawing.text(0, drawing.bottom + 12, str(plot.mark), inside=line, data_value="")
    return drawing


def _ends(drawing: Drawing, first: str, last: str) -> None:
    drawing.text(drawing.left, drawing.bottom + 12, first, "start", QUIET)
    drawing.text(drawing.right, drawing.bottom + 12, last, "end", QUIET)


def _trend(plot: Trend) -> Drawing:
    drawing, ticks = Drawing(plot.description, 200), [0, 25, 50, 75, 100]
    drawing.rows(ticks)
    ends = [1, max(2, len(plot.points))]

    def line(values: Iterable[float]) -> list[str]:
        places = ((drawing.x(k, ends), drawing.y(100 * value, ticks)) for k, value in enumerate(values, start=1))
        return [f"{x:.1f},{y:.1f}" for x, y in places]

    band = line(p.high for p in plot.points) + line(p.low for p in plot.points)[::-1]
    drawing.add("polygon", "band", points=" ".join(band), fill=COLOURS[0], fill_opacity=0.15)
    means = " ".join(line(p.mean for p in plot.points))
    drawing.add("polyline", "line", points=means, fill="none", stroke=COLOURS[0], stroke_width=2)
    for p in plot.points:
        description = f"{p.number}: {100 * p.mean:.0f} [{100 * p.low:.0f}, {100 * p.high:.0f}]"
        x, y = drawing.x(p.number, ends), drawing.y(100 * p.mean, ticks)
        drawing.add("circle", "bar", description, cx=x, cy=y, r=3, fill=COLOURS[0])
    _ends(drawing, "1", str(len(plot.points)))
    return drawing
