"""The options of a batch of sufficiency judgments; the decision on a pair of paragraphs and its place in a question."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from annotation.pure.data.example import Example
from annotation.pure.setting_fields import setting
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype.decisions import Decision, choice

MOST_OTHERS = 1000

AGREEMENT = {
    "majority": _("more than half agree"),
    "all": _("all agree"),
}


@dataclass(frozen=True, slots=True)
class SufficiencyOptions:
    """Options of a batch; the report states them, because the paper does not define its agreement."""

    show_answer: bool = setting(
        True,
        label=_("Show the answer"),
        help=_("Workers judge whether the pair leads to this answer and do not have to find it."),
    )
    cannot_tell: bool = setting(
        False,
        label=_("Offer “cannot tell”"),
        help=_("It counts as a separate vote. Turn it off to replicate the paper."),
    )
    agreement: str = setting("majority", label=_("Workers agree when"), choices=AGREEMENT)
    votes: int = setting(
        0, label=_("Votes required per pair"), help=_("0 means the number of assignments per HIT."), least=0
    )
    evidence: bool = setting(
        False,
        label=_("Allow marking evidence"),
        help=_("Workers may mark the words that support their decision."),
    )
    others: int = setting(
        8,
        label=_("Non-supporting paragraphs for the expected drop"),
        help=_("N in the expected drop of the human score. 0 means the actual number for each question."),
        least=0,
        most=MOST_OTHERS,
    )


SUFFICIENT, INSUFFICIENT, UNSURE = "sufficient", "insufficient", "unsure"
VERDICTS = (SUFFICIENT, INSUFFICIENT, UNSURE)
CHOICES = (
    choice(SUFFICIENT, _("Sufficient"), "s", _("sufficient")),
    choice(INSUFFICIENT, _("Not sufficient"), "i", _("not sufficient")),
    choice(UNSURE, _("Cannot tell"), "u", _("cannot tell")),
)
VERDICT = Decision(
    "verdict", CHOICES, missing=_("Say whether the two paragraphs are sufficient, or that you cannot tell.")
)
FIRM = Decision("verdict", CHOICES[:2], missing=_("Say whether the two paragraphs are sufficient."))
SPLIT, UNDECIDED = "split", "undecided"  # annotators differ; too few votes
SAID = {**VERDICT.words, SPLIT: _("no agreement"), UNDECIDED: _("too few votes")}
PAIR = "pair"  # in `extra`, as the derivation sufficiency-pairs writes it


def decided(verdicts: Sequence[str], *, agreement: str, votes: int) -> str:
    """The agreed decision: one of VERDICTS, SPLIT, or UNDECIDED below the required votes."""
    if not verdicts or len(verdicts) < votes:
        return UNDECIDED
    (first, most), *_others = Counter(verdicts).most_common()
    agreed = most == len(verdicts) if agreement == "all" else 2 * most > len(verdicts)
    return first if agreed else SPLIT


class PairOf(NamedTuple):
    """A pair of its question: the supports in it from 1, of how many, and how many other paragraphs there are."""

    supports: tuple[int, ...]
    of: int
    others: int

    @property
    def naive(self) -> str:
        """The decision by the dataset's labels: a pair is sufficient if it has every support."""
        return SUFFICIENT if len(self.supports) == self.of else INSUFFICIENT


def pair_of(example: Example) -> PairOf | None:
    """The pair that an item shows; None if the item has no valid pair."""
    stored = example.extra.get(PAIR)
    if not isinstance(stored, dict) or not isinstance(stored.get("supports"), list):
        return None
    numbers = [*stored["supports"], stored.get("of"), stored.get("others")]
    if any(type(number) is not int for number in numbers):
        return None
    pair = PairOf(tuple(stored["supports"]), stored["of"], stored["others"])
    return pair if 0 <= pair.others <= MOST_OTHERS and pair.supports in expected(pair.of) else None


def expected(count: int) -> list[tuple[int, ...]]:
    """The pairs of a question with `count` supports, by the supports in them: (1, 2), (1,), (2,) for two."""
    numbers = range(1, min(count, MOST_OTHERS) + 1)
    return [*combinations(numbers, 2), *((k,) for k in numbers)] if count >= 2 else []


def name_of(supports: tuple[int, ...]) -> str:
    """The pair's name in the paper: (f1, f2), (f1, fr), (fr, f2)."""
    if len(supports) == 2:
        return f"(f{supports[0]}, f{supports[1]})"
    return "(f1, fr)" if supports == (1,) else f"(fr, f{supports[0]})"
