"""Significance tests of differences, with corrections for multiple tests.

Marks on workers control the false discovery rate (Benjamini and Hochberg 1995): an expected share of at most `Q` of
the marked workers is marked by chance. Differences in a table control the family-wise error rate (Holm 1979). P values
are two-sided unless stated otherwise.
"""

import math
from collections.abc import Sequence

from annotation.pure.numeric import np

Q = 0.05  # the expected share of people marked by chance
PERMUTATIONS = 9_999


def holm(chances: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p values, in the given order."""
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    adjusted, reached = [0.0] * len(chances), 0.0
    for place, k in enumerate(order):
        reached = max(reached, min(1.0, (len(chances) - place) * chances[k]))
        adjusted[k] = reached
    return adjusted


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's step-up adjusted p values, in the given order; values of at most Q are marked."""
    order = sorted(range(len(chances)), key=lambda k: chances[k], reverse=True)
    adjusted, reached = [0.0] * len(chances), 1.0
    for place, k in enumerate(order):
        reached = min(reached, chances[k] * len(chances) / (len(chances) - place))
        adjusted[k] = reached
    return adjusted


def at_least(successes: int, n: int, chance: float) -> float:
    """One-sided p value: the binomial probability of at least `successes` of n, each with probability `chance`."""
    if successes <= 0:
        return 1.0
    if chance in (0.0, 1.0):
        return chance
    terms = (
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(chance)
        + (n - k) * math.log1p(-chance)
        for k in range(successes, n + 1)
    )
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def at_most(successes: int, n: int, chance: float) -> float:
    """One-sided p value: the binomial probability of at most `successes` of n, each with probability `chance`."""
    return at_least(n - successes, n, 1 - chance)


def mcnemar(only_first: int, only_second: int) -> float:
    """P value of the exact McNemar test, from the numbers of items on which only one of two sides succeeds."""
    return min(1.0, 2 * at_least(max(only_first, only_second), only_first + only_second, 0.5))


def effect(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired differences: their mean in standard deviations; None if all are equal."""
    table = np.asarray(differences, dtype=np.float64)
    spread = float(table.std(ddof=1)) if len(table) > 1 else 0.0
    return float(table.mean()) / spread if spread > 1e-12 else None


def effect_unpaired(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's d of two sides: the difference of their means in pooled standard deviations."""
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    degrees = sum(len(side) for side in sides) - 2
    if degrees < 1:
        return None
    spread = math.sqrt(sum(float(np.sum((side - side.mean()) ** 2)) for side in sides) / degrees)
    return float(sides[0].mean() - sides[1].mean()) / spread if spread > 1e-12 else None


def chance_text(chance: float) -> str:
    """A p value with three digits."""
    return "< 0.001" if chance < 0.001 else f"{chance:.3f}"
