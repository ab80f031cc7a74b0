"""`unanswerable-twins`: adds to every question the same one without the answer of a hop (S8 of MuSiQue)."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.derivations.base import TWINS, Derivation, Group, Source, Tally, needs_hops
from annotation.derivations.pooling import (
    check_lengths,
    longest_option,
    other_splits_option,
    pool_of,
    pool_option,
    shortest_option,
    supports_of_other_splits,
    whole_option,
)
from annotation.pure.data.example import Example
from annotation.pure.derivations.context_building import NoContext
from annotation.pure.derivations.unanswerable_twins import answerable, unanswerable
from annotation.pure.text.translation_marks import gettext_noop


@dataclass(frozen=True)
class TwinOptions:
    """`pool`: datasets to retrieve from, commas between; none: the source. `whole`: all their paragraphs.

    `other_splits`: what supports a question of another split may be a distractor.
    """

    pool: str = pool_option()
    whole: bool = whole_option()
    shortest: int = shortest_option()
    longest: int = longest_option()
    other_splits: bool = other_splits_option()


class UnanswerableTwins(Derivation):
    how: str = "unanswerable-twins"
    title: str = gettext_noop("Unanswerable twins")
    does: str = gettext_noop("Pairs each question with a copy whose context lacks the answer of one hop.")
    suffix: str = "full"
    Options: type = TwinOptions
    group: Group = TWINS
    follows: tuple[str, ...] = ("contexts",)
    rank: int = 7

    def check(self, options: TwinOptions) -> None:
        super().check(options)
        check_lengths(options.shortest, options.longest)

    source_problem = staticmethod(needs_hops)

    def derive(self, source: Source, options: TwinOptions, *, seed: int, tally: Tally) -> Iterator[tuple[str, Example]]:
        """The answerable example and then its twin; both are dropped where no twin can be built."""
        self.check(options)
        limits = {"shortest": options.shortest, "longest": options.longest}
        others = supports_of_other_splits(source, tally=tally)
        without = frozenset() if options.other_splits else others
        pool = pool_of(source, options.pool, tally=tally, whole=options.whole, without=without, **limits)
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


DERIVATION = UnanswerableTwins()
