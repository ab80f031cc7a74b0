"""Which bridge an edge is: the same edge of two single-hop questions occurs in many pairs and graphs."""

import re
from typing import NamedTuple

from annotation.pure.data import dag
from annotation.pure.data.example import Example

LEAST = 2  # people who judge a bridge different before anything follows from it


class BridgeKey(NamedTuple):
    """The ids of head and tail, or their questions where they have none, and the entity that connects them."""

    head: str
    tail: str
    entity: str


def bridge_keys(example: Example) -> list[BridgeKey]:
    """The bridge of each edge, in the order of `dag.edges`."""
    hops = example.hops
    names = [_own_words(hop.question) if hop.id is None else str(hop.id) for hop in hops]
    edges = dag.edges(hops)
    return [BridgeKey(names[j - 1], names[i - 1], " ".join(hops[j - 1].answer.lower().split())) for j, i in edges]


def _own_words(question: str) -> str:
    """The question whatever the number of the hop that it refers to."""
    return re.sub(r"#\d+", "#", " ".join(question.lower().split()))


def is_broken(counts: dict[str, int]) -> bool:
    """Whether a majority, and at least LEAST people, judged a bridge "different"; `counts` is by judgment."""
    return counts.get("different", 0) >= LEAST and 2 * counts["different"] > sum(counts.values())
