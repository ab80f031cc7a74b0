"""Suggestions: arms balanced within items and workers, and the pull against a second implementation."""

from __future__ import annotations

import random
from collections import Counter
from statistics import fmean, geometric_mean

import pytest

from annotation.pure.statistics.suggestions import Arms, Responded, draw_suggested, pulls, time_ratio
from tests.bench import coverage_models

near = pytest.approx


def study(seed: int, items: int = 60, workers: int = 12, pulled: float = 0.3) -> tuple[list[Responded], dict[int, str]]:
    rng = random.Random(seed)
    rows, suggestions = [], {}
    for item in range(items):
        truth = rng.choice("ab")
        suggestions[item] = truth if rng.random() < 0.7 else "ab".replace(truth, "")
        for place, worker in enumerate(rng.sample(range(workers), 5)):
            label = truth if rng.random() < 0.8 else "ab".replace(truth, "")
            shown = place > 2
            if shown and rng.random() < pulled:
                label = suggestions[item]
            rows.append(Responded(item, f"w{worker}", label, shown))
    return rows, suggestions


@pytest.mark.parametrize("most", [Arms(3, 3), Arms(3, 1)])
def test_arms_are_full_within_items_and_even_within_workers(most: Arms) -> None:
    rng, items, workers = random.Random(1), [Counter[bool]() for _ in range(100)], [Counter[bool]() for _ in range(10)]
    first = Counter[bool]()
    for step in range(100 * sum(most)):
        item = step // sum(most)
        of = workers[rng.randrange(10)]
        found = draw_suggested(
            Arms(items[item][False], items[item][True]), Arms(of[False], of[True]), most, seed=f"{step}"
        )
        assert found is not None
        first[found] += not sum(items[item].values())
        items[item][found] += 1
        of[found] += 1
    assert {(of[False], of[True]) for of in items} == {most}
    assert draw_suggested(most, Arms(0, 0), most, seed="x") is None
    off = [of[True] - sum(of.values()) * most.suggested / sum(most) for of in workers]
    assert max(map(abs, off)) <= 4
    assert min(first.values()) > 10


def test_the_draw_is_repeated_by_its_seed_and_fair_where_nothing_lags() -> None:
    none, most = Arms(0, 0), Arms(3, 1)
    drawn = [draw_suggested(none, none, most, seed=f"{k}") for k in range(2_000)]
    assert drawn == [draw_suggested(none, none, most, seed=f"{k}") for k in range(2_000)]
    assert fmean(map(bool, drawn)) == near(0.25, abs=0.04)
    assert draw_suggested(none, Arms(5, 0), most, seed="x") is True
    assert draw_suggested(none, Arms(0, 5), most, seed="x") is False


def test_the_pull_equals_a_second_implementation() -> None:
    rows, suggestions = study(2)
    found = pulls(rows, suggestions, {})
    pairs: dict[str, list[tuple[int, float]]] = {"all": [], "right": [], "wrong": []}
    for row in rows:
        if not row.suggested:
            suggested = suggestions[row.item]  # type: ignore[index]
            shown = fmean(other.label == suggested for other in rows if other.item == row.item and other.suggested)
            pair = (row.item, shown - (row.label == suggested))
            pairs["all"].append(pair)  # type: ignore[arg-type]
            others = [o.label for o in rows if o.item == row.item and not o.suggested and o.worker != row.worker]
            if len(set(others)) == 1:
                pairs["right" if others[0] == suggested else "wrong"].append(pair)  # type: ignore[arg-type]
    for name, kept in pairs.items():
        items = len({item for item, _off in kept})
        assert (found[name].difference.n, found[name].blind, found[name].shown) == (items, len(kept), 2 * items)
        wanted = near(fmean(off for _item, off in kept), abs=1e-9) if items >= 30 else None
        assert found[name].difference.value == wanted
    assert found["wrong"].difference.value is None
    assert found["all"].difference.low is not None


def test_gold_says_what_is_right_before_anybody_else() -> None:
    rows, suggestions = study(3)
    right, wrong = (pulls(rows, suggestions, gold) for gold in (suggestions, dict.fromkeys(suggestions, "c")))
    assert right["right"] == right["all"] == wrong["all"] == wrong["wrong"]
    assert right["wrong"].difference.n == 0


def test_a_pull_is_found_and_its_absence_too() -> None:
    rows, suggestions = study(4, items=600, workers=20, pulled=0.6)
    found = pulls(rows, suggestions, {})
    assert (found["all"].difference.low or 0) > 0.1
    assert found["right"].difference.value == near(0.6 * 0.2, abs=0.04)
    both_err = 0.7 * 0.04 / (0.7 * 0.04 + 0.3 * 0.64)  # of suggestions called wrong, those that are right
    assert found["wrong"].difference.value == near(0.6 * (0.8 - 0.6 * both_err), abs=0.07)
    rows, suggestions = study(5, items=600, workers=20, pulled=0)
    none = pulls(rows, suggestions, {})["all"].difference
    assert (none.low or 0) < 0 < (none.high or 0)


def test_few_items_or_few_workers_have_no_interval() -> None:
    assert pulls(*study(6, items=29), {})["all"].difference.as_json() == {
        "value": None, "low": None, "high": None, "n": 29,
    }  # fmt: skip
    few = pulls(*study(6, workers=6), {})["all"].difference
    assert few.value is not None
    assert few.low is None


def test_printed_intervals_hold_no_pull_and_find_one() -> None:
    """The whole of it is in `make bench coverage`."""
    held, found = coverage_models.pulls_held(pulled=0.0, draws=60, items=40, people=12)
    assert held >= 0.88
    assert found <= 0.1
    assert coverage_models.pulls_held(pulled=0.6, draws=20, items=60, people=12)[1] >= 0.8


def test_times_are_compared_on_the_same_items() -> None:
    rows = [
        Responded(item, f"w{worker}", "a", suggested, (10 + item) * (0.5 if suggested else 1) * (1 + 0.01 * worker))
        for item in range(30)
        for worker, suggested in ((item % 8, False), ((item + 1) % 8, True))
    ]
    ratios = [rows[k + 1].seconds / rows[k].seconds for k in range(0, 60, 2)]
    found = time_ratio([*rows, Responded("alone", "w1", "a", False, 500.0), Responded(1, "w7", "a", True, 0.0)])
    assert (found.value, found.n) == (near(geometric_mean(ratios)), 30)
    assert (found.low or 0) < 0.5 < (found.high or 0) < 1
    assert time_ratio(rows[:-2]).as_json() == {"value": None, "low": None, "high": None, "n": 29}
