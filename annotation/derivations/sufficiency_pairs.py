"""`sufficiency-pairs`: each question with pairs of its paragraphs, sufficient or not (DiRe, appendix D)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotation.derivations.base import Source, Tally
from annotation.derivations.fitting import needs_supports
from annotation.pure.example import Example
from annotation.pure.reduced import reduced
from annotation.pure.sufficiency import Context, Pair, TooSmall, pairs
from annotation.pure.words import gettext_noop

PAIR = "pair"  # in `extra`: {"name", "supports": [1, 2] or [1], "of": how many supports, "others": how many others}


@dataclass(frozen=True)
class PairOptions:
    """Nothing to choose: the papers' pairs."""


class SufficiencyPairs:
    how: str = "sufficiency-pairs"
    title: str = gettext_noop("Pairs of paragraphs for sufficiency")
    does: str = gettext_noop(
        "Shows each question with two of its supporting paragraphs, and with one of them replaced by another."
    )
    suffix: str = "pairs"
    Options: type = PairOptions
    outputs: tuple[str, ...] = ("",)

    def check(self, options: PairOptions) -> None:
        pass

    misfit = staticmethod(needs_supports)

    def derive(self, source: Source, options: PairOptions, *, seed: int, tally: Tally) -> Iterator[tuple[str, Example]]:
        """All pairs of a question in a row, as one group; they share its id and differ in `extra`."""
        tally.figures |= {"questions": 0}
        for example in source.examples():
            tally.read += 1
            if example.supports is None or example.answerable is False:
                tally.drop("its supporting paragraphs are not known, or it is unanswerable")
                continue
            supports = tuple(sorted(set(example.supports)))
            try:
                made = pairs(Context(len(example.paragraphs), supports, f"{seed}/{example.id}"))
            except TooSmall as reason:
                tally.drop(str(reason))
                continue
            tally.figures["questions"] += 1
            tally.kept += len(made)
            yield from (("", _pair(example, pair)) for pair in made)


def _pair(example: Example, pair: Pair) -> Example:
    count = len(set(example.supports or ()))
    told = {"name": pair.name, "supports": list(pair.supports), "of": count, "others": len(example.paragraphs) - count}
    return replace(
        reduced(example, pair.kept),
        answerable=None,
        group=example.group or example.id,
        shape=pair.name,
        extra={**example.extra, PAIR: told},
    )
