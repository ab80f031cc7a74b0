"""How often 95 % intervals of ratings hold the truth: shares of elements, ordinal alpha, win rates, strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

import numpy as np

from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.ordered_agreement import alpha_of_numbers
from annotation.pure.statistics.preferences import Preference, ranks_of_best, strengths, system_shares
from annotation.pure.statistics.ratings import Estimate, Rating, rating_shares, units_of
from tests.bench.bench import Bench, Result

DRAWS, EACH = 1_000, 3  # studies, workers of an item
LEAST = {"workers and items": 0.90, "items": 0.90}
Held = Iterator[tuple[str, bool]]  # what an interval is of, and whether it holds the truth


def shares_of_elements(rng: np.random.Generator, *, items: int, workers: int) -> Held:
    """Easy items have six elements and hard ones two: .74 of the elements are right, and .70 of an item's on average.

    People differ by up to .1, items by up to .16, evenly.
    """
    able, easy = rng.uniform(-0.1, 0.1, workers), rng.uniform(-0.16, 0.16, items)
    ratings = [
        Rating(item, str(worker), bool(rng.random() < 0.7 + easy[item] + able[worker]), element)
        for item in range(items)
        for worker in _some(rng, workers)
        for element in range(6 if easy[item] > 0 else 2)
    ]
    [found] = rating_shares(ratings, lambda right: [float(right)], 1)
    yield "share of elements", _holds(_general(found.of_elements), 0.7 + 0.08 * (6 - 2) / (6 + 2))
    yield "mean of items' shares", _holds(_general(found.of_items), 0.7)


def win_rate(rng: np.random.Generator, *, items: int, workers: int) -> Held:
    """One of two systems wins .55 of its comparisons and ties in .2; people and items differ by up to .15 and .25."""
    able, easy = rng.uniform(-0.15, 0.15, workers), rng.uniform(-0.25, 0.25, items)
    preferences = []
    for item in range(items):
        for worker in _some(rng, workers):
            drawn = rng.random()
            wins = 0.45 + easy[item] + able[worker]
            chosen = None if drawn < 0.2 else "a" if drawn < 0.2 + wins * 0.8 else "b"
            preferences.append(Preference(item, str(worker), ranks_of_best(chosen, "ab")))
    truth = 0.1 + 0.45 * 0.8
    shares = system_shares(preferences, 1)
    yield "win rate", _holds(_general(shares["a"].win_rate.of_elements), truth)
    yield "share of the first place", _holds(_general(shares["b"].first_place.of_elements), 1 - truth)


def strength(rng: np.random.Generator, *, items: int, workers: int) -> Held:
    """Four systems, two of them an item, half of the workers repeat what the one before said; ties with odds .5."""
    truth = dict(zip("abcd", (-0.9, -0.2, 0.3, 0.8), strict=True))
    preferences = []
    for item in range(items):
        one, other = rng.choice(list(truth), 2, replace=False).tolist()
        chosen: str | None = None
        for place, worker in enumerate(_some(rng, workers)):
            if place == 0 or rng.random() < 0.5:
                odds = np.array([np.exp((truth[one] - truth[other]) / 2), np.exp((truth[other] - truth[one]) / 2), 0.5])
                chosen = [one, other, None][rng.choice(3, p=odds / odds.sum())]
            preferences.append(Preference(item, str(worker), ranks_of_best(chosen, (one, other))))
    found = strengths(preferences, int(rng.integers(2**31)), resamples=499)
    if found is not None:
        for system, value in truth.items():
            yield "strength", _holds(found.figures[system], value)


def ordinal_alpha(rng: np.random.Generator, *, items: int, workers: int) -> Held:
    """Three elements an item on five points, of which the upper ones are rare; a careless worker rates at random."""
    points, rare = np.arange(5), np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    ratings = [
        Rating(item, str(worker), int(right if rng.random() < KNOWS else rng.choice(points, p=rare)), element)
        for item in range(items)
        for element in range(3)
        for right in [rng.choice(points, p=rare)]
        for worker in _some(rng, workers)
    ]
    units, clusters = units_of(ratings)
    found = alpha_of_numbers(units, int(rng.integers(2**31)), ordinal=True, clusters=clusters, resamples=499)
    yield "ordinal alpha", _holds(found.figure, KNOWS**2)


KNOWS = 0.8
World = Callable[..., Held]
WORLDS: tuple[tuple[World, str, int, int], ...] = (
    (shares_of_elements, "workers and items", 60, 7),
    (shares_of_elements, "workers and items", 125, 15),
    (win_rate, "workers and items", 60, 7),
    (win_rate, "workers and items", 125, 15),
    (strength, "items", 60, 9),
    (strength, "items", 200, 9),
    (ordinal_alpha, "items", 30, 9),
    (ordinal_alpha, "items", 100, 9),
)


def coverage_of_ratings(world: World, *, items: int, workers: int, draws: int) -> dict[str, list[bool]]:
    """Of each kind of figure, whether each interval that is given holds the truth."""
    held: dict[str, list[bool]] = {}
    for seed in range(draws):
        for what, holds in world(np.random.default_rng([seed, items]), items=items, workers=workers):
            held.setdefault(what, []).append(holds)
    return held


def _some(rng: np.random.Generator, workers: int) -> list[int]:
    found: list[int] = rng.choice(workers, EACH, replace=False).tolist()
    return found


def _general(estimate: Estimate) -> Figure:
    assert estimate.spread is not None
    return estimate.spread.figure()


def _holds(figure: Figure, truth: float) -> bool:
    return figure.low is not None and figure.high is not None and figure.low <= truth <= figure.high


def coverage(bench: Bench) -> Iterator[Result]:
    """Coverage of the figures of each world; an interval that is not given counts as one that misses."""
    for world, over, items, workers in WORLDS:
        for what, held in coverage_of_ratings(world, items=items, workers=workers, draws=DRAWS).items():
            words = f"coverage of {what} over {over}, {items} items, {workers} workers"
            yield Result(words, fmean(held), LEAST[over], unit="share", at_most=False)
