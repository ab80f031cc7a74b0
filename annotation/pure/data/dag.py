"""The graph of a decomposition, with an edge from each hop to the later hops that use its answer.

Hops are counted from 1, as `#k` counts them in MuSiQue's step questions; an edge (j, i) says that hop i
uses the answer of hop j.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from annotation.pure.data.example import Hop

Edge = tuple[int, int]

REFERENCE = re.compile(r"(?<!\w)#([0-9]{1,3})(?![0-9])")

# MuSiQue's names of the six shapes (section 3 of its paper; the numbering is the released ids').
_SHAPES: dict[tuple[int, frozenset[Edge]], str] = {
    (2, frozenset({(1, 2)})): "2hop",
    (3, frozenset({(1, 2), (2, 3)})): "3hop1",
    (3, frozenset({(1, 3), (2, 3)})): "3hop2",
    (4, frozenset({(1, 2), (2, 3), (3, 4)})): "4hop1",
    (4, frozenset({(1, 3), (2, 3), (3, 4)})): "4hop2",
    (4, frozenset({(1, 2), (2, 4), (3, 4)})): "4hop3",
}

SHAPES: dict[str, tuple[Edge, ...]] = {name: tuple(sorted(edges)) for (_, edges), name in _SHAPES.items()}


class BadReference(NamedTuple):
    """Hop `hop` mentions `#reference`, which cannot be an earlier hop; `wrong` says why, as a sentence."""

    hop: int
    reference: int
    wrong: str


def references(question: str) -> tuple[int, ...]:
    """The k of every `#k` in a hop's question, each once, in the order of the text."""
    return tuple(dict.fromkeys(int(digits) for digits in REFERENCE.findall(question)))


def edges(hops: Sequence[Hop]) -> tuple[Edge, ...]:
    """The edges (j, i) with 1 <= j < i, ordered by i and then by the order of mention in hop i."""
    return tuple((j, i) for i, hop in enumerate(hops, 1) for j in references(hop.question) if 1 <= j < i)


def shape(hops: Sequence[Hop]) -> str:
    """MuSiQue's name of the graph ("2hop" ... "4hop3"), or "" for any other graph."""
    return _SHAPES.get((len(hops), frozenset(edges(hops))), "")


def problems(hops: Sequence[Hop]) -> tuple[BadReference, ...]:
    """References to the hop itself, to a later hop or to one that does not exist."""
    pairs = ((i, k) for i, hop in enumerate(hops, 1) for k in references(hop.question))
    return tuple(BadReference(i, k, _why(i, k, len(hops))) for i, k in pairs if not 1 <= k < i)


def _why(hop: int, reference: int, count: int) -> str:
    if reference == hop:
        return f"hop {hop} refers to its own answer (#{reference})"
    if 1 <= reference <= count:
        return f"hop {hop} refers to the later hop #{reference}"
    return f"hop {hop} refers to #{reference}, but there are {count} hops"


def depths(edges: Sequence[Edge], count: int) -> tuple[int, ...]:
    """The length of the longest path to each of `count` hops; 0 for a hop without incoming edges.

    Edges must point forward (j < i), as `edges` returns them.
    """
    depth = [0] * (count + 1)
    for j, i in sorted(edges, key=lambda edge: edge[1]):
        depth[i] = max(depth[i], depth[j] + 1)
    return tuple(depth[1:])


def layout(edges: Sequence[Edge], count: int) -> tuple[tuple[int, int], ...]:
    """(layer, row) of each hop for a drawing from left to right, both from 0, rows filled in hop order."""
    filled: dict[int, int] = {}
    places = []
    for layer in depths(edges, count):
        places.append((layer, filled.get(layer, 0)))
        filled[layer] = filled.get(layer, 0) + 1
    return tuple(places)
