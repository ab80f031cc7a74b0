"""Which of several systems people prefer: the best one of an item, or all in order; and strengths of the systems.

A preference is split into comparisons of two systems. Two that share the first rank tie, and a tie is half a win for
each; two that share a later rank, as those that were not chosen as the best, were not compared.

Strengths are those of the model of Bradley and Terry, with ties as Davidson (1970) has them. With strengths s, which
sum to 0, the first of two wins with odds exp((s1 - s2) / 2), the second with exp((s2 - s1) / 2), and they tie with
odds v. A maximum-likelihood estimate exists only if wins, a tie counted both ways, connect every system with every
other in both directions; and with ties, only if some circle of comparisons has more wins than ties, else their odds,
or a strength, grow without end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.distance_agreement import RESAMPLES
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.ratings import Share, shares
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


def have_estimate(wins: Floats, ties: Floats) -> np.ndarray[Any, np.dtype[np.bool_]]:
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


class Preference(NamedTuple):
    """A worker's preference among the systems of an item: their ranks, 1 for the best, and the order as shown."""

    item: Hashable
    worker: str
    ranks: Mapping[str, int]
    shown: Sequence[str] = ()

    @property
    def is_order(self) -> bool:
        """Whether each system has a rank of its own."""
        return len(set(self.ranks.values())) == len(self.ranks)


class SystemShares(NamedTuple):
    """How a system did, each figure in 0..1: of comparisons with others the share it won; of responses the share that
    put it first, where several in the first place have equal parts of it; the mean rank in orders of all systems, from
    0 for the first to 1 for the last (`ratings.rescaled` brings it to ranks from 1 on).
    """

    win_rate: Share
    first_place: Share
    mean_rank: Share


def ranks_of_best(chosen: str | None, systems: Iterable[str]) -> dict[str, int]:
    """The ranks where one system is the best; None: all tie."""
    return {system: 1 if chosen in (None, system) else 2 for system in systems}


def ranks_of_order(order: Iterable[str]) -> dict[str, int]:
    """The ranks of systems from first to last."""
    return {system: rank for rank, system in enumerate(order, start=1)}


def systems_of(preferences: Iterable[Preference]) -> list[str]:
    return sorted({system for preference in preferences for system in preference.ranks})


def by_position(preferences: Iterable[Preference]) -> list[Preference]:
    """The preferences with the position at which a system was shown, from "1", in its place.

    Their figures show the effect of the position; with none, each position comes first equally often.
    """
    return [
        one._replace(ranks={str(k): one.ranks[system] for k, system in enumerate(one.shown, 1)}, shown=())
        for one in preferences
        if one.shown
    ]


def system_shares(preferences: Sequence[Preference], seed: int) -> dict[str, SystemShares]:
    """The figures of each system, by name."""
    systems = systems_of(preferences)
    if not systems:
        return {}
    ranks = rank_table(preferences, systems)
    wins, ties = outcomes(ranks).swapaxes(0, 1)
    best, has = (ranks == 1).astype(np.float64), (~np.isnan(ranks)).astype(np.float64)
    ordered = [one.is_order and len(one.ranks) == len(systems) > 1 for one in preferences]
    whole = np.repeat(np.array(ordered, dtype=np.float64)[:, None], len(systems), axis=1)
    rank = np.where(whole > 0, ranks - 1, 0.0) / max(1, len(systems) - 1)
    totals = np.hstack([(wins + ties / 2).sum(axis=2), best / best.sum(axis=1, keepdims=True), rank])
    numbers = np.hstack([(wins + wins.swapaxes(1, 2) + ties).sum(axis=2), has, whole])
    names = ((one.item, one.worker) for one in preferences)
    found = shares(((*name, *row) for name, *row in zip(names, totals, numbers, strict=True)), seed)
    k = len(systems)
    return {system: SystemShares(*found[place::k]) for place, system in enumerate(systems)}


def rank_table(preferences: Sequence[Preference], systems: Sequence[str]) -> Floats:
    """(preferences × systems): the ranks, nan of a system that is not among them."""
    return np.array([[one.ranks.get(system, np.nan) for system in systems] for one in preferences])


def outcomes(ranks: Floats) -> Floats:
    """(preferences × 2 × systems × systems) of a rank table: whether the one beat the other, and whether they tie."""
    one, other = ranks[:, :, None], ranks[:, None, :]
    ties = (one == other) & (one == 1) & ~np.eye(ranks.shape[1], dtype=bool)
    return np.stack([one < other, ties], axis=1).astype(np.float64)


def kendalls_w(rankings: Sequence[Mapping[str, float]]) -> float | None:
    """Kendall's coefficient of concordance W of rankings of the same things, 0..1, corrected for ties.

    None with fewer than two rankings or things, or if all ranks are tied. By chance 1 / (number of rankings).
    """
    if len(rankings) < 2:
        return None
    m, n, ties, sums = len(rankings), len(rankings[0]), 0, dict.fromkeys(rankings[0], 0.0)
    for ranking in rankings:
        below, means = 0, {}
        for rank, count in sorted(Counter(ranking.values()).items()):
            means[rank] = below + (count + 1) / 2
            below, ties = below + count, ties + count**3 - count
        for name, rank in ranking.items():
            sums[name] += means[rank]
    most = m * m * (n**3 - n) - m * ties
    return 12 * math.fsum((each - m * (n + 1) / 2) ** 2 for each in sums.values()) / most if most > 0 else None


def concordance(preferences: Iterable[Preference], seed: int) -> Figure:
    """The mean over items of Kendall's W of their orders, those of different systems apart; n counts the items."""
    by_item: dict[tuple[Hashable, frozenset[str]], list[Mapping[str, int]]] = {}
    for one in preferences:
        if one.is_order:
            by_item.setdefault((one.item, frozenset(one.ranks)), []).append(one.ranks)
    found = [w for rankings in by_item.values() if (w := kendalls_w(rankings)) is not None]
    if not found:
        return Figure(None, None, None, 0)
    return resampled_figures([[w, 1.0] for w in found], lambda sums: sums[:, :1] / sums[:, 1:], seed).figures[0]
