"""Rehearsals: what a crowd is like, and what its answers foretell."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.dry_run.forecast import (
    SimulatedResponse,
    WorkerModel,
    act,
    as_json,
    crowd,
    draw_personas,
    drawn_majority,
    forecast,
    majority,
)
from annotation.dry_run.management.commands.dry_run import text_lines


def done(worker: int, item: int, grade: float | None, *, began: float = 0, ended: float = 60) -> SimulatedResponse:
    return SimulatedResponse(worker, item, grade, began, ended, Decimal("0.25"), Decimal("0.05"))


def test_a_crowd_is_read_from_words() -> None:
    assert crowd(["skill=0.7", "spam=0"]) == WorkerModel(skill=0.7, spam=0.0)


@pytest.mark.parametrize("word", ["wit=1", "skill=high", "skill=2", "speed=0", "skill=nan", "lazy=0.9", "skill"])
def test_what_no_crowd_can_be_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        crowd([word, "spam=0.2"])


@given(skill=st.floats(0, 1), seed=st.integers(0, 9))
def test_people_are_the_same_for_the_same_seed_and_within_bounds(skill: float, seed: int) -> None:
    model = WorkerModel(skill=skill)
    found = draw_personas(model, 20, Random(seed))
    assert found == draw_personas(model, 20, Random(seed))
    assert all(0 < one.skill < 1 and one.pace > 0 and 0 <= one.comes <= 7200 for one in found)


def test_shares_of_people_and_acts_come_out_as_set() -> None:
    rng = Random(1)
    kinds = [one.kind for one in draw_personas(WorkerModel(lazy=0.2, spam=0.1), 4000, rng)]
    assert kinds.count("lazy") / 4000 == pytest.approx(0.2, abs=0.02)
    assert kinds.count("spam") / 4000 == pytest.approx(0.1, abs=0.02)
    acts = [act(WorkerModel(returns=0.1, abandons=0.05), rng) for _act in range(4000)]
    assert acts.count("return") / 4000 == pytest.approx(0.1, abs=0.02)
    assert acts.count("abandon") / 4000 == pytest.approx(0.05, abs=0.02)


@given(right=st.integers(0, 6), of=st.integers(6, 7), count=st.sampled_from([1, 3, 5]))
def test_a_drawn_majority_is_that_of_all_subsets(right: int, of: int, count: int) -> None:
    votes = [True] * right + [False] * (of - right)
    subsets = list(combinations(votes, count))
    expected = sum(2 * sum(subset) > count for subset in subsets) / len(subsets)
    assert drawn_majority(right, of, count) == pytest.approx(expected)


def test_three_votes_of_eighty_percent_are_right_in_nine_of_ten() -> None:
    assert majority(0.8, 3) == pytest.approx(0.896)
    assert majority(0.5, 5) == pytest.approx(0.5)


def test_cost_and_time_are_those_of_the_whole_batch() -> None:
    rows = [done(worker, item, 1.0, ended=3600) for worker in range(3) for item in range(4)]
    found = forecast(rows, asked=12, wanted=120, seed=1)
    assert found.cost.value == pytest.approx(36.0)
    assert found.hours.value == pytest.approx(10.0)
    assert found.wage.value == pytest.approx(0.25)
    assert found.finished
    assert [vote.seen for vote in found.votes] == [True, True, False, False, False]


def test_an_interval_holds_the_mean_and_widens_with_unlike_workers() -> None:
    alike = [done(worker, item, 0.8) for worker in range(8) for item in range(5)]
    unlike = [done(worker, item, float(worker % 2)) for worker in range(8) for item in range(5)]
    narrow = forecast(alike, asked=40, wanted=40, seed=1).quality
    wide = forecast(unlike, asked=40, wanted=40, seed=1).quality
    assert narrow.low == pytest.approx(0.8)
    assert wide.low is not None
    assert wide.high is not None
    assert wide.low < 0.5 < wide.high


def test_a_crowd_that_did_not_suffice_is_told() -> None:
    assert not forecast([done(1, 1, 1.0)], asked=3, wanted=3, seed=1).finished
    with pytest.raises(ValueError, match="nobody answered"):
        forecast([], asked=3, wanted=3, seed=1)


def test_the_share_that_passes_a_round_has_its_interval() -> None:
    found = forecast([done(1, 1, 1.0), done(2, 1, 1.0)], asked=2, wanted=2, seed=1, passed=[True, False])
    assert found.passed is not None
    assert found.passed.value == 0.5
    assert found.passed.low is not None
    assert found.passed.low > 0


def test_people_of_a_crowd_have_its_skill_on_average() -> None:
    found = [one.skill for one in draw_personas(WorkerModel(skill=0.7, spread=0.1, lazy=0, spam=0), 2000, Random(1))]
    assert 0.68 < sum(found) / len(found) < 0.72
    assert 0.02 <= min(found) < 0.5 < max(found) <= 0.99


def test_without_gold_nothing_is_said_of_quality() -> None:
    found = forecast([done(1, 1, None), done(2, 1, None)], asked=2, wanted=2, seed=1)
    assert (found.quality, found.votes) == (None, ())
    lines = text_lines({**as_json(found), "hits": 1, "of": 1, "people": 2})
    assert "  quality   – (no item has gold to grade by)" in lines
    assert not any("majority" in line for line in lines)


def test_quality_is_that_of_the_items_with_gold() -> None:
    found = forecast([done(1, 1, 1.0), done(2, 1, None), done(3, 2, 0.0)], asked=3, wanted=3, seed=1)
    assert found.quality is not None
    assert (found.quality.value, found.quality.n) == (0.5, 2)
