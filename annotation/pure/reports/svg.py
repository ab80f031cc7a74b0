"""Charts as SVG by matplotlib, whose only home is here: the same chart gives the same bytes.

Text stays text, in the reader's sans serif, so that it can be searched and edited. Every property stands in an
attribute of its own and none in a style sheet, which the policy of our pages would refuse. The paper is white, in
dark pages too; series differ in shape as well as in colour (Okabe and Ito's, told apart by the colour-blind).
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from functools import lru_cache
from typing import Any

from annotation.pure.reports.plots import Dots, Grid, Plot, Steps

INK, QUIET, LINE = "#1b1b1b", "#555555", "#d5d5d5"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P")
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hopscribe",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "text.parse_math": False,  # a dollar sign in somebody's words is one
    "font.size": 10,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
}
NOTHING_OF_WHEN = {"Date": None, "Creator": None, "Format": None, "Type": None}
_lock = threading.Lock()  # matplotlib's settings belong to the whole process


@lru_cache(maxsize=128)
def draw(plot: Plot) -> bytes:
    """The chart as a whole SVG document."""
    import matplotlib as mpl  # takes a second, so only once somebody looks at a chart
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with _lock, mpl.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of letters that its own font lacks: the reader's has them
        figure = Figure(figsize=_size(plot), facecolor="white", layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        _plot(axes, plot)
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata=NOTHING_OF_WHEN)
    return _without_styles(_FORBIDDEN.sub("", out.getvalue().decode("utf-8", "replace"))).encode()


def pixels(plot: Plot) -> tuple[int, int]:
    """Width and height of the chart as a page keeps room for it."""
    width, height = _size(plot)
    return round(100 * width), round(100 * height)


def _size(plot: Plot) -> tuple[float, float]:
    """Inches; 6.4 fill the column of a paper at 12 points."""
    if isinstance(plot, Grid):
        return 6.4, 1.6 + 0.45 * len(plot.rows)
    if isinstance(plot, Dots) and plot.across:
        return 6.4, 1.3 + len(plot.groups) * max(0.3, 0.18 * len(plot.series))
    return 6.4, 3.2


def _plot(axes: Any, plot: Plot) -> None:
    if isinstance(plot, Grid):
        _grid(axes, plot)
    elif isinstance(plot, Steps):
        _steps(axes, plot)
    else:
        _dots(axes, plot)


def _dots(axes: Any, plot: Dots) -> None:
    width = min(0.18, 0.6 / len(plot.series))
    for k, one in enumerate(plot.series):
        known = [(place, point) for place, point in enumerate(one.points) if point is not None]
        at = [place + (k - (len(plot.series) - 1) / 2) * width for place, _point in known]
        values = [value for _place, (value, _low, _high) in known]
        spread = [
            [value - (value if low is None else low) for _place, (value, low, _high) in known],
            [(value if high is None else high) - value for _place, (value, _low, high) in known],
        ]
        spread = [[max(0.0, end) for end in ends] for ends in spread]
        look = {"fmt": MARKERS[k % 6], "color": COLOURS[k % 6], "label": one.label, "markersize": 5, "capsize": 3}
        if plot.across:
            axes.errorbar(values, at, xerr=spread, **look)
        else:
            axes.errorbar(at, values, yerr=spread, **look)
    _frame(axes, plot)


def _frame(axes: Any, plot: Dots) -> None:
    places = range(len(plot.groups))
    if plot.across:
        axes.set_yticks(places, plot.groups)
        axes.set_ylim(len(plot.groups) - 0.5, -0.5)
        axes.set_xlabel(plot.axis)
        axes.grid(axis="x", color=LINE, linewidth=0.6)
    else:
        axes.set_xticks(places, plot.groups)
        axes.set_xlim(-0.5, len(plot.groups) - 0.5)
        axes.set_ylabel(plot.axis)
        axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    if len(plot.series) > 1:
        axes.figure.legend(loc="outside upper center", ncols=len(plot.series), frameon=False)


def _grid(axes: Any, plot: Grid) -> None:
    most = max((count for row in plot.counts for count in row), default=0) or 1
    axes.pcolormesh(plot.counts, cmap="Blues", vmin=0, vmax=most * 1.3, edgecolors="white", linewidth=1)
    axes.invert_yaxis()
    for y, row in enumerate(plot.counts):
        for x, count in enumerate(row):
            axes.text(
                x + 0.5, y + 0.5, str(count), ha="center", va="center", color="white" if count > 0.75 * most else INK
            )
    axes.set_xticks([x + 0.5 for x in range(len(plot.columns))], plot.columns)
    axes.set_yticks([y + 0.5 for y in range(len(plot.rows))], plot.rows)
    axes.set_xlabel(plot.axis)
    axes.set_ylabel(plot.side)


def _steps(axes: Any, plot: Steps) -> None:
    times, counts = zip(*plot.points, strict=True)
    axes.step(times, counts, where="post", color=COLOURS[0])
    axes.set_ylim(bottom=0)
    axes.set_ylabel(plot.axis)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    for label in axes.get_xticklabels():
        label.set(rotation=30, ha="right")


_FORBIDDEN = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]")  # in XML
_STYLE = re.compile(r' style="([^"]*)"')
_SHEET = re.compile(r'<style type="text/css">.*?</style>', re.DOTALL)


def _without_styles(text: str) -> str:
    """Style attributes and the style sheet as presentation attributes, which mean the same."""
    text = _SHEET.sub("", text)
    text = text.replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)
    return _STYLE.sub(lambda found: _attributes(found[1]), text)


def _attributes(style: str) -> str:
    pairs = (part.partition(":") for part in style.split(";") if part.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, _colon, value in pairs)
