"""Which candidates become graphs: drawn shape by shape as the mix wishes, within caps, none inside another.

At every turn the shape that is furthest behind its share is served, larger ones first, with the next of its
candidates in random order that fits. A shape that has no more leaves its share to the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from annotation.pure.derivations.composition_graphs import CONTAINED, Caps, Chosen, Drafting, Graph
from annotation.pure.derivations.question_network import Network, candidates
from annotation.pure.net.progress_ticks import Tick, no_tick
from annotation.pure.statistics.reservoir import shuffled

LOOKS = 500_000  # candidates of a shape that are looked at, at most


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """Shares of the shapes (those that are missing or 0 are not made), and how many graphs; 0: all that fit."""

    shares: Mapping[str, float]
    count: int = 0
    looks: int = LOOKS


@dataclass(slots=True)
class Choice:
    """What came of it. Every candidate that was looked at is in `graphs` or `dropped`."""

    graphs: list[Graph] = field(default_factory=list)
    candidates: dict[str, int] = field(default_factory=dict)
    looked_at: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)


def choose(
    network: Network, drafting: Drafting, *, request: GraphRequest, caps: Caps, seed: int | str, tick: Tick = no_tick
) -> Choice:
    """Draw graphs; the same network, wish, caps and seed give the same graphs in the same order."""
    choice, chosen = Choice(), Chosen(network, caps)
    streams = {
        shape: _looks(network, shape, request.looks, seed=seed, choice=choice, tick=tick)
        for shape, share in request.shares.items()
        if share > 0
    }
    while streams and (not request.count or len(chosen) < request.count):
        shape = min(streams, key=lambda s: (chosen.by_shape[s] / request.shares[s], -int(s[0]), s))
        if not _take_one(streams[shape], chosen, drafting, choice):
            del streams[shape]
    choice.graphs = [drafting.in_order(graph) for graph in chosen]
    return choice


def _looks(network: Network, shape: str, most: int, *, seed: int | str, choice: Choice, tick: Tick) -> Iterator[Graph]:
    """The candidates of a shape in random order, counted as they are looked at."""
    found = candidates(network, shape)
    choice.candidates[shape] = found.size
    for number in islice(shuffled(found.size, Random(f"{seed}/{shape}")), most):
        choice.looked_at[shape] += 1
        tick()
        yield Graph(shape, found.at(number))


def _take_one(stream: Iterator[Graph], chosen: Chosen, drafting: Drafting, choice: Choice) -> bool:
    """Take the next candidate that fits; False where there is none."""
    for graph in stream:
        # What is cheap to see comes first: most candidates of a crowded network fail by the caps.
        fault = drafting.repeated(graph.nodes) or chosen.refusal(graph) or drafting.fault(graph)
        if not fault:
            if inner := chosen.take(graph):
                choice.dropped[CONTAINED] += inner
            return True
        choice.dropped[fault] += 1
    return False
