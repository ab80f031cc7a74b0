"""Win rates, first places, positions, mean ranks, Kendall's W and strengths of systems."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from statistics import fmean

import numpy as np
import pytest
from scipy import optimize, stats

from annotation.pure.statistics.preferences import (
    Preference,
    by_position,
    concordance,
    fitted,
    kendalls_w,
    ranks_of_best,
    ranks_of_order,
    strengths,
    system_shares,
)
from annotation.pure.statistics.ratings import rescaled
from tests.bench import coverage_ratings

near = pytest.approx


def of_best(chosen: Sequence[str | None], systems: str = "ab") -> list[Preference]:
    """Each item's best system by one of nine workers."""
    return [Preference(k, f"w{k % 9}", ranks_of_best(each, systems)) for k, each in enumerate(chosen)]


def test_a_tie_is_half_a_win_for_each_and_half_a_first_place():
    found = system_shares(of_best(["a"] * 5 + ["b"] * 2 + [None] * 3), 1)
    for kind in ("win_rate", "first_place"):
        shares = {system: getattr(one, kind) for system, one in found.items()}
        assert {system: share.of_elements.figure.value for system, share in shares.items()} == near(
            {"a": 0.65, "b": 0.35}
        )
        assert (shares["a"].items, shares["a"].workers, shares["a"].responses) == (10, 9, 10)
        figure, spread = shares["a"].of_elements
        assert figure.low < 0.65 < figure.high
        assert spread.figure().low < 0.65 < spread.figure().high


def test_those_that_were_not_chosen_were_not_compared():
    found = system_shares(of_best(["a", "a", "b"], "abc"), 1)
    assert {s: one.win_rate.of_elements.figure.value for s, one in found.items()} == near(
        {"a": 4 / 5, "b": 2 / 4, "c": 0}
    )
    assert [one.win_rate.responses for one in found.values()] == [5, 4, 3]
    assert [one.first_place.of_elements.figure.value for one in found.values()] == near([2 / 3, 1 / 3, 0])
    assert found["a"].mean_rank.of_elements.figure.value is None, "nobody put all in order"


def test_orders_have_mean_ranks_and_a_system_that_is_missing_is_not_last():
    orders = ["abc", "abc", "bac", "bc"]
    found = system_shares([Preference(k, "w", ranks_of_order(each)) for k, each in enumerate(orders)], 1)
    ranks = {system: rescaled(one.mean_rank.of_elements.figure, 1, 3) for system, one in found.items()}
    assert {system: figure.value for system, figure in ranks.items()} == near({"a": 4 / 3, "b": 5 / 3, "c": 3})
    assert found["a"].win_rate.of_elements.figure.value == near(5 / 6)
    assert found["b"].first_place.of_elements.figure.value == near(2 / 4)
    assert found["a"].first_place.responses == 3
    assert system_shares([], 1) == {}


def test_the_effect_of_the_position_is_seen_with_positions_in_place_of_systems():
    rng, preferences = random.Random(1), []
    for k in range(300):
        shown = rng.sample("abc", 3)
        chosen = shown[0] if rng.random() < 0.4 else rng.choice("abc")
        preferences.append(Preference(k, f"w{k % 9}", ranks_of_best(chosen, "abc"), shown))
    found = system_shares(by_position(preferences), 1)
    assert set(found) == {"1", "2", "3"}
    first = sum(one.ranks[one.shown[0]] == 1 for one in preferences) / 300
    assert found["1"].first_place.of_elements.figure.value == near(first)
    assert found["1"].first_place.of_elements.spread.figure().low > 1 / 3
    assert by_position(of_best(["a"])) == []


def test_w_is_that_of_friedman_s_test_in_another_implementation():
    rng = random.Random(2)
    for _table in range(100):
        m, n = rng.randint(3, 8), rng.randint(3, 6)
        rows = [[rng.randint(1, 4) for _thing in range(n)] for _worker in range(m)]
        if all(len(set(row)) == 1 for row in rows):
            continue
        chi = stats.friedmanchisquare(*np.array(rows).T).statistic
        assert kendalls_w([dict(enumerate(row)) for row in rows]) == near(chi / (m * (n - 1)), abs=1e-9)


def test_w_needs_two_rankings_of_things_that_differ():
    assert kendalls_w([{"a": 1, "b": 2}]) is None
    assert kendalls_w([{"a": 1}, {"a": 1}]) is None
    assert kendalls_w([{"a": 1, "b": 1}, {"a": 2, "b": 2}]) is None
    assert kendalls_w([{"a": 1, "b": 2}, {"a": 2, "b": 1}]) == near(0)
    assert concordance([], 1).value is None


def test_concordance_is_the_mean_w_of_items_whose_orders_are_of_the_same_systems():
    rng = random.Random(3)
    orders = {k: [tuple(rng.sample("abcd", 4)) for _worker in range(3)] for k in range(50)}
    rows = [Preference(k, str(w), ranks_of_order(one)) for k, own in orders.items() for w, one in enumerate(own)]
    rows += [Preference(0, "4", ranks_of_order("ab")), Preference(1, "4", ranks_of_best("a", "abcd"))]
    found = concordance(rows, 1)
    assert found.value == near(fmean(kendalls_w([ranks_of_order(one) for one in own]) for own in orders.values()))
    assert found.low < found.value < found.high
    assert found.n == 50


def log_likelihood(parameters: np.ndarray, wins: np.ndarray, ties: np.ndarray) -> float:
    """Davidson's, with the strengths of all but the first system, which has 0, and last the logarithm of ties' odds."""
    k = len(wins)
    power = np.exp(np.array([0, *parameters[: k - 1]]))
    odds = np.exp(parameters[k - 1]) if ties.any() else 0.0
    total = 0.0
    for one, other in permutations(range(k), 2):
        tie = odds * np.sqrt(power[one] * power[other])
        whole = power[one] + power[other] + tie
        total += wins[one, other] * np.log(power[one] / whole)
        if ties[one, other]:
            total += ties[one, other] / 2 * np.log(tie / whole)
    return total


def grows_without_end(wins: np.ndarray, ties: np.ndarray) -> bool:
    """Whether the likelihood has no maximum: in some direction no outcome becomes less likely, and one more so.

    A linear programme over directions of the strengths and, where anything ties, of the logarithm of ties' odds.
    """
    k, has_ties = len(wins), bool(ties.any())
    better = []  # for each outcome, its advantage over another of the same comparison, by direction
    for one, other in permutations(range(k), 2):
        win, loss = np.eye(k + 1)[one], np.eye(k + 1)[other]
        tie = (win + loss) / 2 + np.eye(k + 1)[k]
        if wins[one, other]:
            better += [win - loss, *([win - tie] if has_ties else [])]
        if ties[one, other]:
            better += [tie - win, tie - loss]
    rows = np.array(better)
    bounds = [(0, 0), *[(-1, 1)] * (k - 1), (-1, 1) if has_ties else (0, 0)]
    unlinked = np.linalg.matrix_rank(rows[:, 1 : k + has_ties]) < k - 1 + has_ties
    found = optimize.linprog(-rows.sum(axis=0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=bounds)
    return bool(unlinked or -found.fun > 1e-6)


def test_strengths_maximise_the_likelihood_and_are_missing_where_it_has_no_maximum():
    rng = np.random.default_rng(4)
    exist = {True: 0, False: 0}
    while min(exist.values()) < 40:
        k = int(rng.integers(2, 5))
        wins = rng.poisson(rng.choice([0.4, 1, 4]), (k, k)) * (1 - np.eye(k, dtype=int))
        ties = np.triu(rng.poisson(rng.choice([0, 0.4, 2]), (k, k)), 1)
        ties = ties + ties.T
        if not (wins.any() or ties.any()):
            continue
        found, odds = (each[0] for each in fitted(wins[None].astype(float), ties[None].astype(float)))
        missing = grows_without_end(wins, ties)
        exist[not missing] += 1
        assert np.isnan(found).all() == missing, (wins, ties)
        if missing:
            continue
        best = optimize.minimize(lambda x, w=wins, t=ties: -log_likelihood(x, w, t), np.zeros(k), tol=1e-12)
        assert found.sum() == near(0, abs=1e-9)
        ours = np.array([*(found[1:] - found[0]), np.log(odds) if ties.any() else 0])
        assert log_likelihood(ours, wins, ties) >= log_likelihood(best.x, wins, ties) - 1e-9


def by_repetition(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The strengths by the fixed point of the likelihood's equations (Hunter 2004; ties as in Davidson 1970)."""
    power, odds = np.ones(len(wins)), float(ties.any())
    n = wins + wins.T + ties
    score = wins.sum(axis=1) + ties.sum(axis=1) / 2
    for _step in range(60_000):
        root = np.sqrt(np.outer(power, power))
        whole = power[:, None] + power + odds * root
        expected = n * (1 + odds / 2 * np.sqrt(power / power[:, None])) / whole
        odds_next = ties.sum() / (n * root / whole).sum()
        power_next = score / expected.sum(axis=1)
        power_next /= np.exp(np.log(power_next).mean())
        if abs(odds_next - odds) + np.abs(power_next - power).max() < 1e-13:
            break
        power, odds = power_next, odds_next
    return np.log(power)


def test_strengths_are_those_of_another_method():
    rng = np.random.default_rng(5)
    for k in (2, 3, 5, 8):
        for ties_a_pair in (0, 2):
            wins = (rng.poisson(6, (k, k)) + 1) * (1 - np.eye(k, dtype=int))
            ties = np.triu(rng.poisson(ties_a_pair, (k, k)), 1)
            ties = ties + ties.T
            found = fitted(wins[None].astype(float), ties[None].astype(float))[0][0]
            assert found == near(by_repetition(wins, ties), abs=1e-6)


def test_two_systems_without_ties_differ_by_the_logarithm_of_their_odds():
    found = strengths(of_best(["a"] * 30 + ["b"] * 10), 1)
    assert found.figures["a"].value - found.figures["b"].value == near(np.log(3))
    assert found.ties == 0
    with_ties = strengths(of_best(["a"] * 30 + ["b"] * 10 + [None] * 5), 1)
    assert with_ties.figures["a"].value - with_ties.figures["b"].value == near(np.log(3))
    assert with_ties.ties == near(5 / np.sqrt(300))


def test_strengths_have_intervals_over_items_and_count_draws_without_an_estimate():
    found = strengths(of_best(["a"] * 30 + ["b"] * 10), 1)
    one, other = found.figures["a"], found.figures["b"]
    assert one.low < one.value < one.high
    assert (one.low, one.high, one.n) == (near(-other.high), near(-other.low), 40)
    assert found.undefined == 0
    few = strengths(of_best(["a"] * 39 + ["b"] * 4), 1)
    assert 0 < few.undefined < 0.05 * 999
    assert few.figures["a"].low is not None
    rare = strengths(of_best(["a"] * 39 + ["b"]), 1)
    assert rare.undefined > 0.3 * 999
    assert (rare.figures["a"].low, rare.figures["a"].value) == (None, near(np.log(39) / 2))


@pytest.mark.parametrize("chosen", [[], ["a"], ["a", "a"], [None, None], ["a", None]])
def test_without_wins_both_ways_there_are_no_strengths(chosen):
    assert strengths(of_best(chosen), 1) is None


def test_systems_that_were_never_compared_have_no_strengths():
    assert strengths([*of_best("ab"), *of_best("cd", "cd")], 1) is None
    assert strengths([*of_best("ab"), *of_best("cd", "cd"), *of_best("ac", "ac")], 1) is not None


@pytest.mark.parametrize(
    ("world", "items", "workers"),
    [(coverage_ratings.win_rate, 60, 7), (coverage_ratings.strength, 60, 9)],
)
def test_intervals_of_preferences_cover_the_truth(world, items, workers):
    found = coverage_ratings.coverage_of_ratings(world, items=items, workers=workers, draws=40)
    assert all(fmean(held) >= 0.85 for held in found.values())
