"""`unanswerable-twins`: adds to every question the same one without the answer of a hop (S8 of MuSiQue)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.derivations.base import Source, Tally
from annotation.derivations.pooling import pool_of
from annotation.pure.contexts import NoContext
from annotation.pure.example import Example
from annotation.pure.twins import answerable, unanswerable


@dataclass(frozen=True)
class TwinOptions:
    """`pool`: datasets to retrieve from, commas between; none: the source. `whole`: all their paragraphs."""

    pool: str = ""
    whole: bool = False
    shortest: int = 0
    longest: int = 0


class UnanswerableTwins:
    how: str = "unanswerable-twins"
    title: str = "Unanswerable twins: each question again, without the answer of one hop in its context"
    Options: type = TwinOptions
    outputs: tuple[str, ...] = ("",)

    def derive(self, source: Source, options: TwinOptions, *, seed: int, tally: Tally) -> Iterator[tuple[str, Example]]:
        """The answerable example and then its twin; both are dropped where no twin can be built."""
        limits = {"shortest": options.shortest, "longest": options.longest}
        pool = pool_of(source, options.pool, tally=tally, whole=options.whole, **limits)
        tally.figures |= {"twins": 0, "paragraphs taken out": {}}
        for example in source.examples():
            tally.read += 1
            if example.answerable is False:
                tally.drop("it is unanswerable already")
                continue
            try:
                both = answerable(example), unanswerable(example, pool, rng=random.Random(f"{seed}/{example.id}"))
            except NoContext as reason:
                tally.drop(str(reason))
                continue
            _count(both[1], tally)
            yield from (("", each) for each in both)


def _count(twin: Example, tally: Tally) -> None:
    tally.kept += 1
    tally.figures["twins"] += 1
    taken_out = str(sum(hop.support is None for hop in twin.hops))
    by_number = tally.figures["paragraphs taken out"]
    by_number[taken_out] = by_number.get(taken_out, 0) + 1
