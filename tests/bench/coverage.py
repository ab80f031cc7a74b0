"""How often 95 % intervals hold the figure of the people whom they are about, in simulated studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from annotation.pure.statistics.intervals import bootstrap_figure
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response, over_workers
from tests.bench import (
    coverage_alpha,
    coverage_arms,
    coverage_compare,
    coverage_dire,
    coverage_models,
    coverage_ratings,
)
from tests.bench.bench import Bench, Result

RUNS, ITEMS, EACH = 2_000, 125, 3
WORKERS = (LEAST_WORKERS, 10, 20)
SPREADS = (0.056, 0.11, 0.177)  # SD of workers' accuracy
ACCURACY, HARDNESS = 0.8, 0.15  # mean accuracy, SD of what an item takes off or adds


@dataclass(frozen=True)
class Covered:
    """Shares of runs whose interval holds the true figure, and how much wider the one over workers is."""

    items: float
    workers: float
    wider: float


def simulated(workers: int, spread: float, *, even: bool, runs: int = RUNS, seed: int = 0) -> Covered:
    """Studies of 125 items with 3 answers each; `even`: all workers take as many, else as 1, 1/2, 1/3, ..."""
    rng = np.random.default_rng([seed, workers, int(1000 * spread), even])
    truth, held, widths = _truth(spread), [0, 0], [0.0, 0.0]
    for run in range(runs):
        rows = list(_study(rng, workers, spread, even=even))
        means = np.array([row.value for row in rows]).reshape(ITEMS, EACH).mean(axis=1)
        figures = (bootstrap_figure(list(means), run, resamples=499), over_workers(rows))
        for k, found in enumerate(figures):
            if found.low is None or found.high is None:
                continue
            held[k] += found.low <= truth <= found.high
            widths[k] += found.high - found.low
    return Covered(held[0] / runs, held[1] / runs, widths[1] / widths[0])


def _study(rng: np.random.Generator, workers: int, spread: float, *, even: bool) -> Iterator[Response]:
    able, hard = rng.normal(ACCURACY, spread, workers), rng.normal(0, HARDNESS, ITEMS)
    shares = np.zeros(workers) if even else -np.log(np.arange(1, workers + 1))
    taken = np.argsort(-(shares + rng.gumbel(size=(ITEMS, workers))), axis=1)[:, :EACH]
    right = rng.random((ITEMS, EACH)) < np.clip(able[taken] + hard[:, None], 0, 1)
    for item in range(ITEMS):
        for worker, is_right in zip(taken[item], right[item], strict=True):
            yield Response(item, str(worker), float(is_right))


@cache
def _truth(spread: float) -> float:
    """The accuracy of all workers on all items."""
    drawn = np.random.default_rng(99).normal(ACCURACY, np.hypot(spread, HARDNESS), 2_000_000)
    return float(np.clip(drawn, 0, 1).mean())


def coverage(bench: Bench) -> Iterator[Result]:
    """How often 95 % intervals hold the figure of people in general: over items alone, over workers and items."""
    for workers in (3, *WORKERS):
        found = simulated(workers, 0.11, even=True)
        print(f"       {workers} workers, SD .11, over items alone: {found.items:.3f}")
    for workers in WORKERS:
        for even, words in ((True, "even shares"), (False, "uneven shares")):
            for spread in SPREADS:
                found = simulated(workers, spread, even=even)
                what = f"coverage over workers and items, {workers} workers, {words}, SD {spread:g}"
                yield Result(what, found.workers, 0.90, unit="share", at_most=False)
            alike = simulated(workers, 0.0, even=even)
            what = f"coverage, {workers} workers all alike, {words}"
            yield Result(what, alike.workers, 0.93, unit="share", at_most=False)
            yield Result(f"width against over items alone, {workers} alike, {words}", alike.wider, 1.45)
    yield from coverage_alpha.coverage(bench)
    yield from coverage_dire.coverage(bench)
    yield from coverage_arms.coverage(bench)
    yield from coverage_compare.coverage(bench)
    yield from coverage_ratings.coverage(bench)
    yield from coverage_models.coverage(bench)
