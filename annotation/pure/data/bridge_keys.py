"""Which bridge an edge is: the same edge of two single-hop questions occurs in many pairs and graphs."""

import re
from typing import NamedTuple

from annotation.pure.data import dag
from annotation.pure.data.example import Example

LEAST = 2  # people who judge a bridge different before anything follows from it


class BridgeKey(NamedTuple):
    """The ids of head and tail, or their questions where they have none, and both answers.

    The head's answer is the entity that connects them. With the tail's, edges of records that number their hops from 1
    are not taken for one another.
    """

    head: str
    tail: str
    entity: str
    answer: str


def bridge_keys(example: Example) -> list[BridgeKey]:
    """The bridge of each edge, in the order of `dag.edges`."""
    hops = example.hops
    # a question whatever the number of the hop that it refers to
    names = [re.sub(r"#\d+", "#", _plain(hop.question)) if hop.id is None else str(hop.id) for hop in hops]
    answers = [_plain(hop.answer) for hop in hops]
    edges = ((head - 1, tail - 1) for head, tail in dag.edges(hops))
    return [BridgeKey(names[head], names[tail], answers[head], answers[tail]) for head, tail in edges]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def is_broken(counts: dict[str, int]) -> bool:
    """Whether a majority, and at least LEAST people, judged a bridge "different"; `counts` is by judgment."""
    return counts.get("different", 0) >= LEAST and 2 * counts["different"] > sum(counts.values())
