"""Single-hop questions as nodes, composable pairs as edges, and the candidates of the six shapes among them.

The candidates of a shape are counted without building them, and each can be built from its index, so that uniform
sampling needs no list of candidates. Every candidate belongs to one edge, its pivot; indices are ordered by pivot.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

from annotation.pure.derivations.bridges import entity_key
from annotation.pure.derivations.single_hop import Single
from annotation.pure.numeric import Integers, np

Nodes = tuple[int, ...]  # positions of single-hop questions, in hop order


class Network:
    """Edges head -> tail, ordered by tail, then by the head's answer (the entity), then by input order.

    Two edges into one tail may be the parents of one hop only when their entities differ.
    """

    def __init__(self, singles: list[Single], edges: Iterable[tuple[int, int]]) -> None:
        self.singles = singles
        self.keys = [entity_key(single.answer) for single in singles]
        unique = dict.fromkeys(edges)
        ends = np.fromiter(chain.from_iterable(unique), np.int64, count=2 * len(unique)).reshape(-1, 2)
        entity = self._entities()[ends[:, 0]]
        order = np.lexsort((entity, ends[:, 1]))
        self.heads, self.tails = ends[order, 0], ends[order, 1]
        self._group_edges(entity[order])
        self._count_degrees()

    def _entities(self) -> Integers:
        numbers: dict[str, int] = {}
        ids = [numbers.setdefault(key, len(numbers)) for key in self.keys]
        return np.array(ids, dtype=np.int64)

    def _group_edges(self, entity: Integers) -> None:
        """`before`: how many edges into the same tail have an earlier entity; `group`: how many have this one."""
        places = np.arange(len(self.heads), dtype=np.int64)
        new_tail = np.diff(self.tails, prepend=-1) != 0
        new_group = new_tail | (np.diff(entity, prepend=-1) != 0)
        first_of_tail = np.maximum.accumulate(np.where(new_tail, places, 0))
        first_of_group = np.maximum.accumulate(np.where(new_group, places, 0))
        starts = np.flatnonzero(new_group)
        sizes = np.diff(starts, append=len(places))
        self.before: Integers = first_of_group - first_of_tail
        self.group: Integers = np.repeat(sizes, sizes)

    def _count_degrees(self) -> None:
        size = len(self.singles)
        self.in_degree: Integers = np.bincount(self.tails, minlength=size)
        self.out_degree: Integers = np.bincount(self.heads, minlength=size)
        self.first_in: Integers = np.cumsum(self.in_degree) - self.in_degree
        self.first_out: Integers = np.cumsum(self.out_degree) - self.out_degree
        self.by_head: Integers = np.argsort(self.heads, kind="stable")

    def head_into(self, tail: int, number: int) -> int:
        """The head of the `number`-th edge into a node."""
        return int(self.heads[self.first_in[tail] + number])

    def tail_out_of(self, head: int, number: int) -> int:
        """The tail of the `number`-th edge out of a node."""
        return int(self.tails[self.by_head[self.first_out[head] + number]])


@dataclass(frozen=True)
class Candidates:
    """The candidates of a shape, by number: 0 <= number < size."""

    size: int
    at: Callable[[int], Nodes]


def candidates(network: Network, shape: str) -> Candidates:
    """All node tuples with the edges of a shape; some may use a node twice. KeyError for an unknown shape."""
    weigh, make = _SHAPES[shape]
    ends: Integers = np.cumsum(weigh(network))
    size = int(ends[-1]) if len(ends) else 0

    def at(number: int) -> Nodes:
        edge = int(np.searchsorted(ends, number, side="right"))
        rest = number - (int(ends[edge - 1]) if edge else 0)
        return make(network, edge, rest)

    return Candidates(size, at)


def _pair(network: Network, edge: int, number: int) -> Nodes:
    return int(network.heads[edge]), int(network.tails[edge])


def _chain_of_3(network: Network, edge: int, number: int) -> Nodes:
    first, second = _pair(network, edge, 0)
    return first, second, network.tail_out_of(second, number)


def _chain_of_4(network: Network, edge: int, number: int) -> Nodes:
    second, third = _pair(network, edge, 0)
    after, before = divmod(number, int(network.in_degree[second]))
    return network.head_into(second, before), second, third, network.tail_out_of(third, after)


def _meeting(network: Network, edge: int, number: int) -> Nodes:
    """Two heads of different entities and their tail."""
    second, tail = _pair(network, edge, 0)
    return network.head_into(tail, number), second, tail


def _meeting_and_on(network: Network, edge: int, number: int) -> Nodes:
    after, other = divmod(number, int(network.before[edge]))
    first, second, third = _meeting(network, edge, other)
    return first, second, third, network.tail_out_of(third, after)


def _meeting_of_a_chain(network: Network, edge: int, number: int) -> Nodes:
    """1->2, 2->4, 3->4: the pivot is 2->4, and 3 is a head of another entity than 2."""
    second, last = _pair(network, edge, 0)
    other, before = divmod(number, int(network.in_degree[second]))
    if other >= network.before[edge]:
        other += int(network.group[edge])
    return network.head_into(second, before), second, network.head_into(last, other), last


_SHAPES: dict[str, tuple[Callable[[Network], Integers], Callable[[Network, int, int], Nodes]]] = {
    "2hop": (lambda n: np.ones(len(n.heads), dtype=np.int64), _pair),
    "3hop1": (lambda n: n.out_degree[n.tails], _chain_of_3),
    "3hop2": (lambda n: n.before, _meeting),
    "4hop1": (lambda n: n.in_degree[n.heads] * n.out_degree[n.tails], _chain_of_4),
    "4hop2": (lambda n: n.before * n.out_degree[n.tails], _meeting_and_on),
    "4hop3": (lambda n: n.in_degree[n.heads] * (n.in_degree[n.tails] - n.group), _meeting_of_a_chain),
}
