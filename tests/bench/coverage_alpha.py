"""How often 95 % intervals of Krippendorff's alpha hold the true alpha, from few items and many labels."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import fmean

from annotation.pure.statistics.distance_agreement import alpha
from tests.bench.bench import Bench, Result

DRAWS, LEAST = 1_500, 0.85  # below .9 only where few of few items have two equal responses
WORLDS = (  # labels, how often a worker knows an item's label, items
    (2, 0.7, 10), (2, 0.9, 30), (2, 0.0, 50), (4, 0.7, 20), (30, 0.6, 10), (30, 0.3, 20), (30, 0.0, 20), (30, 0.9, 20),
)  # fmt: skip


def coverage_of_alpha(labels: int, knows: float, items: int, *, draws: int, resamples: int = 999) -> Iterator[bool]:
    """Whether each printed interval holds the true alpha, which is `knows` squared: who does not know guesses."""
    for seed in range(draws):
        rng = Random(seed)
        units = []
        for _item in range(items):
            right = rng.randrange(labels)
            units.append({w: right if rng.random() < knows else rng.randrange(labels) for w in "abc"})
        figure = alpha(units, seed, resamples=resamples).figure
        if figure.low is not None and figure.high is not None:
            yield figure.low <= knows**2 <= figure.high


def coverage(bench: Bench) -> Iterator[Result]:
    """Coverage of three workers' alpha in each world."""
    for labels, knows, items in WORLDS:
        covered = list(coverage_of_alpha(labels, knows, items, draws=DRAWS))
        what = f"coverage of alpha, {labels} labels, {knows:g} known, {items} items, {len(covered)} of {DRAWS} printed"
        yield Result(what, fmean(covered), LEAST, unit="share", at_most=False)
