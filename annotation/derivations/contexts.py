"""`contexts`: puts every composed question among distractors (S6 of MuSiQue's pipeline)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.derivations.base import CannotDerive, Source, Tally
from annotation.derivations.pooling import pool_of
from annotation.pure.contexts import SIZE, NoContext, with_context
from annotation.pure.example import Example


@dataclass(frozen=True)
class ContextOptions:
    """`pool`: datasets to retrieve from, commas between; none: the source. `whole`: all their paragraphs.

    `shortest` and `longest`: words of a paragraph of the pool, 0 for no limit.
    """

    pool: str = ""
    paragraphs: int = SIZE
    whole: bool = False
    shortest: int = 0
    longest: int = 0


class Contexts:
    how: str = "contexts"
    title: str = "Contexts: supporting paragraphs among retrieved distractors"
    Options: type = ContextOptions
    outputs: tuple[str, ...] = ("",)

    def derive(
        self, source: Source, options: ContextOptions, *, seed: int, tally: Tally
    ) -> Iterator[tuple[str, Example]]:
        """Every example that has hops, in a new context; the others are dropped with the reason."""
        if options.paragraphs < 1:
            raise CannotDerive(f"a context of {options.paragraphs} paragraphs is none; give 1 or more")
        limits = {"shortest": options.shortest, "longest": options.longest}
        pool = pool_of(source, options.pool, tally=tally, whole=options.whole, **limits)
        tally.figures |= {"paragraphs": options.paragraphs, "shorter contexts": 0}
        for example in source.examples():
            tally.read += 1
            rng = random.Random(f"{seed}/{example.id}/{example.answerable}")
            try:
                built = with_context(example, pool, size=options.paragraphs, rng=rng)
            except NoContext as reason:
                tally.drop(str(reason))
                continue
            tally.kept += 1
            tally.figures["shorter contexts"] += len(built.paragraphs) < options.paragraphs
            yield "", built
