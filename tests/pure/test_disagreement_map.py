"""Where workers differ: the items with the most disagreement, bounded, by worker."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from annotation.pure.reports import svg
from annotation.pure.reports.disagreement_map import MOST_ITEMS, MOST_WORKERS, Contested, MostContested
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.tables import note_of


def apart(payload: Any, answers: Any) -> float:
    return float(answers[0] != answers[1])


def collected(*items: tuple[float, int, dict[str, str]]) -> MostContested:
    found = MostContested()
    for disagreement, label, given in items:
        found.add(disagreement, label, Contested(label, {}, tuple(given.items())))
    return found


def test_each_cell_is_how_far_a_worker_stands_from_the_others() -> None:
    odd_one_out = {"ann": "x", "bea": "x", "cy": "y"}
    [table] = collected((0.5, 7, {"ann": "x", "bea": "y"}), (0.9, 3, odd_one_out), (0.0, 1, odd_one_out)).tables(apart)
    assert table["columns"] == ["Item", "ann", "bea", "cy"]
    assert table["rows"] == [[3, 50, 50, 100], [7, 100, 100, None]]
    [chart] = charts_of({"differing": [table]})
    assert chart.n == "2"
    assert "3: ann 50, bea 50, cy 100; 7: ann 100, bea 100." in chart.as_text()


def test_only_the_most_contested_items_and_the_busiest_workers_are_kept() -> None:
    many = [(k / 100, k, {f"w{k}-{j}": str(j) for j in range(3)} | {"ann": "x"}) for k in range(1, 100)]
    [table] = collected(*many).tables(apart)
    assert [row[0] for row in table["rows"]] == list(range(99, 99 - MOST_ITEMS, -1))
    assert table["columns"][1] == "ann"
    assert len(table["columns"]) == 1 + MOST_WORKERS


def test_the_caption_says_which_items_and_workers_are_shown() -> None:
    few = [(k / 100, k, {"ann": "x", "bea": str(k), "cy": "z"}) for k in range(1, 5)]
    [table] = collected(*few).tables(apart)
    said = note_of(table)
    assert "The 4 items with the most disagreement" in said
    assert "the 3 workers with the most responses to them" in said


def test_a_map_of_the_most_items_and_workers_has_room_for_its_numbers() -> None:
    many = [(k / 100, k, {f"w{j}": str(j) for j in range(40)}) for k in range(1, 99)]
    [table] = collected(*many).tables(apart)
    [chart] = charts_of({"differing": [table]})
    root = ElementTree.fromstring(svg.draw(chart))
    cells = [rect for rect in root.iter() if rect.tag.endswith("rect") and rect.get("fill-opacity")]
    assert len(cells) == MOST_ITEMS * MOST_WORKERS == 1500
    assert min(float(cell.get("width", 0)) for cell in cells) >= 24
    assert root.get("class") == "chart wide"
    assert len(root.get("aria-label", "")) < 700  # the numbers are in the table


def test_one_item_or_one_worker_makes_no_map() -> None:
    assert collected((0.5, 1, {"ann": "x", "bea": "y"})).tables(apart) == []
    assert collected((0.5, 1, {"ann": "x"}), (0.5, 2, {"ann": "x"})).tables(apart) == []
