"""Whether the human DiRe row reads what is true: simulated people, with and without a need to connect paragraphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.metrics import HOTPOTQA
from annotation.pure.statistics.worker_intervals import Unit, crossed
from annotation.pure.studies.definition import read
from annotation.pure.studies.human_dire import Instance, Question, Response
from annotation.pure.studies.human_dire_report import dire_range, split_units
from annotation.pure.studies.plan import plan_of
from tests.bench.bench import Bench, Result
from tests.bench.filling import arms_of, unfilled

RUNS, QUESTIONS, PEOPLE, EACH = 2_000, 115, 60, 3
EASE, HARDNESS = 1.6, 1.0  # mean and SD of questions, in logits: .78 right in D
NEEDS = (0.0, 0.175)  # what of D needs connecting
SPREADS = (0.0, 0.6)  # SD of people, in logits
SURE, UNSURE = 90.0, 10.0
Chances = NDArray[np.float64]


def _logistic(x: Chances) -> Chances:
    return 1 / (1 + np.exp(-x))


@dataclass(frozen=True)
class World:
    """What is true: a respondent's chance in P(D) is that in D on a question harder by `shift` logits."""

    spread: float
    shift: float
    needs: float
    both_independent: float  # DiRe, if a respondent's answers in D and P(D) are independent given the question
    both_comonotone: float  # and if all who are right in P(D) are right in D


@cache
def world(needs: float, spread: float) -> World:
    """The world in which so much of D needs connecting, by quadrature."""
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    d = EASE + np.hypot(HARDNESS, spread) * points
    weights = weights / weights.sum()
    low, high = 0.0, 8.0
    for _step in range(60):
        middle = (low + high) / 2
        short = weights @ (_logistic(d) - _logistic(d - middle)) < needs
        low, high = (middle, high) if short else (low, middle)
    p = _logistic(d - low)
    return World(spread, low, needs, float(weights @ (_logistic(d) * p)), float(weights @ p))


@dataclass(frozen=True)
class Study:
    """Responses to questions with two supports, by question and response: D, the surer part of P(D), the other part.

    `surer_first`: whether the surer part is P(D)'s first.
    """

    workers: NDArray[np.int64]
    right: NDArray[np.bool_]
    surer_first: NDArray[np.bool_]


def study(rng: np.random.Generator, of: World) -> Study:
    """A draw of other questions and other people, each of whom meets a question once."""
    hard, able = rng.normal(EASE, HARDNESS, QUESTIONS), rng.normal(0, of.spread, PEOPLE)
    workers = np.argsort(rng.random((QUESTIONS, PEOPLE)), axis=1)[:, : 3 * EACH]
    logits = hard[:, None] + able[workers] - np.repeat([0.0, of.shift, of.shift + 2], EACH)
    return Study(workers, rng.random(logits.shape) < _logistic(logits), rng.random(QUESTIONS) < 0.5)


def as_questions(drawn: Study) -> list[Question]:
    """The draw as the product gets it."""
    return [_question(k, drawn) for k in range(QUESTIONS)]


def _question(k: int, drawn: Study) -> Question:
    supports = ("first", "second")

    def instance(part: int, kept: tuple[str, ...], sure: float) -> Instance:
        given = [
            Response(f"w{drawn.workers[k, j]}", "India" if drawn.right[k, j] else "Oman", frozenset(kept), sure)
            for j in range(EACH * part, EACH * (part + 1))
        ]
        return Instance(frozenset(kept), tuple(given))

    surer, other = supports if drawn.surer_first[k] else supports[::-1]
    pair = (instance(1, (surer,), SURE), instance(2, (other,), UNSURE))
    probe = pair if drawn.surer_first[k] else pair[::-1]
    arms = {"original": (instance(0, supports, SURE),), "probe": probe}
    return Question(f"q{k}", ("India",), frozenset(supports), HOTPOTQA, arms)


@dataclass(frozen=True)
class Found:
    """The rows of a draw, for the answer's exact match."""

    d_minus_p: Figure
    dire_range: Figure
    split: Figure | None


def rows(drawn: Study, *, seed: int | None = None) -> Found:
    """What the report says, computed without scoring texts; the split control only with a seed."""
    d, p = (_means(drawn, part) for part in (0, 1))
    unmoved = [{str(worker): one for worker in drawn.workers[k, 2 * EACH :]} for k, (one, _without) in enumerate(p)]
    units: dict[str, list[Unit]] = {"d": [], "p": [], "d_minus_p": [], "in_both": []}
    for (one, less_d), (other, less_p), same in zip(d, p, unmoved, strict=True):
        units["d"].append(Unit(one, less_d))
        units["p"].append(Unit(other, less_p | same))
        for name, sign, off in (("d_minus_p", -1, 0.0), ("in_both", 1, -1.0)):
            without = {w: x + sign * other + off for w, x in less_d.items()}
            without |= {w: one + sign * x + off for w, x in (less_p | same).items()}
            units[name].append(Unit(one + sign * other + off, without))
    figures = {name: crossed(some, least=0.0 if name in "dp" else -1.0) for name, some in units.items()}
    split = None if seed is None else crossed(_halves(drawn, seed), least=-1.0)
    return Found(figures["d_minus_p"], dire_range(figures["in_both"], figures["d"], figures["p"]), split)


def _means(drawn: Study, part: int) -> list[tuple[float, dict[str, float]]]:
    """For each question the rate of right responses in a part, and without each of its workers."""
    own = slice(EACH * part, EACH * (part + 1))
    right = drawn.right[:, own].astype(float)
    whole = right.mean(axis=1)
    less = (right.sum(axis=1, keepdims=True) - right) / (EACH - 1)
    workers = drawn.workers[:, own]
    return [
        (float(whole[k]), {str(w): float(x) for w, x in zip(workers[k], less[k], strict=True)})
        for k in range(QUESTIONS)
    ]


def _halves(drawn: Study, seed: int) -> list[Unit]:
    given = [
        {str(w): [float(x)] for w, x in zip(drawn.workers[k, :EACH], drawn.right[k, :EACH], strict=True)}
        for k in range(QUESTIONS)
    ]
    [units] = split_units(given, seed)
    return units


@dataclass(frozen=True)
class Covered:
    """Of the draws: the mean of D − P(D), and the shares whose intervals and ranges hold what is true."""

    mean: float
    covered: float
    excludes_zero: float
    independent: float
    comonotone: float
    split: float  # of the split control's intervals, those that hold 0; its mean is `split_mean`
    split_mean: float


def simulated(needs: float, spread: float, *, runs: int = RUNS, seed: int = 0, splits: bool = True) -> Covered:
    """So many studies of a world, through the report's own functions."""
    of, rng = world(needs, spread), np.random.default_rng([seed, int(1000 * needs), int(1000 * spread)])
    found = [rows(study(rng, of), seed=run if splits else None) for run in range(runs)]
    halves = [each.split for each in found if each.split]
    return Covered(
        mean=float(np.mean([each.d_minus_p.value for each in found])),
        covered=_share(found, lambda each: _holds(each.d_minus_p, of.needs)),
        excludes_zero=_share(found, lambda each: not _holds(each.d_minus_p, 0.0)),
        independent=_share(found, lambda each: _holds(each.dire_range, of.both_independent)),
        comonotone=_share(found, lambda each: _holds(each.dire_range, of.both_comonotone)),
        split=float(np.mean([_holds(each, 0.0) for each in halves])) if halves else 0.0,
        split_mean=float(np.mean([each.value for each in halves])) if halves else 0.0,
    )


def _share(found: list[Found], held: Callable[[Found], bool]) -> float:
    return float(np.mean([held(each) for each in found]))


def _holds(figure: Figure, truth: float) -> bool:
    return figure.low is not None and figure.high is not None and figure.low <= truth <= figure.high


def coverage(_bench: Bench) -> Iterator[Result]:
    """D − P(D) of people and the range of their DiRe, where nothing needs connecting and where 17.5 points do."""
    for needs in NEEDS:
        for spread in SPREADS:
            found = simulated(needs, spread)
            what = f"D - P(D) of {100 * needs:g} points, people's SD {spread:g}"
            yield Result(f"{what}: mean off the truth", 100 * abs(found.mean - needs), 0.5, unit="points")
            yield Result(f"{what}: coverage", found.covered, 0.93, unit="share", at_most=False)
            yield Result(f"{what}: coverage", found.covered, 0.99, unit="share")
            if needs:
                yield Result(f"{what}: excludes 0", found.excludes_zero, 0.95, unit="share", at_most=False)
            for words, held in (("independent", found.independent), ("comonotone", found.comonotone)):
                yield Result(f"{what}: range, {words}", held, 0.95, unit="share", at_most=False)
            yield Result(f"{what}: split control holds 0", found.split, 0.95, unit="share", at_most=False)
            yield Result(f"{what}: mean of the split control", 100 * abs(found.split_mean), 0.1, unit="points")
    for at_once, words in ((True, "at once"), (False, "one after the other")):
        yield Result(f"left open by the plan's workers, {words}", float(most_open(at_once=at_once)), 0, unit="of 3,450")


def most_open(*, at_once: bool, orders: int = 200) -> int:
    """The most assignments that the plan's workers leave open, in so many orders."""
    study = read((Path(__file__).parents[2] / "studies" / "human-dire" / "study.yaml").read_text(encoding="utf-8"))
    plan = plan_of(study, lambda _task: (EACH, True))
    return max(
        unfilled(arms_of(study, plan, QUESTIONS), plan.workers, seed=seed, at_once=at_once) for seed in range(orders)
    )
