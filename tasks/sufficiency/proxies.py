"""Proxies: questions whose random other paragraph fr can replace a support (DiRe, appendix D).

fr is a proxy of f2 if the annotators agree that (f1, f2) and (f1, fr) both suffice, and of f1 if they agree that
(f1, f2) and (fr, f2) do. With more than two supports, fr is a proxy of fj if this holds with any fi. A question
counts if the annotators agree, either way, on all of its pairs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from annotation.pure.derivations.support_removal import expected_drop
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import HitWithResponses

from .decisions import SPLIT, SUFFICIENT, UNDECIDED, UNSURE, PairOf, SufficiencyOptions, decided, expected, pair_of

STEPS = 100  # rates at which an interval of the expected drop is searched

# why a question is left out, the first that holds
TWICE, EXCLUDED, MISSING = "twice", "excluded", "missing"
REASONS = {
    TWICE: _("a pair occurs more than once"),
    EXCLUDED: _("a pair is excluded from the scores"),
    MISSING: _("a pair is not in the batch"),
    UNDECIDED: _("a pair has too few votes"),
    SPLIT: _("annotators do not agree on a pair"),
    UNSURE: _("annotators agree that they cannot tell for a pair"),
}


class Ruled(NamedTuple):
    """A judged pair with its aggregated label: `kind` as returned by `decided`, or EXCLUDED."""

    row: HitWithResponses
    pair: PairOf
    kind: str


@dataclass
class Question:
    """A question with its pairs in the batch, by the supports in them."""

    dataset: str
    of: int
    others: int
    pairs: dict[tuple[int, ...], str] = field(default_factory=dict)
    twice: bool = False

    def left_out(self) -> str:
        """The key in REASONS why the question does not count; "" if it counts."""
        if self.twice:
            return TWICE
        kinds = {self.pairs.get(supports, MISSING) for supports in expected(self.of)}
        return next((reason for reason in REASONS if reason in kinds), "")

    def proxies(self) -> set[int]:
        """The supports (1-based) that the other paragraph is a proxy of."""
        enough = {supports for supports, kind in self.pairs.items() if kind == SUFFICIENT}
        both = [supports for supports in enough if len(supports) == 2]
        return {replaced for pair in both for replaced, kept in (pair, pair[::-1]) if (kept,) in enough}


def ruled(hits: Iterable[HitWithResponses], options: SufficiencyOptions) -> list[Ruled]:
    """The aggregated decision on each pair; items without a valid pair are left out."""
    result = []
    for row in hits:
        if pair := pair_of(row.example):
            verdicts = [given.answer["verdict"] for given in row.given]
            kind = decided(verdicts, agreement=options.agreement, votes=options.votes or row.wanted)
            result.append(Ruled(row, pair, EXCLUDED if row.excluded else kind))
    return result


def questions(pairs: Iterable[Ruled]) -> list[Question]:
    """The questions of these pairs without duplicates, in order of first appearance."""
    by_key: dict[tuple[str, str], Question] = {}
    for row, pair, kind in pairs:
        key = (row.dataset, row.example.group or row.example.id)
        question = by_key.setdefault(key, Question(row.dataset, pair.of, pair.others))
        question.twice |= pair.supports in question.pairs or pair.of != question.of
        question.pairs[pair.supports] = kind
    return list(by_key.values())


def by_dataset(question_list: Iterable[Question]) -> Mapping[str, list[Question]]:
    groups: defaultdict[str, list[Question]] = defaultdict(list)
    for question in question_list:
        groups[question.dataset].append(question)
    return dict(sorted(groups.items()))


def mean_drop(p: float, numbers: Iterable[int]) -> float:
    """The expected drop at rate p, averaged over questions with these numbers of non-supporting paragraphs."""
    counts = Counter(numbers)
    return sum(count * expected_drop(p, others) for others, count in counts.items()) / counts.total()


def drop_range(low: float, high: float, numbers: Sequence[int]) -> tuple[float, float]:
    """The least and the largest expected drop for rates from `low` to `high`; it falls again for high rates."""
    drops = [mean_drop(low + (high - low) * step / STEPS, numbers) for step in range(STEPS + 1)]
    return min(drops), max(drops)


def rounded(count: int, total: int) -> float:
    """A share as papers print it, in percent with one decimal: 2 of 115 are 0.017."""
    return float(round(Fraction(count, total), 3))
