"""Pace, time left, standing still, running out of money."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from annotation.pure.batches import pace

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


@pytest.mark.parametrize(
    ("left", "recent", "hours", "expected"),
    [(48, 24, 24, 48), (1, 10, 10, 1), (0, 10, 24, None), (5, 0, 24, None), (5, 1, 0, None)],
)
def test_the_time_left_goes_by_the_pace(left: int, recent: int, hours: float, expected: float | None) -> None:
    found = pace.left_for(left, recent, since=timedelta(hours=hours))
    assert found == (None if expected is None else timedelta(hours=expected))


def test_a_pace_is_measured_over_a_day_at_most_and_an_hour_at_least() -> None:
    assert pace.window(ago(100), NOW) == timedelta(hours=24)
    assert pace.window(ago(5), NOW) == timedelta(hours=5)
    assert pace.window(ago(0.1), NOW) == timedelta(hours=1)


@pytest.mark.parametrize(
    ("opened", "last", "left", "still"),
    [
        (30, None, 5, True),
        (30, 2, 5, False),
        (2, 100, 5, False),  # resumed two hours ago
        (100, 24, 5, True),
        (30, None, 1, True),
        (100, 50, 0, False),  # nothing is wanted any more
    ],
)
def test_a_batch_stands_still_after_a_day_without_an_answer(
    opened: float, last: float | None, left: int, still: bool
) -> None:
    when = None if last is None else ago(last)
    assert pace.stands_still(open_since=ago(opened), last=when, left=left, now=NOW) is still


@pytest.mark.parametrize(
    ("available", "put_in", "low"), [("9.99", "100", True), ("10", "100", False), ("0", "0", False), ("0", "5", True)]
)
def test_a_budget_runs_out_below_a_tenth_of_what_was_put_in(available: str, put_in: str, low: bool) -> None:
    assert pace.runs_out(available=Decimal(available), put_in=Decimal(put_in)) is low
