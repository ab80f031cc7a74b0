"""Composition graphs in six shapes, built from connected pairs (MuSiQue, section 5, S4).

The hops of a graph are different questions with different paragraphs; a question mentions the answer of another
hop only along an edge. `choose` samples the graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from random import Random
from typing import NamedTuple

from annotation.pure.data.dag import SHAPES
from annotation.pure.data.example import Example, Hop
from annotation.pure.derivations.bridges import folded, masked, mentions, tidy
from annotation.pure.derivations.composable_pairs import extra_of
from annotation.pure.derivations.question_network import Network, Nodes, candidates
from annotation.pure.derivations.single_hop import hop_id
from annotation.pure.net.progress import Tick, no_tick
from annotation.pure.statistics.random_draws import shuffled

CONTAINED = "it is contained in a larger graph"

_PARENTS = {
    shape: [[j for j, i in edges if i == hop] for hop in range(1, int(shape[0]) + 1)] for shape, edges in SHAPES.items()
}


class Graph(NamedTuple):
    """A shape and the positions of its hops' questions in the network, in hop order."""

    shape: str
    nodes: Nodes


@dataclass(frozen=True, slots=True)
class Limits:
    """Most tokens (between white space, `#k` being one) of a hop and of all hops of a shape; 0: no limit."""

    hop: int = 10
    total: Mapping[int, int] = field(default_factory=lambda: {2: 15, 3: 15, 4: 20})

    @classmethod
    def none(cls) -> Limits:
        return cls(0, {})


@dataclass(frozen=True, slots=True)
class Caps:
    """In how many graphs a bridge entity and a single-hop question may be; 0: in any number."""

    entity: int = 25
    question: int = 100


class Drafting:
    """Turn candidates into hops and check them."""

    def __init__(self, network: Network, limits: Limits) -> None:
        self._network, self._limits = network, limits

    def in_order(self, graph: Graph) -> Graph:
        """The graph with its two independent first hops in the order of their mentions, as in the released ids."""
        if graph.shape not in ("3hop2", "4hop2"):
            return graph
        first, second, tail, *rest = graph.nodes
        question = folded(tidy(self._network.singles[tail].question))
        keys = self._network.keys
        if mentions(keys[first], question)[:1] <= mentions(keys[second], question)[:1]:
            return graph
        return Graph(graph.shape, (second, first, tail, *rest))

    def questions(self, graph: Graph) -> list[str] | None:
        """The hops' questions with `#k`; None if the mentions of two entities overlap or one is missing."""
        singles = self._network.singles
        texts = []
        for node, parents in zip(graph.nodes, _PARENTS[graph.shape], strict=True):
            question = masked(singles[node].question, [(singles[graph.nodes[j - 1]].answer, j) for j in parents])
            if question is None:
                return None
            texts.append(question)
        return texts

    def fault(self, graph: Graph) -> str:
        """The reason why a candidate is not a graph, or ""."""
        if repeated := self.repeated(graph.nodes):
            return repeated
        questions = self.questions(graph)
        if questions is None:
            return "the mentions of two bridge entities overlap, or one is missing"
        return self._too_long(questions) or self._given_away(graph.nodes, questions)

    def repeated(self, nodes: Nodes) -> str:
        """The forbidden overlap of two hops, or ""."""
        if len(set(nodes)) < len(nodes):
            return "two hops have the same question"
        singles, count = [self._network.singles[node] for node in nodes], len(nodes)
        if len({folded(single.question) for single in singles}) < count:
            return "two hops have the same question"
        if len({(single.paragraph.title, single.paragraph.text) for single in singles}) < count:
            return "two hops have the same paragraph"
        return "two hops have the same answer" if len({self._network.keys[node] for node in nodes}) < count else ""

    def _too_long(self, questions: list[str]) -> str:
        lengths = [len(question.split()) for question in questions]
        if self._limits.hop and max(lengths) > self._limits.hop:
            return f"a hop has more than {self._limits.hop} tokens"
        most = self._limits.total.get(len(questions), 0)
        return f"{len(questions)} hops have more than {most} tokens" if most and sum(lengths) > most else ""

    def _given_away(self, nodes: Nodes, questions: list[str]) -> str:
        texts = [folded(question) for question in questions]
        for number, node in enumerate(nodes):
            for other, text in enumerate(texts):
                if other != number and mentions(self._network.keys[node], text):
                    return "a question mentions the answer of another hop beside its edges"
        return ""

    def example(self, graph: Graph) -> Example:
        """The graph as an Example whose question is still to be composed."""
        singles = [self._network.singles[node] for node in graph.nodes]
        questions = self.questions(graph) or []
        graph_id = f"{graph.shape}__{'_'.join(single.id for single in singles)}"
        return Example(
            id=graph_id,
            question="",
            paragraphs=tuple(single.paragraph for single in singles),
            answers=singles[-1].answers,
            supports=tuple(range(len(singles))),
            hops=tuple(
                Hop(question, single.answer, place, hop_id(single.id))
                for place, (question, single) in enumerate(zip(questions, singles, strict=True))
            ),
            group=graph_id,
            shape=graph.shape,
            extra=extra_of(singles),
        )


class Chosen:
    """The graphs taken so far, within the caps, none contained in another."""

    def __init__(self, network: Network, caps: Caps) -> None:
        self._keys, self._caps = network.keys, caps
        self._graphs: dict[frozenset[int], Graph] = {}
        self._covered: set[frozenset[int]] = set()
        self._entities: Counter[str] = Counter()
        self._questions: Counter[int] = Counter()
        self.by_shape: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._graphs)

    def __iter__(self) -> Iterator[Graph]:
        return iter(self._graphs.values())

    def refusal(self, graph: Graph) -> str:
        """The reason why the graph cannot be added now, or ""."""
        nodes = frozenset(graph.nodes)
        if nodes in self._graphs:
            return "the graph came before"
        if nodes in self._covered:
            return CONTAINED
        # Adding the graph removes the graphs that it contains, which frees their quota.
        freed = [inner for part in _parts(nodes) if (inner := self._graphs.get(part))]
        if self._full(graph, freed):
            return "an entity or a question is in as many graphs as it may be"
        return ""

    def _full(self, graph: Graph, freed: list[Graph]) -> bool:
        caps = self._caps
        for key in self._bridges(graph):
            if caps.entity and self._entities[key] - sum(key in self._bridges(f) for f in freed) >= caps.entity:
                return True
        for node in graph.nodes:
            if caps.question and self._questions[node] - sum(node in f.nodes for f in freed) >= caps.question:
                return True
        return False

    def take(self, graph: Graph) -> int:
        """Add the graph and remove those it contains; returns how many were removed."""
        parts = _parts(frozenset(graph.nodes))
        inner = [part for part in parts if part in self._graphs]
        for part in inner:
            self._count(self._graphs.pop(part), -1)
        self._covered.update(parts)
        self._graphs[frozenset(graph.nodes)] = graph
        self._count(graph, 1)
        return len(inner)

    def _count(self, graph: Graph, step: int) -> None:
        self.by_shape[graph.shape] += step
        for key in self._bridges(graph):
            self._entities[key] += step
        for node in graph.nodes:
            self._questions[node] += step

    def _bridges(self, graph: Graph) -> set[str]:
        return {self._keys[graph.nodes[j - 1]] for j, _ in SHAPES[graph.shape]}


def _parts(nodes: frozenset[int]) -> list[frozenset[int]]:
    """The sets of nodes that a smaller graph could have."""
    return [frozenset(part) for size in range(2, len(nodes)) for part in combinations(sorted(nodes), size)]


LOOKS = 500_000  # candidates of a shape that are looked at, at most


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """Shares of the shapes (missing or 0: none of that shape) and the number of graphs (0: as many as fit)."""

    shares: Mapping[str, float]
    count: int = 0
    looks: int = LOOKS


@dataclass(slots=True)
class Choice:
    """The result of a draw. Every inspected candidate is in `graphs` or `dropped`."""

    graphs: list[Graph] = field(default_factory=list)
    candidates: dict[str, int] = field(default_factory=dict)
    looked_at: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)


def choose(
    network: Network, drafting: Drafting, *, request: GraphRequest, caps: Caps, seed: int | str, tick: Tick = no_tick
) -> Choice:
    """Draw graphs; the same network, request, caps and seed give the same graphs in the same order."""
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
    graphs = candidates(network, shape)
    choice.candidates[shape] = graphs.size
    for number in islice(shuffled(graphs.size, Random(f"{seed}/{shape}")), most):
        choice.looked_at[shape] += 1
        tick()
        yield Graph(shape, graphs.at(number))


def _take_one(stream: Iterator[Graph], chosen: Chosen, drafting: Drafting, choice: Choice) -> bool:
    """Take the next candidate that fits; False if there is none."""
    for graph in stream:
        # The cheap check comes first: most candidates of a crowded network fail by the caps.
        fault = drafting.repeated(graph.nodes) or chosen.refusal(graph) or drafting.fault(graph)
        if not fault:
            if inner := chosen.take(graph):
                choice.dropped[CONTAINED] += inner
            return True
        choice.dropped[fault] += 1
    return False
