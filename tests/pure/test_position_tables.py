from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from annotation.pure.reports.position_tables import Placed, Position, Turn, position_tables, positions
from annotation.pure.reports.tables import note_of

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def turn(hit: int, *, at: float, took: float = 1, worker: str = "ann", ticket: int | None = None) -> Turn:
    began = NOON + timedelta(minutes=at)
    return Turn(hit, worker, began, began + timedelta(minutes=took), ticket)


def test_a_position_counts_within_the_workers_own_block() -> None:
    rows = [turn(k, at=k, ticket=ticket) for k, ticket in enumerate([7, 49, 3, 50, 12, None, 60])]
    rows += [turn(k, at=k, ticket=ticket, worker="bea") for k, ticket in enumerate([3, 4])]
    found = positions(reversed(rows))
    assert [found[k, "ann"].in_block for k in range(7)] == [1, 2, 3, 1, 4, None, 2]
    assert [found[k, "bea"].in_block for k in range(2)] == [1, 2]


def test_a_break_of_more_than_half_an_hour_begins_a_sitting() -> None:
    rows = [turn(0, at=0), turn(1, at=31), turn(2, at=62.1), turn(3, at=63), turn(4, at=93.9), turn(5, at=125)]
    found = positions(rows)
    assert [found[k, "ann"].in_sitting for k in range(6)] == [1, 2, 1, 2, 3, 1]


def placed(item: int, at: int, score: float | None, seconds: float = 10, worker: str = "ann") -> Placed:
    return Placed(item, worker, Position(at if at <= 50 else None, at, NOON), score, seconds)


def rows_of(found: list[Any], name: str) -> dict[str, list[Any]]:
    [table] = [table for table in found if table["name"] == name]
    return {row[0]: row[1:] for row in table["rows"]}


def test_a_row_holds_the_responses_of_its_positions() -> None:
    some = [placed(k, k, float(k % 2), seconds=k) for k in range(1, 61)] + [placed(60, 3, 0.0, worker="bea")]
    found = position_tables(some, seed=1)
    in_block = rows_of(found, "by-position-in-block")
    assert {name: row[0] for name, row in in_block.items()} == {
        "1–10": 11, "11–20": 10, "21–30": 10, "31–40": 10, "41–50": 10,
    }  # fmt: skip
    assert in_block["1–10"][1]["value"] == pytest.approx(5 / 11)
    assert in_block["1–10"][1]["n"] == 11
    assert in_block["11–20"][1:][0]["low"] < 0.5 < in_block["11–20"][1]["high"]
    assert in_block["11–20"][2:] == [15.5, 11, 20]
    assert rows_of(position_tables(some * 4, seed=1), "by-position-in-block")["11–20"][2:] == [15.5, 14, 17]
    in_sitting = rows_of(found, "by-position-in-sitting")
    assert [row[0] for row in in_sitting.values()] == [11, 15, 25, 10, 0]


def test_responses_to_one_item_are_one_value_of_the_interval() -> None:
    found = position_tables([placed(1, 1, 1.0), placed(1, 2, 0.0, worker="bea"), placed(2, 3, 1.0)], seed=1)
    score = rows_of(found, "by-position-in-block")["1–10"][1]
    assert (score["value"], score["n"]) == (0.75, 2)


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert position_tables([], seed=1) == []
    [only] = position_tables([placed(1, 51, None, seconds=0)], seed=1)
    assert only["name"] == "by-position-in-sitting"
    assert [row[1:] for row in only["rows"]] == [
        [count, {"value": None, "low": None, "high": None, "n": 0}, None, None, None] for count in (0, 0, 0, 1, 0)
    ]


def test_the_notes_say_whose_figures_these_are() -> None:
    for table in position_tables([placed(1, 1, 1.0), placed(2, 2, 0.0)], seed=1):
        assert "this one annotator only" in note_of(table)


def test_responses_of_hours_and_days_stand_in_periods_of_a_round_length() -> None:
    def at(hours: float) -> Placed:
        return placed(int(hours), 1, 1.0)._replace(position=Position(1, 1, NOON + timedelta(hours=hours)))

    by_hour = rows_of(position_tables([at(0.2), at(0.9), at(3.5)], seed=1), "by-time")
    assert {label: row[0] for label, row in by_hour.items()} == {
        "01-05 12:00": 2, "01-05 13:00": 0, "01-05 14:00": 0, "01-05 15:00": 1,
    }  # fmt: skip
    by_days = rows_of(position_tables([at(0), at(24 * 15)], seed=1), "by-time")
    assert list(by_days)[:2] == ["2026-01-05", "2026-01-07"]
    assert sum(row[0] for row in by_days.values()) == 2
    assert not [table for table in position_tables([at(0), at(0.5)], seed=1) if table["name"] == "by-time"]
