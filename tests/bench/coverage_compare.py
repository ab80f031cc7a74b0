"""How often two runs of the same study are called different, and how often a real difference is found.

Both runs have workers of their own and, unless said otherwise, questions of their own, drawn from the same people and
the same questions. The second is known by its value and n alone, as a paper is. Many runs are simulated at once, by a
twin of the product's functions that tests/pure/test_coverage_compare.py shows to be equal to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from statistics import NormalDist, fmean

import numpy as np

from annotation.pure.numeric import Floats, Integers
from annotation.pure.reports.human_scores import majority_chance
from annotation.pure.statistics.significance import contrast
from annotation.pure.statistics.worker_intervals import Unit, label_units, two_sided
from tests.bench.bench import Bench, Result

DRAWS, AT_ONCE, CONTRASTS, ITEMS, EACH = 4_000, 200, 1_000, 125, 3
WORKERS = (7, 15)
SPREADS = (0.0, 0.3, 0.6, 1.0)  # SD of workers, in logits
ABILITY, HARDNESS = 1.6, 1.0  # mean and SD of questions, in logits: .79 of single responses are right
GOAL, APART, FAMILY, LEVEL = 0.06, 0.3, 10, 0.95
SINGLES, MAJORITY = "singles", "majority"


@dataclass(frozen=True)
class Runs:
    """Runs of a study: each question's workers and which of them are right, (draws × items × EACH)."""

    workers: Integers
    right: Floats


def drawn(rng: np.random.Generator, able: Floats, hard: Floats | None = None, *, ability: float = ABILITY) -> Runs:
    """Questions of their own (or so hard), each answered by EACH of the workers; `able`: draws × workers."""
    draws, workers = able.shape
    if hard is None:
        hard = rng.normal(0, HARDNESS, (draws, ITEMS))
    taken = np.argsort(rng.random((draws, hard.shape[1], workers)), axis=2)[:, :, :EACH]
    logits = ability + hard[:, :, None] + able[np.arange(draws)[:, None, None], taken]
    return Runs(taken, (rng.random(taken.shape) < 1 / (1 + np.exp(-logits))).astype(float))


def units(runs: Runs, draw: int, measure: str) -> list[Unit]:
    """The product's units of one run: of the mean of single responses, or of the majority's chance to be right."""
    rows = zip(runs.workers[draw].tolist(), runs.right[draw].tolist(), strict=True)
    labels = (dict(zip(map(str, who), right, strict=True)) for who, right in rows)
    return list(label_units(labels, _majority if measure == MAJORITY else fmean))


def _majority(labels: list[float]) -> float:
    return majority_chance(labels, 1.0)


@dataclass(frozen=True)
class Spreads:
    """Values with their standard errors and degrees of freedom, one a draw: the twin of `Spread`."""

    value: Floats
    error: Floats
    degrees: int


def spreads(runs: Runs, workers: int, measure: str) -> Spreads:
    """The twin of `spread(units(...))`."""
    total, n = runs.right.sum(axis=2), runs.right.shape[1]
    if measure == MAJORITY:  # of three: without one, half if the others differ
        values, without = (total >= 2).astype(float), (total[:, :, None] - runs.right) / 2
    else:
        values, without = total / EACH, (total[:, :, None] - runs.right) / (EACH - 1)
    shares = values[:, :, None] - without
    shares -= shares.mean(axis=(1, 2), keepdims=True)
    place = (np.arange(len(total))[:, None, None] * workers + runs.workers).ravel()
    by_worker = np.bincount(place, shares.ravel(), len(total) * workers).reshape(len(total), workers)
    value = values.mean(axis=1)
    of_items = ((values - value[:, None]) ** 2).sum(axis=1) * n / (n - 1)
    of_workers = (by_worker**2).sum(axis=1) * workers / (workers - 1)
    variance = np.maximum(of_items + of_workers - (shares**2).sum(axis=(1, 2)), of_items) / n**2
    error = np.where(np.ptp(values, axis=1) > 0, np.sqrt(variance), 0.0)
    return Spreads(value, error, min(n, workers) - 1)


def _wilson(value: Floats, n: int, level: float) -> tuple[Floats, Floats]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle, half = value + z * z / (2 * n), z * np.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def different(own: Spreads, theirs: Floats, level: float, n: int = ITEMS) -> np.ndarray:
    """The twin of whether the interval of ours minus a paper's value excludes 0; never where all are equal."""
    half = two_sided(level, own.degrees) * own.error
    k = half**2 / np.maximum(own.value * (1 - own.value), 1e-12)
    middle, reach = (own.value + k / 2) / (1 + k), np.sqrt(half**2 + k**2 / 4) / (1 + k)
    low = np.maximum(0, np.minimum(own.value - half, middle - reach))
    high = np.minimum(1, np.maximum(own.value + half, middle + reach))
    ours = np.subtract(*_wilson(own.value, n, level)[::-1])
    stretch = np.maximum(1, 2 * half / ours)
    low_end, high_end = _wilson(theirs, n, level)
    below = theirs - np.maximum(0, theirs - stretch * (theirs - low_end))
    above = np.minimum(1, theirs + stretch * (high_end - theirs)) - theirs
    apart = own.value - theirs
    excludes = (apart > np.hypot(own.value - low, above)) | (-apart > np.hypot(high - own.value, below))
    return excludes & (own.error > 0)


def called(
    draws: int, workers: int, sd: float, measure: str, *, family: int = 1, lower: float = 0.0, items_only: bool = False
) -> tuple[float, float]:
    """Shares of draws in which any figure of a family is called different, and in which its first is.

    All of a run's figures are of the same workers. Holm's procedure calls one different if and only if the interval at
    its first level excludes 0 for one. `lower`: by how much the first is truly lower than the paper's; `items_only`:
    as if workers were all alike, which is what intervals over items say.
    """
    rng = np.random.default_rng([workers, int(100 * sd), measure == MAJORITY, family, int(100 * lower)])
    level, some, first = 1 - (1 - LEVEL) / family, 0, 0
    for _start in range(0, draws, AT_ONCE):
        ours, theirs = (rng.normal(0, sd, (AT_ONCE, workers)) for _run in range(2))
        told = []
        for place in range(family):
            ability = shifted(sd, lower) if lower and not place else ABILITY
            own = spreads(drawn(rng, ours, ability=ability), workers, measure)
            if items_only:
                own = replace(own, error=np.sqrt(own.value * (1 - own.value) / ITEMS), degrees=10**6)
            told.append(different(own, spreads(drawn(rng, theirs), workers, measure).value, level))
        some += int(np.any(told, axis=0).sum())
        first += int(told[0].sum())
    return some / draws, first / draws


@cache
def shifted(sd: float, lower: float) -> float:
    """The ability at which single responses are right less often by so much."""
    noise = np.random.default_rng(0).normal(0, np.hypot(sd, HARDNESS), 100_000)
    abilities = np.linspace(-2, ABILITY, 181)
    rates = np.array([np.mean(1 / (1 + np.exp(-(one + noise)))) for one in abilities])
    return float(abilities[np.argmin(np.abs(rates - (rates[-1] - lower)))])


def contrasted(draws: int, workers: int, sd: float, measure: str, *, same_people: bool) -> float:
    """The share of draws in which two batches that share questions (or only people) are called different."""
    rng = np.random.default_rng([workers, int(100 * sd), same_people])
    able = rng.normal(0, sd, (draws, workers))
    hard = None if same_people else rng.normal(0, HARDNESS, (draws, ITEMS))
    first, second = drawn(rng, able, hard), drawn(rng, able if same_people else rng.normal(0, sd, able.shape), hard)
    false = 0
    for draw in range(draws):
        one, two = (dict(enumerate(units(runs, draw, measure))) for runs in (first, second))
        if same_people:
            found = contrast(one, {f"x{key}": unit for key, unit in two.items()})
        else:
            found = contrast(one, {key: _renamed(unit) for key, unit in two.items()})
        figure = found.figure() if found else None
        false += figure is not None and not (figure.low or 0) <= 0 <= (figure.high or 0)
    return false / draws


def _renamed(unit: Unit) -> Unit:
    return Unit(unit.value, {f"other {worker}": value for worker, value in unit.without.items()})


def coverage(bench: Bench) -> Iterator[Result]:
    """False conclusions of one figure and of a family of ten, their power, and false differences of batches."""
    for workers in WORKERS:
        for measure in (SINGLES, MAJORITY):
            for sd in SPREADS:
                what = f"{workers} people, {measure}, SD {sd:g}"
                one, _first = called(DRAWS, workers, sd, measure)
                ten, _first = called(DRAWS, workers, sd, measure, family=FAMILY)
                _some, power = called(DRAWS // 4, workers, sd, measure, family=FAMILY, lower=APART)
                yield Result(f"false, {what}", one, GOAL, unit="share")
                yield Result(f"any false of ten, {what}", ten, GOAL, unit="share")
                print(f"       one of ten 30 points off is found, {what}: {power:.3f}")
            items, _first = called(DRAWS, workers, 1.0, measure, items_only=True)
            print(f"       false over items alone, {workers} people, {measure}, SD 1: {items:.3f}")
            for same_people in (False, True):
                what = f"sharing {'people' if same_people else 'questions'}, {workers} people, {measure}, SD 0.6"
                found = contrasted(CONTRASTS, workers, 0.6, measure, same_people=same_people)
                yield Result(f"false, batches {what}", found, GOAL, unit="share")
