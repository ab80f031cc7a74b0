"""Layout of a decomposition's graph as circles and arrows, for templates.

Layers (`pure.data.dag`) go from left to right; a hop is level with the hops it uses.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from annotation.pure.data.dag import Edge, layout

RADIUS = 18.0
COLUMN, ROW = 100.0, 80.0  # pixels between the middles of two circles
MARGIN = 52.0  # left and right: half a label
TOP = 24.0
LABEL = 44.0  # under the lowest middle: the rest of its circle and the label


@dataclass(frozen=True, slots=True)
class Circle:
    hop: int  # from 1
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """From the rim of one circle to the rim of another."""

    source: int
    target: int
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Drawing:
    width: float
    height: float
    circles: tuple[Circle, ...]
    arrows: tuple[Arrow, ...]


def draw(edges: Sequence[Edge], count: int) -> Drawing:
    """The picture of `count` hops and the edges between them, in pixels."""
    layers = [layer for layer, _row in layout(edges, count)]
    levels = _levels(edges, layers)
    places = zip(layers, levels, strict=True)
    circles = tuple(
        Circle(hop, MARGIN + COLUMN * layer, TOP + ROW * level) for hop, (layer, level) in enumerate(places, 1)
    )
    arrows = tuple(_arrow(circles[j - 1], circles[i - 1]) for j, i in edges)
    width = 2 * MARGIN + COLUMN * max(layers, default=0)
    height = TOP + LABEL + ROW * max(levels, default=0)
    return Drawing(width, height, circles, arrows)


def _levels(edges: Sequence[Edge], layers: Sequence[int]) -> list[float]:
    """The row of each hop: the mean row of the hops it uses, but below the hops already placed in its layer."""
    levels = [0.0] * len(layers)
    lowest: dict[int, float] = {}
    for hop in sorted(range(1, len(layers) + 1), key=lambda hop: (layers[hop - 1], hop)):
        used = [levels[j - 1] for j, i in edges if i == hop]
        layer = layers[hop - 1]
        ideal = sum(used) / len(used) if used else 0.0
        levels[hop - 1] = lowest[layer] = max(ideal, lowest.get(layer, -1.0) + 1.0)
    return levels


def _arrow(source: Circle, target: Circle) -> Arrow:
    dx, dy = target.x - source.x, target.y - source.y
    far = hypot(dx, dy) or 1.0
    out_x, out_y = dx / far * RADIUS, dy / far * RADIUS
    tip = 1 + 3 / RADIUS  # a gap before the target, for the arrow's head
    ends = (source.x + out_x, source.y + out_y, target.x - out_x * tip, target.y - out_y * tip)
    return Arrow(source.hop, target.hop, *(round(end, 1) for end in ends))
