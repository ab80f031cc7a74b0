"""How often figures of people and a model are right: PPI++, unequal draws, the alternative annotator test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from annotation.pure.statistics.alternative_annotator import alternative_annotator
from annotation.pure.statistics.people_and_model import Sample, estimate
from annotation.pure.statistics.unequal_draw import draw, inclusion_chances, uncertainty
from tests.bench.bench import Bench, Result

DRAWS = 4_000
MODELS = {  # share of the label, shares of it and of the others that the model gets wrong
    "good": (0.4, 0.1, 0.1),
    "useless": (0.4, 0.5, 0.5),
    "one-sided": (0.4, 0.0, 0.3),
    "rare label": (0.05, 0.1, 0.03),
    "1 % wrong": (0.4, 0.01, 0.01),
}
PEOPLE = ((3, 0.0, 0.925), (10, 0.6, 0.93), (20, 0.6, 0.925))  # number, SD of their logits, goal
SIZES = ((50, 1_000), (200, 5_000), (400, 20_000))  # judged, others
ERROR = 0.05  # of an average person
WORSE_BY_EPSILON = 0.8 - 0.1 / 0.6  # see `passes`


@dataclass(frozen=True)
class World:
    """A model, the people and how many items they judged, one response an item."""

    model: str
    people: int
    spread: float
    judged: int
    others: int

    @property
    def truth(self) -> float:
        """The share of the label that people in general see."""
        share, right = MODELS[self.model][0], _accuracy(self.spread)
        return share * right + (1 - share) * (1 - right)

    def holds(self, seed: int) -> bool:
        """Whether the printed interval of one study holds the truth."""
        rng = np.random.default_rng([seed, self.judged, self.people])
        share, missed, invented = MODELS[self.model]
        is_so = rng.random(self.judged + self.others) < share
        said = np.where(is_so, rng.random(is_so.size) >= missed, rng.random(is_so.size) < invented).astype(float)
        worker = rng.integers(0, self.people, self.judged)
        able = rng.normal(0, self.spread, self.people)[worker]
        right = rng.random(self.judged) < _logistic(np.log((1 - ERROR) / ERROR) + able)
        values = np.where(right, is_so[: self.judged], ~is_so[: self.judged]).astype(float)
        codes = np.unique(worker, return_inverse=True)[1]
        sample = Sample(values, np.arange(self.judged), codes, said[: self.judged], said[self.judged :])
        printed = estimate(sample).printed
        assert printed.low is not None
        assert printed.high is not None
        return bool(printed.low <= self.truth <= printed.high)


def held(world: World, *, draws: int) -> float:
    """The share of studies whose printed interval holds the truth."""
    return sum(world.holds(seed) for seed in range(draws)) / draws


def mean_error_when_drawn_by_confidence(*, draws: int, judged: int = 300, items: int = 1_000) -> tuple[float, float]:
    """The mean error of a share of .5, in points, and its Monte-Carlo error; a model as sure as it is right."""
    rng, found = np.random.default_rng(7), []
    for seed in range(draws):
        sure = rng.uniform(0.5, 1, items)
        said = (rng.random(items) < 0.5).astype(float)
        values = np.where(rng.random(items) < sure, said, 1 - said)
        chances = inclusion_chances([uncertainty(one) for one in sure], judged)
        seen = np.array(draw(chances, seed))
        rest = np.ones(items, bool)
        rest[seen] = False
        at, workers = np.arange(judged), np.arange(judged) % 3
        sample = Sample(values[seen], at, workers, said[seen], said[rest], np.array(chances)[seen])
        found.append(100 * (estimate(sample).printed.value - 0.5))
    return float(np.mean(found)), float(np.std(found) / np.sqrt(draws))


def passes(*, model: float, draws: int, people: int = 3, items: int = 100, person: float = 0.8) -> float:
    """How often a model that is right with this chance passes the test (ω from .5 on, ε .1) with people of .8.

    People and model err independently, so with two others the person's lead is (2 · .8 - 1) · (.8 - model): the model
    is worse by exactly ε at .8 - .1 / .6.
    """
    passed = 0
    for seed in range(draws):
        rng = np.random.default_rng([seed, int(1000 * model)])
        said = {str(k): dict(enumerate((rng.random(items) < person).tolist())) for k in range(people)}
        found = alternative_annotator(said, dict(enumerate((rng.random(items) < model).tolist())), epsilon=0.1)
        passed += found.winning_rate is not None and found.winning_rate >= 0.5
    return passed / draws


def coverage(_bench: Bench) -> Iterator[Result]:
    """PPI++ as it is printed, each model and size; the weighted draw has no error in the mean; false passes."""
    worse = passes(model=WORSE_BY_EPSILON, draws=DRAWS)
    yield Result("a model that is worse by ε passes the alternative annotator test", worse, 0.05, unit="share")
    print(f"       a model as good as people passes it in {passes(model=0.8, draws=DRAWS // 4):.3f}")
    for people, spread, goal in PEOPLE:
        for judged, others in SIZES:
            for model in MODELS:
                share = held(World(model, people, spread, judged, others), draws=DRAWS)
                what = f"coverage of people and a model ({model}), {judged} of {judged + others} judged by {people}"
                yield Result(f"{what}, SD {spread:g}", share, goal, unit="share", at_most=False)
    error, least = mean_error_when_drawn_by_confidence(draws=DRAWS // 2)
    yield Result("mean error of items drawn by confidence, points", abs(error), max(0.1, 3 * least))


def _logistic(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-odds)))


@cache
def _accuracy(spread: float) -> float:
    drawn = np.random.default_rng(99).normal(np.log((1 - ERROR) / ERROR), spread, 1_000_000)
    return float(_logistic(drawn).mean())
