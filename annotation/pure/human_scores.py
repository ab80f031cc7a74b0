"""How well people do on a question: human score, upper bound, agreement and the average annotator.

MuSiQue's protocol (Trivedi et al. 2022, §6.1), made deterministic: where the paper draws at random, between
tied majorities or for the annotation to leave out, the expected value is reported. Every function takes the
annotations of one question and is blind to their order; means over questions are for `intervals`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

import numpy as np

from annotation.pure.intervals import RESAMPLES, Figure, bootstrap_figures
from annotation.pure.metrics import Score, Scorer

RULE = "majority-expected/1"  # goes beside the figures; a change of any definition here is a new number
MEASURES = ("human_score", "upper_bound", "agreement", "average")  # "pairwise_agreement" on request
PARTS = ("em", "f1")

Support = Collection[Hashable]
T = TypeVar("T")
G = TypeVar("G")


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

    `agreement` is the expected best match of one annotation among the others (the paper's);
    `pairwise_agreement`, the mean over all pairs, is stricter.
    """

    annotations: int
    human_score: Mark | None
    upper_bound: Mark | None
    average: Mark | None
    agreement: Mark | None
    pairwise_agreement: Mark | None

    def cells(self, measures: Sequence[str] = MEASURES) -> list[float]:
        """EM and F1 of each measure in turn, as a row of `intervals.bootstrap_figures`; nan for None."""
        marks: list[Mark | None] = [getattr(self, measure) for measure in measures]
        return [math.nan if mark is None else getattr(mark, part) for mark in marks for part in PARTS]


def figure_table(
    questions: Sequence[QuestionScores],
    seed: int,
    *,
    measures: Sequence[str] = MEASURES,
    resamples: int = RESAMPLES,
) -> dict[str, dict[str, Figure]]:
    """{measure: {"em": Figure, "f1": Figure}} over questions; undefined ones are left out and n says so."""
    width = len(measures) * len(PARTS)
    matrix = np.array([q.cells(measures) for q in questions], dtype=np.float64).reshape(-1, width)
    figures = iter(bootstrap_figures(matrix, seed, resamples=resamples))
    return {measure: {part: next(figures) for part in PARTS} for measure in measures}


def question_scores(answers: Sequence[str], gold: Sequence[str] | None, *, scorer: Scorer) -> QuestionScores:
    """The answers people gave to one question, against the answer and its aliases (None: no gold).

    "No answer" is the answer "". Raises ValueError without annotations.
    """
    right = None if gold is None else tuple(gold)
    return _question(answers, key=scorer.key, score=scorer.answer, gold=right, alone=_alone)


def support_scores(supports: Sequence[Support], gold: Support | None, *, scorer: Scorer) -> QuestionScores:
    """The supports people marked, against the gold set; majority by the whole set, as in the paper."""
    return _question(supports, key=_whole, score=scorer.support, gold=gold, alone=_itself)


def random_human_score(answers: Sequence[str], gold: Sequence[str], *, scorer: Scorer, rng: Random) -> Mark:
    """The paper's own human score: a tie is broken by chance. For comparison with published figures."""
    return _mark(scorer.answer(rng.choice(majorities(answers, key=scorer.key)), gold))


def random_support_score(supports: Sequence[Support], gold: Support, *, scorer: Scorer, rng: Random) -> Mark:
    """As `random_human_score`, for the support."""
    return _mark(scorer.support(rng.choice(majorities(supports, key=_whole)), gold))


def paragraph_majority_score(supports: Sequence[Support], gold: Support, *, scorer: Scorer) -> Mark:
    """Support voted paragraph by paragraph instead of by whole set; a paragraph that half of the
    annotators marked is in or out with equal chance, and the expected value over these is returned.
    """
    votes = Counter(place for support in supports for place in set(support))
    chosen = {place for place, count in votes.items() if 2 * count > len(supports)}
    tied = [place for place, count in votes.items() if 2 * count == len(supports)]
    open_gold = [place for place in tied if place in gold]
    open_other = [place for place in tied if place not in gold]
    ems, f1s = [], []
    for right in range(len(open_gold) + 1):
        for wrong in range(len(open_other) + 1):
            weight = math.comb(len(open_gold), right) * math.comb(len(open_other), wrong)
            score = scorer.support(chosen | {*open_gold[:right]} | {*open_other[:wrong]}, gold)
            ems.append(weight * score.em)
            f1s.append(weight * score.f1)
    ways = 2 ** len(tied)
    return Mark(math.fsum(ems) / ways, math.fsum(f1s) / ways)


def majorities(annotations: Sequence[T], *, key: Callable[[T], Hashable]) -> list[T]:
    """One annotation of each of the most frequent classes, in an order that does not depend on who
    answered first. ValueError without annotations.
    """
    if not annotations:
        raise ValueError("a question without annotations has no majority")
    classes: dict[Hashable, list[T]] = {}
    for annotation in annotations:
        classes.setdefault(key(annotation), []).append(annotation)
    most = max(map(len, classes.values()))
    tied = [(found, members[0]) for found, members in classes.items() if len(members) == most]
    return [member for _, member in sorted(tied, key=_in_order)] if len(tied) > 1 else [tied[0][1]]


def majority_chance(labels: Sequence[Hashable], right: Hashable) -> float:
    """The chance that the majority label is the right one, ties broken by chance."""
    tied = majorities(labels, key=_itself)
    return 1 / len(tied) if right in tied else 0.0


@dataclass(frozen=True, slots=True)
class PairScores:
    """A MuSiQue-Full pair by people. `answerability`: the chance that both majority labels are right."""

    answer: Mark
    support: Mark
    answerability: float


def pair_scores(
    answerable: Sequence[tuple[str, Support]],
    contrast: Sequence[str],
    *,
    gold: Sequence[str],
    gold_support: Support,
    scorer: Scorer,
) -> PairScores:
    """(answer, support) annotations of the answerable twin and the answers to its contrast, "" for
    "cannot be answered": 0 when a label is wrong, else the human score on the answerable twin among those
    who called it answerable; expected over tied labels.
    """
    attempts = [(text, support) for text, support in answerable if text.strip()]
    called = [bool(text.strip()) for text, _ in answerable]
    refused = [bool(text.strip()) for text in contrast]
    chance = majority_chance(called, True) * majority_chance(refused, False)
    if not attempts:
        return PairScores(Mark(0.0, 0.0), Mark(0.0, 0.0), chance)
    answers, supports = zip(*attempts, strict=True)
    answer = _majority_mark(answers, key=scorer.key, score=scorer.answer, gold=tuple(gold))
    support = _majority_mark(supports, key=_whole, score=scorer.support, gold=gold_support)
    return PairScores(answer.times(chance), support.times(chance), chance)


def group_score(labels: Iterable[tuple[Sequence[Hashable], Hashable]], sufficient: Mark | None) -> Mark:
    """A group of instances judged by people: (labels given, right label) of each instance, and the human
    score on the sufficient one among those who called it sufficient (None: nobody did, which scores 0).
    """
    if sufficient is None:
        return Mark(0.0, 0.0)
    return sufficient.times(math.prod(majority_chance(given, right) for given, right in labels))


def _question(
    annotations: Sequence[T],
    *,
    key: Callable[[T], Hashable],
    score: Callable[[T, G], Score],
    gold: G | None,
    alone: Callable[[T], G],
) -> QuestionScores:
    """`alone` makes of one annotation what `score` takes as gold, to score annotators on each other."""
    if not annotations:
        raise ValueError("a question without annotations has no scores")
    human = upper = average = agreement = pairwise = None
    if gold is not None:
        marks = [_mark(score(annotation, gold)) for annotation in annotations]
        human = _majority_mark(annotations, key=key, score=score, gold=gold)
        upper, average = _best(marks), _mean(marks)
    if len(annotations) > 1:
        rows = _matches(annotations, score=score, alone=alone)
        agreement = _mean([_best(row) for row in rows])
        pairwise = _mean([mark for row in rows for mark in row])
    return QuestionScores(len(annotations), human, upper, average, agreement, pairwise)


def _majority_mark(
    annotations: Sequence[T], *, key: Callable[[T], Hashable], score: Callable[[T, G], Score], gold: G
) -> Mark:
    """The expected mark of the majority: the mean over the tied."""
    return _mean([_mark(score(annotation, gold)) for annotation in majorities(annotations, key=key)])


def _matches(annotations: Sequence[T], *, score: Callable[[T, G], Score], alone: Callable[[T], G]) -> list[list[Mark]]:
    """For each annotation its marks against each of the others."""
    return [
        [_mark(score(one, alone(other))) for j, other in enumerate(annotations) if j != i]
        for i, one in enumerate(annotations)
    ]


def _mark(score: Score) -> Mark:
    return Mark(float(score.em), float(score.f1))


def _best(marks: Sequence[Mark]) -> Mark:
    return Mark(max(mark.em for mark in marks), max(mark.f1 for mark in marks))


def _mean(marks: Sequence[Mark]) -> Mark:
    """Summed exactly, so that the order of the annotations cannot show in the last digit."""
    n = len(marks)
    return Mark(math.fsum(mark.em for mark in marks) / n, math.fsum(mark.f1 for mark in marks) / n)


def _itself(annotation: T) -> T:
    return annotation


def _whole(support: Support) -> Hashable:
    return frozenset(support)


def _alone(answer: str) -> tuple[str, ...]:
    return (answer,)


def _in_order(tie: tuple[Hashable, object]) -> str:
    """A text to sort keys by that is the same in every run (a set's own order is not)."""
    key = tie[0]
    return repr(sorted(map(repr, key))) if isinstance(key, frozenset) else repr(key)
