"""Strengths of systems from comparisons of two: the model of Bradley and Terry, with ties as Davidson (1970) has them.

With strengths s, which sum to 0, the first of two wins with odds exp((s1 - s2) / 2), the second with
exp((s2 - s1) / 2), and they tie with odds v. A maximum-likelihood estimate exists only if wins, a tie counted both
ways, connect every system with every other in both directions; and with ties, only if some circle of comparisons has
more wins than ties, else their odds, or a strength, grow without end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.distance_agreement import RESAMPLES
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.preferences import Preference, outcomes, rank_table, systems_of
from annotation.pure.statistics.resampled_figures import resampled_figures, sums_by

STEPS, NEAR = 200, 1e-10  # of Newton's method, none longer than 1


@dataclass(frozen=True, slots=True)
class Strengths:
    """Each system's strength with its interval over items, the odds v of a tie, and the draws left out.

    n counts the items. Two systems whose strengths differ by d win against each other exp(d) times to once.
    """

    figures: dict[str, Figure]
    ties: float
    undefined: int


def strengths(preferences: Sequence[Preference], seed: int, *, resamples: int = RESAMPLES) -> Strengths | None:
    """The strengths of systems that preferences compare; None where there is no estimate."""
    systems = systems_of(preferences)
    k = len(systems)
    if k < 2:
        return None
    counted = outcomes(rank_table(preferences, systems)).reshape(-1, 2 * k * k)
    table = sums_by(label_codes(one.item for one in preferences), counted)

    def split(sums: Floats) -> tuple[Floats, Floats]:
        wins, ties = sums.reshape(-1, 2, k, k).swapaxes(0, 1)
        return fitted(wins, ties)

    found = resampled_figures(table[table.any(axis=1)], lambda sums: split(sums)[0], seed, resamples=resamples)
    if found.figures[0].value is None:
        return None
    odds = float(split(table.sum(axis=0))[1][0])
    return Strengths(dict(zip(systems, found.figures, strict=True)), odds, found.undefined)


def fitted(wins: Floats, ties: Floats) -> tuple[Floats, Floats]:
    """(cases × systems) strengths and (cases) odds of a tie, nan where there is no estimate.

    Of (cases × systems × systems): how often the one won against the other, and how often the two tied (symmetric).
    """
    cases, k = wins.shape[:2]
    found = np.full((cases, k + 1), np.nan)
    kept = np.flatnonzero(have_estimate(wins, ties))
    if len(kept):
        found[kept] = _newton(wins[kept], ties[kept])
    return found[:, :k], np.where(ties.any(axis=(1, 2)) | np.isnan(found[:, k]), np.exp(found[:, k]), 0.0)


def have_estimate(wins: Floats, ties: Floats) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Whether each case has one: all systems reach each other, and a way back to a system is shorter than none.

    A win is a step of -1 to the loser, a tie one of 1 both ways (Floyd's and Warshall's shortest paths).
    """
    far = np.where(wins > 0, -1.0, np.where(ties > 0, 1.0, np.inf))
    for k in range(far.shape[1]):
        far = np.minimum(far, far[:, :, k, None] + far[:, None, k, :])
    circles = np.diagonal(far, axis1=1, axis2=2)
    return np.asarray(np.isfinite(far).all(axis=(1, 2)) & (circles < 0).any(axis=1))


def _newton(wins: Floats, ties: Floats) -> Floats:
    """(cases × systems + 1): the strengths and the logarithm of the odds of a tie, which stays where nothing ties."""
    cases, k = wins.shape[:2]
    n = wins + wins.swapaxes(1, 2) + ties
    score, tied = wins.sum(axis=2) + ties.sum(axis=2) / 2, ties.sum(axis=(1, 2)) / 2
    found, longest = np.zeros((cases, k + 1)), np.full(cases, np.inf)
    information = np.ones((cases, k + 1, k + 1))  # 1 in each direction of no information: all strengths alike
    for _step in range(STEPS):
        up = np.exp((found[:, :k, None] - found[:, None, :k]) / 2)
        odds = np.where(tied > 0, np.exp(found[:, k]), 0)[:, None, None]
        tie = odds / (up + 1 / up + odds)
        won = up / (up + 1 / up + odds) + tie / 2  # the expected score of a comparison
        apart = n * (won * (1 - won) - tie / 4)
        information[:, :k, :k] = 1 - apart + np.eye(k) * apart.sum(axis=2)[:, :, None]
        information[:, :k, k] = information[:, k, :k] = (n * tie * (0.5 - won)).sum(axis=2)
        information[:, k, k] = np.where(tied > 0, (n * tie * (1 - tie)).sum(axis=(1, 2)) / 2, 1)
        slope = np.column_stack([score - (n * won).sum(axis=2), tied - (n * tie).sum(axis=(1, 2)) / 2])
        step = np.linalg.solve(information, slope[:, :, None])[:, :, 0]
        longest = np.abs(step).max(axis=1)
        found += step / np.maximum(1, longest)[:, None]
        if longest.max() < NEAR:
            break
    found[longest >= NEAR] = np.nan
    return found
