"""Contrasts of arms and their tables."""

from __future__ import annotations

import random

import pytest

from annotation.pure.reports.arm_contrasts import ArmResponse, arm_tables, contrast, position_of, range_of
from tests.bench.coverage_arms import covered


def rows_of(arm: str, scores: dict[int, list[float]], *, worker: int = 0) -> list[ArmResponse]:
    """Responses of an arm by position, each by another worker to another item."""
    found = []
    for position, some in scores.items():
        for score in some:
            number = worker + len(found)
            found.append(ArmResponse(arm, f"q{number}", f"w{number}", position, 20 * (position - 1), score))
    return found


def test_a_contrast_within_positions_does_not_depend_on_how_many_stand_where() -> None:
    """An arm that mostly stood last, where everybody is better by .3."""
    first = rows_of("a", {1: [0.5] * 8, 2: [0.8] * 2})
    second = rows_of("b", {1: [0.5] * 2, 2: [0.8] * 8}, worker=50)
    raw, within = contrast(first, second, lambda _row: None), contrast(first, second, position_of)
    assert raw is not None
    assert within is not None
    assert raw.value == pytest.approx(-0.18)
    assert within.value == pytest.approx(0)


def test_positions_that_only_one_arm_has_are_left_out() -> None:
    found = contrast(rows_of("a", {1: [0.5], 3: [1.0]}), rows_of("b", {1: [0.2]}), position_of)
    assert found is not None
    assert found.value == pytest.approx(0.3)
    assert contrast(rows_of("a", {1: [0.5]}), rows_of("b", {2: [0.2]}), position_of) is None


def test_an_arm_with_few_workers_gives_no_interval() -> None:
    found = contrast(rows_of("a", {1: [0.5] * 6}), rows_of("b", {1: [0.2] * 9}), position_of)
    assert found is not None
    assert found.figure().low is None


def test_an_interval_of_independent_responses_is_that_of_a_difference_of_means() -> None:
    rng = random.Random(1)
    sides = [
        rows_of(arm, {1: [float(rng.random() < 0.7) for _n in range(200)]}, worker=k * 500)
        for k, arm in enumerate("ab")
    ]
    found = contrast(*sides, position_of)
    assert found is not None
    means = [sum(row.score for row in side) / 200 for side in sides]
    wanted = sum(mean * (1 - mean) / 200 for mean in means) ** 0.5
    assert found.error == pytest.approx(wanted, rel=0.01)


def test_intervals_mostly_hold_the_truth() -> None:
    assert covered(12, draws=60) > 0.85


def test_ranges_of_items_done_are_those_of_other_tables() -> None:
    at = [range_of(ArmResponse("a", "q", "w", 1, before, 1.0)) for before in (0, 9, 10, 24, 25, 100)]
    assert at == ["1–10", "1–10", "11–25", "11–25", "26–50", "101+"]


def test_tables_have_arms_by_position_and_items_and_contrasts_of_one_task() -> None:
    rows = [*rows_of("a", {1: [1.0, 0.0], 2: [1.0]}), *rows_of("b", {1: [1.0], 2: [0.0]}), *rows_of("c", {1: [1.0]})]
    positions, items, contrasts = arm_tables(rows, [("a", "answer"), ("b", "answer"), ("c", "cloze")])
    assert [row[:3] for row in positions["rows"]] == [["a", 1, 2], ["a", 2, 1], ["b", 1, 1], ["b", 2, 1], ["c", 1, 1]]
    assert positions["rows"][0][3]["value"] == 0.5
    assert [row[:3] for row in items["rows"][:2]] == [["a", "1–10", 2], ["a", "11–25", 1]]
    [only] = contrasts["rows"]
    assert only[0]["values"] == {"one": "a", "other": "b"}
    assert only[2]["value"] == pytest.approx(0.25)  # .5 − 1 at the first position, 1 − 0 at the second


def test_where_each_worker_had_one_arm_there_is_no_table_by_position() -> None:
    rows = [*rows_of("a", {1: [1.0]}), *rows_of("b", {1: [0.0]})]
    assert [table["name"] for table in arm_tables(rows, [("a", "x"), ("b", "x")])] == ["arms-by-items", "arm-contrasts"]
    assert arm_tables([], [("a", "x"), ("b", "x")]) == []
