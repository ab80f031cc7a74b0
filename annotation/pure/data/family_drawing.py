"""The family of a project's datasets as a picture: datasets and the batches between them, in layers from left to right.

A step goes from a dataset to a dataset derived from it or to a batch that uses it, and from a batch to a dataset
created from its results. More than TOGETHER batches of the same datasets that led to no dataset share one box.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

WIDTH, HEIGHT = 252.0, 36.0  # of a box, in pixels
ACROSS, DOWN = 52.0, 10.0  # between two boxes
MARGIN = 4.0
TOGETHER = 2  # up to this many batches of the same datasets without results have a box each; more share one
LETTERS = 32  # characters that fit into a box

DATASET, BATCH, BATCHES, GONE = "dataset", "batch", "batches", "gone"


@dataclass(frozen=True, slots=True)
class Node:
    """A dataset, a batch, several batches, or a deleted dataset. `key` is unique; `note` is small text."""

    key: str
    kind: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    node: Node
    x: float
    y: float

    @property
    def text(self) -> str:
        """The label, cut to the width of the box."""
        label = self.node.label
        return label if len(label) <= LETTERS else f"{label[: LETTERS - 1]}…"


@dataclass(frozen=True, slots=True)
class Line:
    """From the right side of one box to the left side of another; `path` is SVG's `d`."""

    source: str
    target: str
    path: str


@dataclass(frozen=True, slots=True)
class Picture:
    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


Edge = tuple[str, str]


def fold(batches: Mapping[str, Sequence[str]], productive: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """Group batches without results by their datasets; only groups of more than TOGETHER.

    `batches` {batch: its datasets}; the result {their datasets: the batches}, in the order of `batches`.
    """
    with_output, alike = set(productive), defaultdict(list)
    for batch, datasets in batches.items():
        if batch not in with_output:
            alike[tuple(sorted(datasets))].append(batch)
    return {datasets: names for datasets, names in alike.items() if len(names) > TOGETHER}


def layers(keys: Sequence[str], edges: Iterable[Edge]) -> dict[str, int]:
    """The layer of each node: one more than the highest layer of its sources, 0 without sources. Edges that close a
    cycle are ignored.
    """
    above: dict[str, list[str]] = {key: [] for key in keys}
    for source, target in edges:
        above[target].append(source)
    depths: dict[str, int] = {}
    for start in keys:
        _settle(start, above, depths)
    return depths


def _settle(start: str, above: Mapping[str, Sequence[str]], depths: dict[str, int]) -> None:
    """Store the layer of `start` in `depths`, after those of its ancestors. Iterative, since chains may be long."""
    path: list[str] = [start]
    while path:
        key = path[-1]
        if key in depths:
            path.pop()
            continue
        waiting = [each for each in above[key] if each not in depths and each not in path]
        if waiting:
            path.append(waiting[0])
            continue
        depths[key] = max((depths[each] + 1 for each in above[key] if each in depths), default=0)
        path.pop()


def draw(nodes: Sequence[Node], edges: Iterable[Edge]) -> Picture:
    """The picture, in pixels. Nodes of a layer follow the order of their sources, level with them if there is room."""
    order = {node.key: k for k, node in enumerate(nodes)}
    known = {(a, b) for a, b in edges if a in order and b in order and a != b}
    wanted = sorted(known, key=lambda edge: (order[edge[0]], order[edge[1]]))
    column = layers(list(order), wanted)
    levels = _levels(order, column, wanted)
    boxes = {
        node.key: Box(node, MARGIN + column[node.key] * (WIDTH + ACROSS), MARGIN + levels[node.key] * (HEIGHT + DOWN))
        for node in nodes
    }
    lines = tuple(Line(a, b, _curve(boxes[a], boxes[b])) for a, b in wanted if column[a] < column[b])
    right = max((box.x + WIDTH for box in boxes.values()), default=0.0)
    low = max((box.y + HEIGHT for box in boxes.values()), default=0.0)
    return Picture(right + MARGIN, low + MARGIN, tuple(boxes.values()), lines)


def _levels(order: Mapping[str, int], column: Mapping[str, int], edges: Iterable[Edge]) -> dict[str, float]:
    """The row of each node: the mean row of its sources, but below the nodes already placed in its layer."""
    above = defaultdict(list)
    for source, target in edges:
        if column[source] < column[target]:
            above[target].append(source)
    levels: dict[str, float] = {}
    for layer in sorted(set(column.values())):
        lowest = -1.0
        here = [key for key in order if column[key] == layer]
        ideal = {key: fmean([levels[each] for each in above[key]] or [0.0]) for key in here}
        for key in sorted(here, key=lambda key: (ideal[key], order[key])):
            lowest = levels[key] = max(ideal[key], lowest + 1.0)
    return levels


def _curve(source: Box, target: Box) -> str:
    x1, y1 = source.x + WIDTH, source.y + HEIGHT / 2
    x2, y2 = target.x, target.y + HEIGHT / 2
    bend = (x2 - x1) / 2
    return f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
