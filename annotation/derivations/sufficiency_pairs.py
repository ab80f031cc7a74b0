"""`sufficiency-pairs`: each question with pairs of its paragraphs, sufficient or not (DiRe, appendix D)."""

from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random

from annotation.derivations.base import Derivation, Derived, Source, Tally, needs_supports
from annotation.pure.data.example import Example, reduced
from annotation.pure.derivations.support_removal import Context, Pair, TooSmall, pairs
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop

PAIR = "pair"  # in `extra`: {"name", "supports": [1, 2] or [1], "of": how many supports, "others": how many others}


@dataclass(frozen=True)
class PairOptions:
    """`questions`: the number of questions to draw, 0 for all."""

    questions: int = setting(
        0,
        label=gettext_noop("Questions"),
        help=gettext_noop("Draws this many with the seed. Leave empty to use all."),
        least=1,
        blank=0,
    )


class SufficiencyPairs(Derivation):
    how: str = "sufficiency-pairs"
    title: str = gettext_noop("Pairs of paragraphs for sufficiency")
    does: str = gettext_noop(
        "Shows each question with two of its supporting paragraphs, and again with one of them replaced."
    )
    suffix: str = "pairs"
    Options: type = PairOptions
    rank: int = 11

    source_problem = staticmethod(needs_supports)

    def derive(self, source: Source, options: PairOptions, *, seed: int, tally: Tally) -> Derived:
        """All pairs of a question in a row, as one group; they share its id and differ in `extra`."""
        tally.figures |= {"questions": 0}
        drawn = _drawn(source, options.questions, seed) if options.questions else None
        for place, example in enumerate(source.examples()):
            tally.read += 1
            try:
                pair_list = _pairs(example, seed)
            except TooSmall as reason:
                tally.drop(str(reason))
                continue
            if drawn is not None and place not in drawn:
                tally.drop("it was not drawn")
                continue
            tally.figures["questions"] += 1
            tally.kept += len(pair_list)
            yield from (("", _pair(example, pair)) for pair in pair_list)


def _drawn(source: Source, count: int, seed: int) -> set[int]:
    """Positions of `count` random questions that have pairs, or of all such questions if there are fewer."""
    fit = []
    for place, example in enumerate(source.examples()):
        with suppress(TooSmall):
            _pairs(example, seed)
            fit.append(place)
    return set(Random(f"{seed}/questions").sample(fit, min(count, len(fit))))


def _pairs(example: Example, seed: int) -> list[Pair]:
    """Raises TooSmall, saying why the question has none."""
    if example.supports is None or example.answerable is False:
        raise TooSmall("its supporting paragraphs are not known, or it is unanswerable")
    return pairs(Context(len(example.paragraphs), tuple(sorted(set(example.supports))), f"{seed}/{example.id}"))


def _pair(example: Example, pair: Pair) -> Example:
    count = len(set(example.supports or ()))
    shown = {"name": pair.name, "supports": list(pair.supports), "of": count, "others": len(example.paragraphs) - count}
    return replace(
        reduced(example, pair.kept),
        answerable=None,
        group=example.group or example.id,
        shape=pair.name,
        extra={**example.extra, PAIR: shown},
    )


DERIVATION = SufficiencyPairs()
