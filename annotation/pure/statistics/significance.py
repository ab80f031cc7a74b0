"""Significance tests of differences, with corrections for multiple tests.

Marks on workers control the false discovery rate (Benjamini and Hochberg 1995): an expected share of at most `Q` of
the marked workers is marked by chance. Differences in a table control the family-wise error rate (Holm 1979). P values
are two-sided unless stated otherwise.
"""

import math
from collections.abc import Sequence
from itertools import product

from annotation.pure.numeric import np
from annotation.pure.statistics.intervals import alike

Q = 0.05  # the expected share of people marked by chance
PERMUTATIONS = 9_999
_CELLS = 1_000_000  # values held at once while permuting: bounds the memory


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


def paired(differences: Sequence[float], seed: int) -> float:
    """P value of Fisher's randomisation test that the mean of paired differences is 0; exact for few differences."""
    table = np.asarray(differences, dtype=np.float64)
    seen = abs(float(table.sum())) - 1e-9
    if 2 ** len(table) <= PERMUTATIONS:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(table))))
        return float(np.mean(np.abs(signs @ table) >= seen))
    sizes, numbers = alike(np.abs(table))
    rng, rows, reached = np.random.default_rng(seed), max(1, _CELLS // len(sizes)), 0
    for start in range(0, PERMUTATIONS, rows):
        if numbers is not None:  # how many of equal size are positive
            drawn = rng.binomial(numbers, 0.5, size=(min(rows, PERMUTATIONS - start), len(sizes)))
            reached += int(np.count_nonzero(np.abs((2 * drawn - numbers) @ sizes) >= seen))
            continue
        signs = rng.integers(0, 2, size=(min(rows, PERMUTATIONS - start), len(table))) * 2.0 - 1.0
        reached += int(np.count_nonzero(np.abs(signs @ table) >= seen))
    return (reached + 1) / (PERMUTATIONS + 1)


def unpaired(first: Sequence[float], second: Sequence[float], seed: int) -> float:
    """P value of the permutation test that two means are equal."""
    pool = np.concatenate([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    values, numbers = alike(pool)
    rng, rows = np.random.default_rng(seed), max(1, _CELLS // len(values))
    own, total, reached = float(pool[: len(first)].sum()), float(pool.sum()), 0
    seen = abs(own / len(first) - (total - own) / len(second)) - 1e-9
    for start in range(0, PERMUTATIONS, rows):
        draws = min(rows, PERMUTATIONS - start)
        if numbers is None:
            dealt = rng.permuted(np.tile(pool, (draws, 1)), axis=1)[:, : len(first)].sum(axis=1)
        else:  # how many of equal values the first side gets
            dealt = rng.multivariate_hypergeometric(numbers, len(first), size=draws, method="marginals") @ values
        means = dealt / len(first) - (total - dealt) / len(second)
        reached += int(np.count_nonzero(np.abs(means) >= seen))
    return (reached + 1) / (PERMUTATIONS + 1)


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
