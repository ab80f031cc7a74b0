"""The flow of people and responses: it adds up whatever the data are, and is drawn and tabulated as it is."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports import tables
from annotation.pure.reports.charts import Flow
from annotation.pure.reports.exclusion_tables import before_and_after
from annotation.pure.reports.participation_flow import (
    ERASED,
    EXPIRED,
    HIT,
    IN_WORK,
    PEOPLE,
    RESPONSES,
    RETURNED,
    SUBMITTED,
    VISIT,
    Row,
    flow,
    flow_charts,
    flow_tables,
)
from annotation.pure.reports.svg import draw

WORKERS = st.integers(1, 6)
UNDONE = st.builds(
    Row, WORKERS, st.sampled_from([RETURNED, EXPIRED, IN_WORK]), st.just(""), st.just(""), st.integers(1, 9)
)
DONE = st.builds(Row, WORKERS, st.just(SUBMITTED), st.sampled_from(["", VISIT, ERASED]), st.just(""), st.integers(1, 9))
OUT = st.builds(Row, WORKERS, st.just(SUBMITTED), st.just(HIT), st.sampled_from(["Typo", ""]), st.integers(1, 9))


@given(st.lists(st.one_of(UNDONE, DONE, OUT), max_size=20), st.sets(WORKERS), st.sets(WORKERS))
def test_each_step_is_the_one_before_without_its_losses(rows: list[Row], came: set[int], chosen: set[int]) -> None:
    found = flow(rows, came=came, chosen=chosen)
    for name in (PEOPLE, RESPONSES):
        for (_step, count, losses), (_next, rest, _its) in pairwise(found[name]):
            assert count - sum(number for *_why, number in losses) == rest
            assert all(number > 0 for *_why, number in losses)
        assert found[name][-1][2] == []
    counted = [row for row in rows if row.state == SUBMITTED and not row.rule]
    assert found[RESPONSES][0][1] == sum(row.number for row in rows)
    assert found[RESPONSES][-1][1] == sum(row.number for row in counted)
    assert found[PEOPLE][-1][1] == len({row.worker for row in counted})
    assert found[PEOPLE][0][1] == len(came | {row.worker for row in rows} | chosen)


ROWS = [
    Row(1, SUBMITTED, "", "", 5),
    Row(1, RETURNED, "", "", 2),
    Row(2, SUBMITTED, HIT, "Typo <b>", 1),
    Row(3, RETURNED, "", "", 1),
    Row(3, EXPIRED, "", "", 1),
    Row(4, IN_WORK, "", "", 1),
    Row(5, SUBMITTED, HIT, "Typo <b>", 1),
    Row(5, SUBMITTED, VISIT, "", 1),
]


def test_people_are_lost_at_one_step_for_one_reason() -> None:
    found = flow(ROWS, came={1, 2, 3, 4, 5, 6}, chosen={1, 7})
    assert found[PEOPLE] == [
        ["invited", 7, [["stayed", "", 1]]],
        ["came", 6, [["looked", "", 1]]],
        ["began", 5, [[IN_WORK, "", 1], ["mixed", "", 1]]],
        ["answered", 3, [[HIT, "", 1], ["several", "", 1]]],
        ["counted", 1, []],
    ]
    assert [step[:2] for step in found[RESPONSES]] == [["accepted", 13], ["submitted", 8], ["counted", 5]]
    assert found[RESPONSES][1][2] == [[HIT, "Typo <b>", 2], [VISIT, "", 1]]


def test_a_batch_that_nobody_opened_has_a_flow_of_noughts() -> None:
    found = flow([], came=(), chosen=())
    assert [step[1] for step in found[PEOPLE] + found[RESPONSES]] == [0] * 7
    assert draw(flow_charts(found, str)[0])


def test_tables_and_figures_say_the_same_numbers() -> None:
    kept: dict[str, Any] = flow(ROWS, came={6}, chosen=()) | {"others": {"paused": 2, "withdrew": 0}}
    people, responses = flow_tables(kept)
    assert tables.note_of(people).endswith("Paused by the rule on hidden gold: 2.")
    assert "Paused" not in tables.note_of(responses)
    assert [tables.cell_text(cell) for cell in responses["rows"][5]] == ["–", "Excluded HIT: Typo <b>", "2"]
    for table, chart in zip((people, responses), flow_charts(kept, str), strict=True):
        assert isinstance(chart, Flow)
        said = [n for _label, count, losses in chart.steps for n in (count, *(lost for _why, lost in losses))]
        assert said == [row[2] for row in table["rows"]]
        root = ET.fromstring(draw(chart))
        words = [each.text for each in root.iter() if each.tag.endswith("text")]
        assert [str(count) for _label, count, _losses in chart.steps] == [w for w in words if w and w.isdigit()]
        assert root.get("aria-label", "").startswith(chart.title)


def figure(value: float, n: int) -> dict[str, float | int | None]:
    return {"value": value, "low": None, "high": None, "n": n}


def test_figures_stand_before_and_after_exclusion_side_by_side() -> None:
    def table(name: str, *rows: list[Any]) -> dict[str, Any]:
        return tables.table(name, "Agreement", ["Label", "Items", "Alpha", "Pairs"], rows)

    same = table("same", ["all", 4, figure(0.5, 4), None])
    own = [
        same,
        table(
            "alpha", ["x", 3, figure(0.7, 3), figure(0.9, 3)], ["new", 1, figure(1.0, 1), None], ["x y", 3, None, None]
        ),
    ]
    counting = [same, table("alpha", ["x", 4, figure(0.6, 4), figure(0.8, 4)], ["x y", 4, figure(0.1, 4), None])]
    (found,) = before_and_after(own, counting)
    assert [[tables.cell_text(cell) for cell in row] for row in found["rows"]] == [
        ["x", "Alpha", "60.0", "70.0"],
        ["x", "Pairs", "80.0", "90.0"],
    ]
    assert [row[3]["n"] for row in found["rows"]] == [3, 3]
    assert before_and_after(own, own) == []
    assert before_and_after([], counting) == []
