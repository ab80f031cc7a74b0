"""Synthetic graphs of single-hop questions, and putting them into contexts: `python -m tests.bench.graphs [GRAPHS]`.

All six shapes in turn, of questions drawn from 20,000 paragraphs; a hop names what it uses as `#k`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from random import Random

from annotation.derivations.base import Tally
from annotation.derivations.contexts import ContextOptions, Contexts
from annotation.pure.data.dag import SHAPES
from annotation.pure.data.example import Example, Hop
from annotation.pure.derivations.single_hop import Single
from tests.bench.pairs import PER_PARAGRAPH, peak, singles

PARAGRAPHS = 20_000


def graphs(count: int, *, seed: int = 0, paragraphs: int = PARAGRAPHS) -> Iterator[Example]:
    """`count` graphs with their supporting paragraphs, as yet without a question; the same seed, the same graphs."""
    rng = Random(seed)
    questions = list(singles(PER_PARAGRAPH * paragraphs, seed))
    shapes = list(SHAPES)
    for number in range(count):
        shape = shapes[number % len(shapes)]
        places = rng.sample(range(paragraphs), int(shape[0]))
        chosen = [questions[PER_PARAGRAPH * place + rng.randrange(PER_PARAGRAPH)] for place in places]
        yield _graph(f"{shape}-{number}", shape, chosen)


def _graph(name: str, shape: str, chosen: Sequence[Single]) -> Example:
    hops = []
    for k, single in enumerate(chosen, 1):
        used = "".join(f" of #{head}" for head, tail in SHAPES[shape] if tail == k)
        hops.append(Hop(single.question.rstrip("?") + used + "?", single.answers[0], k - 1, k))
    paragraphs = tuple(single.paragraph for single in chosen)
    supports = tuple(range(len(hops)))
    return Example(name, "", paragraphs, answers=(hops[-1].answer,), supports=supports, hops=tuple(hops), shape=shape)


class _Listed:
    """Examples as a derivation sees a dataset, and the one other dataset of the project."""

    format, name, origin = "jsonl", "bench", "bench"

    def __init__(self, examples: Sequence[Example], other: _Listed | None = None) -> None:
        self.size, self._examples, self._other = len(examples), examples, other

    def examples(self) -> Iterator[Example]:
        return iter(self._examples)

    def other(self, name: str) -> _Listed:
        return self._other or self

    def other_splits(self) -> list[_Listed]:
        return []


def _pool() -> _Listed:
    made = list(singles(PER_PARAGRAPH * PARAGRAPHS))[::PER_PARAGRAPH]
    return _Listed([Example(one.id, one.question, (one.paragraph,), supports=(0,)) for one in made])


def main(count: int) -> None:
    """Print how long `count` contexts took, the pool's index included, as JSON."""
    source = _Listed(list(graphs(count)), _pool())
    tally = Tally()
    started = time.perf_counter()
    made = sum(1 for _ in Contexts().derive(source, ContextOptions(pool="pool"), seed=1, tally=tally))
    seconds = time.perf_counter() - started
    pooled = tally.figures["pool"]["paragraphs"]
    print(json.dumps({"contexts": made, "paragraphs": pooled, "seconds": seconds, "gigabytes": peak()}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
