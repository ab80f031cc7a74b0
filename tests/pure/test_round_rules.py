"""Rules of rounds: who passes, how likely, and what a mark gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import comb, isclose
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.people import round_rules
from annotation.pure.people.round_draw import Candidate, checks_to_come, drawn, is_hidden_gold
from annotation.pure.people.round_rules import Clause, Scored, likely_rates, outcomes
from tests.long_forms import examples

THREE = ["hotpot", "musique", "twowiki"]
STRICT = [Clause("answer_f1", 0.75, ">", "each"), Clause("support_f1", 0.75, ">", "each")]  # MuSiQue's
F1S = {"answer_f1": True, "support_f1": True}


def figures(**low: float) -> dict[str, float]:
    every = {f"{name}/{dataset}": 0.9 for name in F1S for dataset in THREE}
    return every | {name.replace("__", "/"): value for name, value in low.items()}


def test_a_conjunction_needs_every_figure_on_every_dataset() -> None:
    assert round_rules.passes(STRICT, figures(), THREE) is True
    assert round_rules.passes(STRICT, figures(support_f1__musique=0.75), THREE) is False
    assert round_rules.passes(STRICT, figures(answer_f1__hotpot=0.7501), THREE) is True


def test_nobody_passes_before_all_is_known() -> None:
    assert round_rules.passes(STRICT, {"answer_f1/hotpot": 0.2}, THREE) is None


def test_sixteen_of_twenty_is_enough_and_fifteen_is_not() -> None:
    rule = [Clause("judged", 0.8)]
    of_twenty = [round_rules.means([("d", {"judged": float(k < n)}) for k in range(20)]) for n in (15, 16)]
    assert [round_rules.passes(rule, found, ["d"]) for found in of_twenty] == [False, True]


def test_the_score_is_the_lowest_figure_that_the_rule_looks_at() -> None:
    assert round_rules.score(STRICT, figures(support_f1__twowiki=0.31), THREE) == 0.31
    assert round_rules.score(STRICT, {}, THREE) is None


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [{"figure": "x"}],
        [{"figure": "x", "value": 75}],
        [{"figure": "x", "value": True}],
        [{"figure": "x", "value": 0.5, "comparator": "="}],
        [{"figure": "x", "value": 1, "comparator": ">"}],
        {"figure": "x", "value": 0.5},
    ],
)
def test_a_rule_that_says_nothing_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"clause|rule|above"):
        round_rules.read_rule(wrong)


def test_a_rule_comes_back_from_json_as_it_was() -> None:
    assert round_rules.read_rule([clause.as_json() for clause in STRICT]) == tuple(STRICT)


def test_items_are_split_as_evenly_as_can_be() -> None:
    assert round_rules.shares(25, THREE) == {"hotpot": 9, "musique": 8, "twowiki": 8}


@given(skill=st.floats(0, 1), n=st.integers(1, 30), k=st.integers(0, 30))
@settings(max_examples=examples(15, soak=40))
def test_judgments_are_binomial(skill: float, n: int, k: int) -> None:
    mark = min(k, n) / n
    found = round_rules.chance([Clause("judged", mark)], skill, {"d": n}, partial={"judged": False})
    exact = sum(comb(n, i) * skill**i * (1 - skill) ** (n - i) for i in range(min(k, n), n + 1))
    assert isclose(found.value, exact, abs_tol=1e-9)


@given(skill=st.floats(0, 1), partial=st.booleans())
def test_the_items_of_a_skill_have_it_as_their_mean(skill: float, partial: bool) -> None:
    none, half, full = round_rules.item_chances(skill, partial=partial)
    assert min(none, half, full) >= -1e-12
    assert isclose(none + half + full, 1)
    assert isclose(half / 2 + full, skill, abs_tol=1e-12)


def enumerated(rule: list[Clause], skill: float, items: dict[str, int], name: str) -> float:
    """The chance, outcome by outcome."""
    chances = round_rules.item_chances(skill, partial=True)
    datasets = [dataset for dataset, n in items.items() for _ in range(n)]
    total = 0.0
    for credits_ in itertools.product((0, 1, 2), repeat=len(datasets)):
        found = round_rules.means([(d, {name: c / 2}) for d, c in zip(datasets, credits_, strict=True)])
        if round_rules.passes(rule, found, list(items)):
            likely = 1.0
            for credit in credits_:
                likely *= chances[credit]
            total += likely
    return total


@pytest.mark.parametrize(
    "rule",
    [
        [Clause("f", 0.6, ">", "each")],
        [Clause("f", 0.7)],
        [Clause("f", 0.5, ">=", "a"), Clause("f", 0.7, ">")],
        [Clause("f", 0.5, ">", "each"), Clause("f", 0.75, ">=", "b"), Clause("f", 0.6)],
    ],
)
def test_the_chance_is_that_of_all_outcomes(rule: list[Clause]) -> None:
    items = {"a": 3, "b": 4}
    found = round_rules.chance(rule, 0.7, items, partial={"f": True})
    assert isclose(found.value, enumerated(rule, 0.7, items, "f"), abs_tol=1e-9)


def test_musiques_rule_refuses_most_good_workers_by_chance() -> None:
    table = {c.skill: c for c in round_rules.chance_table(STRICT, round_rules.shares(25, THREE), partial=F1S)}
    assert table[0.85].value < 0.25  # ten points above the mark, and refused three times of four
    assert table[0.85].most < 0.5  # even if answer and support rise and fall together
    assert table[0.8].most < 0.25
    once = {
        c.skill: c.value for c in round_rules.chance_table([Clause("answer_f1", 0.75, ">")], {"d": 25}, partial=F1S)
    }
    assert once[0.85] > 0.9  # one figure over all 25 items hardly does


def test_the_chance_grows_with_skill_and_with_attempts() -> None:
    table = round_rules.chance_table(STRICT, round_rules.shares(25, THREE), partial=F1S)
    twice = round_rules.chance_table(STRICT, round_rules.shares(25, THREE), partial=F1S, attempts=2)
    assert [c.value for c in table] == sorted(c.value for c in table)
    assert all(c.value <= c.most + 1e-12 for c in table)
    assert all(isclose(b.value, 1 - (1 - a.value) ** 2) for a, b in zip(table, twice, strict=True))


POOL = [Candidate(k, f"g{k // 2}", THREE[k % 3]) for k in range(60)]


def test_a_draw_takes_each_datasets_share_and_is_the_same_again() -> None:
    one, again = (drawn(POOL, round_rules.shares(10, THREE), Random("1/2/3"), alone=False) for _ in range(2))
    other = drawn(POOL, round_rules.shares(10, THREE), Random("1/3/3"), alone=False)
    assert one == again
    assert one != other
    datasets = [POOL[k].dataset for k in one]
    assert {name: datasets.count(name) for name in THREE} == {"hotpot": 4, "musique": 3, "twowiki": 3}


def test_a_draw_holds_no_two_of_a_group_and_none_that_is_closed() -> None:
    found = drawn(POOL, round_rules.shares(20, THREE), Random(4), closed={"g0", "g1", "g2"})
    groups = [POOL[k].group for k in found]
    assert len(set(groups)) == len(groups) == 20
    assert not {"g0", "g1", "g2"} & set(groups)


def test_what_one_dataset_lacks_comes_from_the_others() -> None:
    pool = [one for one in POOL if one.dataset != "hotpot"] + [POOL[0]]
    found = drawn(pool, round_rules.shares(9, THREE), Random(4), alone=False)
    assert len(found) == 9
    assert sum(POOL[k].dataset == "hotpot" for k in found) == 1


def test_members_of_a_group_stand_apart_where_that_is_wanted() -> None:
    found = drawn(POOL, dict.fromkeys(THREE, 20), Random(4), alone=False, apart=True)
    assert all(POOL[a].group != POOL[b].group for a, b in itertools.pairwise(found))


@given(share=st.floats(0.01, 0.5), worker=st.integers(1, 50), left=st.integers(0, 60), checks=st.integers(0, 40))
def test_what_is_left_falls_by_one_with_every_assignment(share: float, worker: int, left: int, checks: int) -> None:
    total = left + checks_to_come(share, seed=7, worker=worker, number=0, left=left, checks=checks)
    for number, expected in enumerate(range(total, 0, -1)):
        assert left + checks_to_come(share, seed=7, worker=worker, number=number, left=left, checks=checks) == expected
        if checks and is_hidden_gold(share, seed=7, worker=worker, number=number):
            checks -= 1
        else:
            left -= 1
    assert left == 0


def test_as_many_checks_come_as_their_share() -> None:
    found = [is_hidden_gold(0.2, seed=1, worker=worker, number=k) for worker in range(50) for k in range(100)]
    assert 0.18 < sum(found) / len(found) < 0.22


def a_round(rate: Callable[[Random], float], *, workers: int, n: int, seed: int) -> tuple[list[Scored], list[float]]:
    rng = Random(seed)
    rates = [rate(rng) for _ in range(workers)]
    scores = [sum(rng.random() < one for _ in range(n)) / n for one in rates]
    return [Scored(score, score, n) for score in scores], rates


def test_whoever_scored_best_was_also_lucky() -> None:
    scored, _rates = a_round(lambda rng: rng.betavariate(8, 4), workers=60, n=20, seed=3)
    top = max(scored, key=lambda one: one.score)
    expected = likely_rates(scored, 1).mean(axis=0)[scored.index(top)]
    everybody = sum(one.value for one in scored) / len(scored)
    assert everybody < expected < top.value


def test_a_higher_mark_takes_fewer_and_better_ones() -> None:
    scored, _rates = a_round(lambda rng: rng.betavariate(8, 4), workers=60, n=20, seed=5)
    found = [one for one in outcomes(scored, [k / 20 for k in range(8, 21)], strict=False, seed=0) if one.workers]
    assert [one.workers for one in found] == sorted((one.workers for one in found), reverse=True)
    qualities = [one.quality or 0 for one in found]
    assert qualities == sorted(qualities)
    assert all(0 <= (one.low or 0) <= (one.quality or 0) <= (one.high or 0) <= 1 for one in found)


def test_a_strict_mark_leaves_out_who_only_reaches_it() -> None:
    scored = [Scored(0.8, 0.8, 20), Scored(0.85, 0.85, 20)]
    assert [outcomes(scored, [0.8], strict=strict, seed=0)[0].workers for strict in (True, False)] == [1, 2]


def test_a_round_without_results_gives_nobody() -> None:
    assert [one.workers for one in outcomes([], [0.5, 0.8], strict=False, seed=0)] == [0, 0]


def test_the_intervals_hold_what_they_promise() -> None:
    held = 0
    for seed in range(40):
        scored, rates = a_round(lambda rng: rng.betavariate(8, 4), workers=30, n=20, seed=seed)
        (found,) = outcomes(scored, [0.75], strict=False, seed=seed)
        chosen = [rate for one, rate in zip(scored, rates, strict=True) if one.score >= 0.75 - 1e-9]
        true = sum(chosen) / len(chosen)
        held += (found.low or 0) <= true <= (found.high or 0)
    assert held >= 34
