"""Expected outcome of a pass mark: how many workers pass, and their true rates with an interval.

Workers selected for a high score were also lucky, so scores are shrunk towards the round's distribution (empirical
Bayes): a worker's true rate is drawn from a beta distribution, and n items give k ~ binomial(n, rate). The beta's
mean and weight are not fixed at their best fit but weighted by their likelihood, so that a round of few workers gives
wide intervals. F1s count as k = n·F1: their variance is at most the binomial one, so the interval
is rather too wide than too narrow. The draws are seeded.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.pure.numeric import Floats, np
from annotation.pure.people.round_rules import SLACK

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Scored:
    """A worker's result: `score` is compared with the pass mark, `value` is the mean of one figure over `n` items."""

    score: float
    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a pass mark: how many workers pass, and their mean true rate with a 95 % interval."""

    mark: float
    workers: int
    quality: float | None = None
    low: float | None = None
    high: float | None = None


def likely_rates(scored: Sequence[Scored], seed: int, *, draws: int = DRAWS) -> Floats:
    """(draws × workers): the workers' true rates, as likely as the round makes them."""
    rng = np.random.default_rng(seed)
    right = np.array([one.value * one.n for one in scored])
    wrong = np.array([(1 - one.value) * one.n for one in scored])
    means = np.linspace(0.025, 0.975, 39)  # of the workers' rates
    weights = np.geomspace(1.0, 60.0, 14)  # items that knowing the other workers is worth
    grid = [(mean * weight, (1 - mean) * weight) for mean in means for weight in weights]
    fits = np.array([_fit(a, b, right, wrong) for a, b in grid])
    chances = np.exp(fits - fits.max())
    chosen = rng.choice(len(grid), size=draws, p=chances / chances.sum())
    a, b = np.array(grid)[chosen].T
    rates: Floats = rng.beta(a[:, None] + right, b[:, None] + wrong)
    return rates


def _fit(a: float, b: float, right: Floats, wrong: Floats) -> float:
    """The log likelihood of a beta prior, up to a constant."""
    constant = _log_beta(a, b)
    return sum(_log_beta(a + k, b + m) - constant for k, m in zip(right, wrong, strict=True))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def outcomes(scored: Sequence[Scored], marks: Sequence[float], *, strict: bool, seed: int) -> list[Outcome]:
    """The outcome of each pass mark; workers exactly at the mark pass unless `strict`."""
    if not scored:
        return [Outcome(mark, 0) for mark in marks]
    rates = likely_rates(scored, seed)
    scores = np.array([one.score for one in scored])
    return [_outcome(mark, rates[:, scores > mark + SLACK if strict else scores >= mark - SLACK]) for mark in marks]


def _outcome(mark: float, rates: Floats) -> Outcome:
    if not rates.shape[1]:
        return Outcome(mark, 0)
    means = rates.mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Outcome(mark, rates.shape[1], float(means.mean()), float(low), float(high))
