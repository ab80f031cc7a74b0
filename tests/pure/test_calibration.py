"""Confidence against being right."""

from __future__ import annotations

from random import Random

import pytest

from annotation.pure.reports.calibration import Stated, calibration, standardised


def stated(*pairs: tuple[int, bool]) -> list[Stated]:
    return [Stated(k, f"w{k % 3}", confidence, right) for k, (confidence, right) in enumerate(pairs)]


def test_every_confidence_is_in_one_of_five_bins_of_equal_width() -> None:
    result = calibration(stated(*((c, False) for c in range(101))), seed=1)
    assert [(one["low"], one["high"], one["n"]) for one in result["bins"]] == [
        (0, 19, 20),
        (20, 39, 20),
        (40, 59, 20),
        (60, 79, 20),
        (80, 100, 21),
    ]


def test_the_brier_score_is_the_mean_square_of_confidence_minus_right() -> None:
    result = calibration(stated((100, True), (0, True), (50, False), (80, True)), seed=1)
    assert result["brier"]["value"] == pytest.approx((0 + 1 + 0.25 + 0.04) / 4)
    assert result["brier"]["low"] < result["brier"]["value"] < result["brier"]["high"]
    assert (result["n"], result["confidence"], result["right"]["value"]) == (4, 0.575, 0.75)
    assert (result["brier_people"]["n"], result["brier_people"]["low"]) == (3, None)


def test_a_bin_has_its_mean_confidence_and_its_share_with_an_interval() -> None:
    result = calibration(stated((90, True), (80, True), (100, False), (85, True)), seed=1)
    last = result["bins"][-1]
    assert (last["n"], last["confidence"], last["right"]["value"]) == (4, 0.8875, 0.75)
    assert 0 < last["right"]["low"] < 0.75 < last["right"]["high"] < 1
    assert result["bins"][0] == {"low": 0, "high": 19, "n": 0, "confidence": None, "right": {
        "value": None, "low": None, "high": None, "n": 0}}  # fmt: skip


def test_responses_to_one_question_are_resampled_together() -> None:
    alone = [Stated(k, f"w{k}", 50, k % 2 == 0) for k in range(24)]
    same = [row._replace(item=k // 6 % 2 + 2 * (k % 2)) for k, row in enumerate(alone)]

    def width(rows: list[Stated]) -> float:
        share = calibration(rows, seed=1)["right"]
        return float(share["high"] - share["low"])

    assert width(same) > width(alone)


def test_seven_workers_have_an_interval_for_people_like_them() -> None:
    rng = Random(3)
    rows = [Stated(k // 7, f"w{k % 7}", rng.randrange(101), rng.random() < 0.6) for k in range(140)]
    people = calibration(rows, seed=1)["brier_people"]
    assert people["n"] == 7
    assert people["low"] < people["value"] < people["high"]


def test_standardised_confidence_compares_within_a_worker() -> None:
    rows = [("a", 90.0), ("b", 20.0), ("a", 100.0), ("b", 10.0), ("c", 70.0), ("c", 70.0), ("d", 5.0)]
    assert standardised(rows) == [-1, 1, 1, -1, 0, 0, 0]
    assert standardised([]) == []
