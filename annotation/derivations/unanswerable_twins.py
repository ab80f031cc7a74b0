"""`unanswerable-twins`: adds to every question the same one without the answer of a hop (S8 of MuSiQue)."""

import random

from annotation.derivations.base import TWINS, DerivationGroup, Derived, Source, Tally
from annotation.derivations.pooling import PoolDerivation, PoolOptions, chosen_pool
from annotation.pure.data.example import Example
from annotation.pure.derivations.context_building import NoContext
from annotation.pure.derivations.unanswerable_twins import answerable, unanswerable
from annotation.pure.text.translation_marks import gettext_noop


class UnanswerableTwins(PoolDerivation):
    how: str = "unanswerable-twins"
    title: str = gettext_noop("Unanswerable twins")
    does: str = gettext_noop("Pairs each question with a copy whose context lacks the answer of one hop.")
    suffix: str = "full"
    Options: type = PoolOptions
    group: DerivationGroup = TWINS
    follows: tuple[str, ...] = ("contexts",)
    rank: int = 7

    def derive(self, source: Source, options: PoolOptions, *, seed: int, tally: Tally) -> Derived:
        """The answerable example and then its twin; both are dropped if no twin can be built."""
        pool, _others = chosen_pool(source, options, tally=tally)
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
