"""DiRe's scores of people: how much of what they get right disconnected reasoning can explain.

Trivedi et al. 2020, "Is Multihop QA in DiRe Condition?", measures models; these rules were fixed before any data. A
question has instances in five arms: D as it is, P(D) without each part of its supports (section 3.2), T(D) with
sufficiency (section 4.2), the trivial control (appendix G), and closed-book (ours). Each instance is answered by people
who meet no other instance of the question.

Responses of an instance become one by the majority: of the answers, equal after normalising, and, separately, of the
whole supports. Tied classes are equally likely, so every score is an expected value. A majority answer is as confident
as its supporters are on average. Responses that are missing are left out; an instance without any leaves its arm of the
question without a score. A model is one respondent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from operator import sub
from statistics import fmean
from typing import Any

from annotation.pure.derivations.support_removal import COPIES
from annotation.pure.reports.calibration import standardised
from annotation.pure.reports.human_scores import labels_chance, majorities
from annotation.pure.statistics.metrics import Scorer, joint

ORIGINAL, PROBE, TRANSFORMED, TRIVIAL, CLOSED_BOOK = ARMS = (
    "original",
    "probe",
    "transformed",
    "trivial",
    "closed-book",
)
FIGURES = ("answer_em", "answer_f1", "support_em", "support_f1", "joint_em", "joint_f1")
RAW, STANDARDISED, LOWER, UPPER = CHOICES = ("raw", "standardised", "lower", "upper")  # of the probe's answer

Marks = tuple[float | None, ...]  # one for each of FIGURES
Spread = list[tuple[float, Marks]]  # (chance, marks) of what may happen


@dataclass(frozen=True, slots=True)
class Response:
    """What one respondent said of an instance; `support` names paragraphs by their titles.

    `standard` is the confidence in standard deviations from the worker's mean (`standardise`). `sufficient` is None
    where it was not asked.
    """

    worker: str
    answer: str
    support: frozenset[str] = frozenset()
    confidence: float = 0.0
    standard: float = 0.0
    sufficient: bool | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A context of a question with its responses; `kept` are the question's supports that it holds."""

    kept: frozenset[str]
    responses: tuple[Response, ...]
    sufficient: bool | None = None  # its label in T(D)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the instances of its arms, those of P(D) as one pair after the other.

    `support` are the titles of its supporting paragraphs, Fs; `answers` the gold answer with its aliases.
    """

    key: str
    answers: tuple[str, ...]
    support: frozenset[str]
    scorer: Scorer
    arms: Mapping[str, tuple[Instance, ...]]

    def whole(self) -> Question:
        """The question without the arms whose instances are not all there."""
        n = len(self.support)
        sizes = dict(zip(ARMS, (1, 2**n - 2, 2**n - 1, COPIES, 1), strict=True))
        return replace(self, arms={arm: some for arm, some in self.arms.items() if len(some) == sizes[arm]})

    def without(self, worker: str, arm: str) -> Question:
        """The question without a worker's responses in an arm."""
        kept = tuple(
            replace(each, responses=tuple(one for one in each.responses if one.worker != worker))
            for each in self.arms[arm]
        )
        return replace(self, arms={**self.arms, arm: kept})


@dataclass(frozen=True, slots=True)
class WeightedAnswer:
    """A possible answer and support of an instance, with its chance."""

    chance: float
    answer: str
    support: frozenset[str]
    confidence: float
    standard: float


def standardise(questions: Iterable[Question]) -> list[Question]:
    """The questions with `standard` confidences in P(D), within each worker's responses there.

    The paper compares the confidences of one model (section 3.1); people use the scale differently.
    """
    rows = list(questions)
    stated = [
        (one.worker, one.confidence) for row in rows for each in row.arms.get(PROBE, ()) for one in each.responses
    ]
    scores = iter(standardised(stated))
    return [_with_standard(row, scores) for row in rows]


def _with_standard(row: Question, scores: Iterator[float]) -> Question:
    told = tuple(
        replace(each, responses=tuple(replace(one, standard=next(scores)) for one in each.responses))
        for each in row.arms.get(PROBE, ())
    )
    return replace(row, arms={**row.arms, PROBE: told}) if told else row


def paired(instances: Iterable[Instance], support: Sequence[str]) -> tuple[Instance, ...]:
    """P(D)'s instances as one pair after the other, each of a bi-partition of the supports (eq. 3 and 4).

    The first of a pair lacks the part with the first support. What has no partner is left out.
    """
    by_kept = {each.kept: each for each in instances}
    pairs = [
        (by_kept[whole - kept], by_kept[kept])
        for whole in [frozenset(support)]
        for kept in sorted(by_kept, key=sorted)
        if support and support[0] in kept and whole - kept in by_kept
    ]
    return tuple(each for pair in pairs for each in pair)


def by_majority(responses: Sequence[Response], scorer: Scorer) -> list[WeightedAnswer]:
    """The majority answer and, separately, the majority support, with a chance for each tied pair of them."""
    if not responses:
        return []
    answers = majorities(responses, key=lambda one: _key(scorer, one.answer))
    supports = majorities(responses, key=lambda one: one.support)
    chance = 1 / (len(answers) * len(supports))
    found = []
    for chosen in answers:
        behind = [one for one in responses if _key(scorer, one.answer) == _key(scorer, chosen.answer)]
        sure = fmean(one.confidence for one in behind), fmean(one.standard for one in behind)
        found += [WeightedAnswer(chance, chosen.answer, backed.support, *sure) for backed in supports]
    return found


def singly(responses: Sequence[Response], _scorer: Scorer) -> list[WeightedAnswer]:
    """Each response alone, all equally likely."""
    chance = 1 / len(responses) if responses else 0.0
    return [WeightedAnswer(chance, one.answer, one.support, one.confidence, one.standard) for one in responses]


Reading = Callable[[Sequence[Response], Scorer], list[WeightedAnswer]]


def marks_of(question: Question, answer: str, support: frozenset[str]) -> Marks:
    """The marks of an answer with its support against the question's own labels (the paper's m, section 3.1)."""
    return _marks(question.scorer, answer, question.answers, support, question.support)


@lru_cache(maxsize=4096)  # leaving out one worker after the other scores the same responses again
def _marks(
    scorer: Scorer, answer: str, answers: tuple[str, ...], support: frozenset[str], right: frozenset[str]
) -> Marks:
    said, backed = scorer.answer(answer, answers), scorer.support(support, right)
    both = joint(said, backed)
    return said.em, said.f1, backed.em, backed.f1, both.em, both.f1


_key = lru_cache(maxsize=4096)(Scorer.key)


def mean(spread: Spread) -> Marks | None:
    """The expected marks; None if nothing can happen."""
    if not spread:
        return None
    return tuple(
        math.fsum(chance * (value or 0.0) for (chance, _marks), value in zip(spread, column, strict=True))
        for column in zip(*(marks for _chance, marks in spread), strict=True)
    )


def extreme(spreads: Sequence[Spread], *, largest: bool) -> Marks | None:
    """The expected largest (or smallest) of several independent marks, figure by figure; None if one has none."""
    if not spreads or not all(spreads):
        return None
    if len(spreads) == 1:
        return mean(spreads[0])
    return tuple(
        _expected_extreme([[(chance, marks[k] or 0.0) for chance, marks in spread] for spread in spreads], largest)
        for k in range(len(FIGURES))
    )


def _expected_extreme(columns: Sequence[Sequence[tuple[float, float]]], largest: bool) -> float:
    """E max: the sum of each value times the chance that the maximum steps up to it; E min = -E max of -x."""
    if not largest:
        return -_expected_extreme([[(chance, -value) for chance, value in column] for column in columns], True)
    below, total = 0.0, 0.0
    for value in sorted({value for column in columns for _chance, value in column}):
        up_to = math.prod(math.fsum(chance for chance, other in column if other <= value) for column in columns)
        total += value * (up_to - below)
        below = up_to
    return total


def original(question: Question, reading: Reading = by_majority) -> Marks | None:
    """The marks on D: of the majority, or with `singly` of one respondent on average."""
    return _alone(question, question.arms.get(ORIGINAL, ())[:1], reading)


def closed_book(question: Question, reading: Reading = by_majority) -> Marks | None:
    """The answer's marks of people who saw no paragraph; there is no support."""
    marks = _alone(question, question.arms.get(CLOSED_BOOK, ())[:1], reading)
    return None if marks is None else (*marks[:2], None, None, None, None)


def _alone(question: Question, instances: Sequence[Instance], reading: Reading) -> Marks | None:
    spreads = [_spread(question, each.responses, reading) for each in instances]
    return mean(spreads[0]) if spreads else None


def _spread(question: Question, responses: Sequence[Response], reading: Reading) -> Spread:
    return [(s.chance, marks_of(question, s.answer, s.support)) for s in reading(responses, question.scorer)]


def probe(question: Question, choice: str = RAW, reading: Reading = by_majority) -> Marks | None:
    """The marks on P(D): for each bi-partition the more confident answer and the union of both supports (eq. 6).

    The best bi-partition counts, for each figure by itself (eq. 5). With equal confidence it is the second answer's, as
    in the authors' code. `choice` compares confidences raw or standardised; its bounds take the worse and the better
    answer, which no rule can leave.
    """
    return extreme(_pairs(question, choice, reading), largest=True)


def any_split(question: Question) -> Marks | None:
    """The marks of single responses on P(D) with a bi-partition at random: with three supports, no more than `probe`'s.

    There the best of several bi-partitions is too high, since each is answered by other people.
    """
    splits = [mean(spread) for spread in _pairs(question, RAW, singly)]
    return each(lambda *marks: fmean(marks), *splits) if splits else None


def _pairs(question: Question, choice: str, reading: Reading) -> list[Spread]:
    parts = question.arms.get(PROBE, ())
    return [_pair(question, parts[k], parts[k + 1], choice, reading) for k in range(0, len(parts) - 1, 2)]


def _pair(question: Question, first: Instance, second: Instance, choice: str, reading: Reading) -> Spread:
    heard = (reading(each.responses, question.scorer) for each in (first, second))
    return [(one.chance * two.chance, _combined(question, one, two, choice)) for one, two in product(*heard)]


def _combined(question: Question, one: WeightedAnswer, two: WeightedAnswer, choice: str) -> Marks:
    support = one.support | two.support
    if choice in (LOWER, UPPER):
        both = (marks_of(question, said.answer, support) for said in (one, two))
        return tuple(map(min if choice == LOWER else max, *both))
    name = "standard" if choice == STANDARDISED else "confidence"
    chosen = one if getattr(one, name) > getattr(two, name) else two
    return marks_of(question, chosen.answer, support)


def trivial(question: Question) -> Marks | None:
    """The marks on the trivial control: all copies must be right, so for each figure the worst (appendix G)."""
    copies = question.arms.get(TRIVIAL, ())
    return extreme([_spread(question, each.responses, by_majority) for each in copies], largest=False)


def labels(question: Question) -> float | None:
    """The chance that the majority label of every instance of T(D) is right; None if one has no response."""
    instances = question.arms.get(TRANSFORMED, ())
    if not instances or not all(each.responses for each in instances):
        return None
    return labels_chance(([one.sufficient for one in each.responses], each.sufficient) for each in instances)


def transformed(question: Question) -> Marks | None:
    """The marks on T(D): nothing if any sufficiency label is wrong, else those of the sufficient instance (4.2).

    There the majority is that of the people who called it sufficient.
    """
    chance = labels(question)
    if chance is None:
        return None
    whole = next(each for each in question.arms[TRANSFORMED] if each.sufficient)
    called = tuple(one for one in whole.responses if one.sufficient)
    marks = mean(_spread(question, called, by_majority)) or (0.0,) * len(FIGURES)
    return tuple(chance * (value or 0.0) for value in marks)


def each(function: Callable[..., float], *rows: Marks | None) -> Marks | None:
    """The function of the rows' marks, figure by figure; None where one of them has none."""
    if any(row is None for row in rows):
        return None
    columns = zip(*(row for row in rows if row is not None), strict=True)
    return tuple(None if None in column else function(*column) for column in columns)


def arm_marks(question: Question, arm: str) -> dict[str, Any]:
    """The marks that depend on the responses of one arm only, by name."""
    if arm == ORIGINAL:
        return {"d": original(question), "d_single": original(question, singly)}
    if arm == PROBE:
        by_choice = {f"p_{choice}": probe(question, choice) for choice in CHOICES}
        return {**by_choice, "p_single": probe(question, RAW, singly), "p_any": any_split(question)}
    if arm == TRANSFORMED:
        chance = labels(question)
        return {"t": transformed(question), "labels": None if chance is None else (chance,) * len(FIGURES)}
    return {"trivial": trivial(question)} if arm == TRIVIAL else {"closed": closed_book(question)}


def quantities(found: Mapping[str, Any]) -> dict[str, Marks | None]:
    """What is reported of a question, from the marks of its arms.

    `d_minus_p`: what single responses lose without connecting, the chance in D less that in P(D). It can be negative,
    so that its mean is 0 where nothing needs connecting. `in_both`: the least that one respondent can get right in
    both (Fréchet), whose mean counts. `dire`: min(D, P(D)) of one respondent in both arms (eq. 7), as models are;
    `connected`: what of D it leaves. `drop`: what sufficiency costs (appendix D), `floor`: what a group of three costs
    by itself (appendix G), `trivial_minus_t`: what is left between them. `read`: what P(D) has beyond knowledge.
    """
    d, p, single, pairs = (found.get(name) for name in ("d", "p_raw", "d_single", "p_single"))
    trivial_, t, closed = (found.get(name) for name in ("trivial", "t", "closed"))
    dire = each(min, d, p)
    return {
        "d": d,
        "d_single": single,
        **{f"p_{choice}": found.get(f"p_{choice}") for choice in CHOICES},
        "p_single": pairs,
        "d_minus_p": each(sub, single, pairs),
        "in_both": each(lambda one, other: one + other - 1, single, found.get("p_any")),
        "dire": dire,
        "connected": each(sub, d, dire),
        "closed": closed,
        "read": each(sub, p, closed),
        "trivial": trivial_,
        "floor": each(sub, d, trivial_),
        "t": t,
        "drop": each(sub, d, t),
        "trivial_minus_t": each(sub, trivial_, t),
        "labels": found.get("labels"),
    }
