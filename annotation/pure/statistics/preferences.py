"""Which of several systems people prefer: the best one of an item, or all in order.

A preference is split into comparisons of two systems. Two that share the first rank tie, and a tie is half a win for
each; two that share a later rank, as those that were not chosen as the best, were not compared.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from annotation.pure.numeric import Floats, np
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.rating_shares import Share, shares
from annotation.pure.statistics.resampled_figures import resampled_figures


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
