"""Human score, upper bound, agreement and average annotator of a question.

MuSiQue's protocol (Trivedi et al. 2022, §6.1), made deterministic: instead of the paper's random draws, between tied
majorities or of the annotation to leave out, expected values are reported. Every function takes the annotations of
one question, and their order has no effect; means over questions are computed by `intervals`. The
upper bound and the agreement grow with the number of answers per item (k), so several questions are compared at an
equal k: one with more answers counts with the expected value over all draws of k of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Generic, TypeVar

from annotation.pure.statistics.metrics import Score, Scorer

MOST_DRAWS = 1000  # up to this many draws are enumerated; of more, this many are sampled
SEED = 0  # of the sampled draws
RULE = "majority-expected/2"  # goes beside the figures; a change of any definition here is a new number
RANDOM_RULE = "majority-random/1"  # the same, with ties broken at random
MEASURES = ("human_score", "upper_bound", "agreement", "average")
PARTS = ("em", "f1")

Support = Collection[Hashable]
T = TypeVar("T")
G = TypeVar("G")


def common_count(items: Iterable[tuple[int, int]]) -> int:
    """The number of answers k at which items are compared, from (answers, answers wanted) of each; 0 without items.

    k is the smallest number wanted, or the smallest number of answers if that is larger; at most the largest number of
    answers.
    """
    known = list(items)
    if not known:
        return 0
    fewest, most = min(answers for answers, _wanted in known), max(answers for answers, _wanted in known)
    return min(most, max(fewest, min(wanted for _answers, wanted in known)))


def expected_best(values: Sequence[float], count: int) -> float:
    """The expected maximum of `count` values drawn without replacement; the maximum if there are no more."""
    if count >= len(values):
        return max(values)
    ways = math.comb(len(values), count)  # the value of rank r is the best of a draw with count - 1 of the r below it
    return math.fsum(math.comb(rank, count - 1) / ways * value for rank, value in enumerate(sorted(values)))


def draws(things: Sequence[T], count: int) -> Iterator[tuple[T, ...]]:
    """All combinations of `count` things, or MOST_DRAWS seeded random draws if there are more."""
    if math.comb(len(things), count) <= MOST_DRAWS:
        yield from combinations(things, count)
        return
    rng = Random(SEED)
    for _draw in range(MOST_DRAWS):
        yield tuple(rng.sample(things, count))


@dataclass(frozen=True, slots=True)
class Mark:
    """EM and F1 of one question, each 0..1."""

    em: float
    f1: float

    def times(self, factor: float) -> Mark:
        return Mark(self.em * factor, self.f1 * factor)


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """One question's figures. None: undefined (no gold, or a single annotation for the agreements).

    `agreement` is the expected best match of one annotation among the others (the paper's).
    """

    annotations: int
    human_score: Mark | None
    upper_bound: Mark | None
    average: Mark | None
    agreement: Mark | None

    def cells(self) -> list[float]:
        """EM and F1 of each of MEASURES in turn, as a row of `intervals.bootstrap_figures`; nan for None."""
        marks: list[Mark | None] = [getattr(self, measure) for measure in MEASURES]
        return [math.nan if mark is None else getattr(mark, part) for mark in marks for part in PARTS]


@dataclass(frozen=True, slots=True)
class _Kind(Generic[T, G]):
    """Functions that compare annotations. `alone` turns an annotation into gold for `score`, to compare workers."""

    key: Callable[[T], Hashable]
    score: Callable[[T, G], Score]
    alone: Callable[[T], G]


def _answers(scorer: Scorer) -> _Kind[str, Sequence[str]]:
    return _Kind(scorer.key, scorer.answer, lambda answer: (answer,))


def _supports(scorer: Scorer) -> _Kind[Support, Support]:
    return _Kind(_whole, scorer.support, _itself)


def question_scores(answers: Sequence[str], gold: Sequence[str] | None, *, scorer: Scorer) -> QuestionScores:
    """The scores of workers' answers to one question against the answer and its aliases (None: no gold).

    "No answer" is the answer "". Raises ValueError without annotations.
    """
    return _scores(answers, [len(answers)], _answers(scorer), gold)[0]


def question_scores_by_count(
    answers: Sequence[str], gold: Sequence[str] | None, *, scorer: Scorer, counts: Sequence[int] = ()
) -> list[QuestionScores]:
    """Expected question scores over all draws of k answers, for k in `counts` (by default 1, 2, ... all)."""
    return _scores(answers, counts or range(1, len(answers) + 1), _answers(scorer), gold)


def support_scores(supports: Sequence[Support], gold: Support | None, *, scorer: Scorer) -> QuestionScores:
    """The scores of workers' supports against the gold set; majority by the whole set, as in the paper."""
    return _scores(supports, [len(supports)], _supports(scorer), gold)[0]


def support_scores_by_count(
    supports: Sequence[Support], gold: Support | None, *, scorer: Scorer, counts: Sequence[int] = ()
) -> list[QuestionScores]:
    """The same with 1, 2, ... or `counts` of the supports."""
    return _scores(supports, counts or range(1, len(supports) + 1), _supports(scorer), gold)


def random_human_score(answers: Sequence[str], gold: Sequence[str], *, scorer: Scorer, rng: Random) -> Mark:
    """The paper's own human score, with ties broken at random, for comparison with published figures."""
    return _mark(scorer.answer(rng.choice(majorities(answers, key=scorer.key)), gold))


def random_support_score(supports: Sequence[Support], gold: Support, *, scorer: Scorer, rng: Random) -> Mark:
    """Like `random_human_score`, for the support."""
    return _mark(scorer.support(rng.choice(majorities(supports, key=_whole)), gold))


def majorities(annotations: Sequence[T], *, key: Callable[[T], Hashable]) -> list[T]:
    """One annotation of each of the most frequent classes, in an order that does not depend on the order
    of the annotations. Raises ValueError without annotations.
    """
    if not annotations:
        raise ValueError("a question without annotations has no majority")
    classes: dict[Hashable, list[T]] = {}
    for annotation in annotations:
        classes.setdefault(key(annotation), []).append(annotation)
    most = max(map(len, classes.values()))
    tied = [(value, members[0]) for value, members in classes.items() if len(members) == most]
    return [member for _, member in sorted(tied, key=lambda tie: _in_order(tie[0]))] if len(tied) > 1 else [tied[0][1]]


def majority_chance(labels: Sequence[Hashable], right: Hashable) -> float:
    """The probability that the majority label is `right`, with ties broken at random."""
    tied = majorities(labels, key=_itself)
    return 1 / len(tied) if right in tied else 0.0


@dataclass(frozen=True, slots=True)
class GroupScores:
    """A group of instances of one question by people. `labels`: the chance that all majority labels are right."""

    answer: Mark
    support: Mark
    labels: float


def mean_scores(scores: Sequence[GroupScores], chance: float) -> GroupScores:
    """The mean of scores, times the chance that everything else is right."""
    answer, support = _mean([one.answer for one in scores]), _mean([one.support for one in scores])
    labels = fmean(one.labels for one in scores)
    return GroupScores(answer.times(chance), support.times(chance), labels * chance)


def pair_scores(
    answerable: Sequence[tuple[str, Support]],
    contrast: Sequence[str],
    *,
    gold: Sequence[str],
    gold_support: Support,
    scorer: Scorer,
    count: int = 0,
) -> GroupScores:
    """The scores of a question with its contrast: 0 if a majority label is wrong, else the human score on the
    answerable twin among the annotators who called it answerable.

    `answerable` are (answer, support) annotations of the answerable twin, `contrast` answers to its contrast; an
    empty answer means "cannot be answered". Expected over tied labels, and over draws of `count` annotations (0: all)
    of either twin.
    """
    ordered = sorted(answerable, key=lambda one: (one[0], _in_order(frozenset(one[1]))))
    own = []
    for some in draws(ordered, min(count or len(ordered), len(ordered))):
        attempts = [(text, support) for text, support in some if text.strip()]
        called = [bool(text.strip()) for text, _support in some]
        own.append(group_scores([(called, True)], attempts, gold=gold, gold_support=gold_support, scorer=scorer))
    refusing = [
        majority_chance([bool(text.strip()) for text in some], False)
        for some in draws(sorted(contrast), min(count or len(contrast), len(contrast)))
    ]
    return mean_scores(own, fmean(refusing))


def labels_chance(members: Iterable[tuple[Sequence[Hashable], Hashable]]) -> float:
    """The chance that every member's majority label is right: (labels given, right label) of each member."""
    return math.prod(majority_chance(given, right) for given, right in members)


def group_scores(
    members: Iterable[tuple[Sequence[Hashable], Hashable]],
    attempts: Sequence[tuple[str, Support]],
    *,
    gold: Sequence[str],
    gold_support: Support,
    scorer: Scorer,
) -> GroupScores:
    """The chance that all labels are right, times the human score on the sufficient member.

    `attempts` are the (answer, support) annotations by workers who called the sufficient member sufficient; without any
    the group scores 0.
    """
    chance = labels_chance(members)
    if not attempts:
        return GroupScores(Mark(0.0, 0.0), Mark(0.0, 0.0), chance)
    answers, supports = zip(*attempts, strict=True)
    answer = _majority_mark(answers, _answers(scorer), gold)
    support = _majority_mark(supports, _supports(scorer), gold_support)
    return GroupScores(answer.times(chance), support.times(chance), chance)


def _scores(annotations: Sequence[T], counts: Sequence[int], kind: _Kind[T, G], gold: G | None) -> list[QuestionScores]:
    """The scores with each of these numbers of annotations."""
    if not annotations:
        raise ValueError("a question without annotations has no scores")
    marks = [] if gold is None else [_mark(kind.score(annotation, gold)) for annotation in annotations]
    rows = _matches(annotations, kind) if max(counts) > 1 else []
    by_count = []
    for count in counts:
        human = upper = average = agreement = None
        if gold is not None:
            human = _majority_at(annotations, count, kind, gold)
            upper, average = _best(marks, count), _mean(marks)
        if count > 1:
            agreement = _mean([_best(row, count - 1) for row in rows])
        by_count.append(QuestionScores(count, human, upper, average, agreement))
    return by_count


def _majority_at(annotations: Sequence[T], count: int, kind: _Kind[T, G], gold: G) -> Mark:
    """The expected mark of the majority of `count` of the annotations."""
    if count >= len(annotations):
        return _majority_mark(annotations, kind, gold)
    classes = {kind.key(annotation): annotation for annotation in annotations}
    known = {label: _mark(kind.score(annotation, gold)) for label, annotation in classes.items()}
    labels = sorted(map(kind.key, annotations), key=_in_order)
    drawn = draws(labels, count)
    return _mean([_mean([known[label] for label in majorities(some, key=_itself)]) for some in drawn])


def _majority_mark(annotations: Sequence[T], kind: _Kind[T, G], gold: G) -> Mark:
    """The expected mark of the majority: the mean over the tied."""
    return _mean([_mark(kind.score(annotation, gold)) for annotation in majorities(annotations, key=kind.key)])


def _matches(annotations: Sequence[T], kind: _Kind[T, G]) -> list[list[Mark]]:
    """For each annotation its marks against each of the others."""
    return [
        [_mark(kind.score(one, kind.alone(other))) for j, other in enumerate(annotations) if j != i]
        for i, one in enumerate(annotations)
    ]


def _mark(score: Score) -> Mark:
    return Mark(float(score.em), float(score.f1))


def _best(marks: Sequence[Mark], count: int) -> Mark:
    """The expected best of `count` of the marks, EM and F1 each."""
    return Mark(expected_best([mark.em for mark in marks], count), expected_best([mark.f1 for mark in marks], count))


def _mean(marks: Sequence[Mark]) -> Mark:
    """Summed exactly, so that the order of the annotations cannot show in the last digit, and never above the best."""
    em, f1 = [mark.em for mark in marks], [mark.f1 for mark in marks]
    return Mark(min(fmean(em), max(em)), min(fmean(f1), max(f1)))


def _itself(annotation: T) -> T:
    return annotation


def _whole(support: Support) -> Hashable:
    return frozenset(support)


def _in_order(key: Hashable) -> str:
    """A text to sort keys by that is the same in every run (a set's own order is not)."""
    return repr(sorted(map(repr, key))) if isinstance(key, frozenset) else repr(key)
