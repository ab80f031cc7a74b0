"""Where workers differ: the items with the most disagreement, bounded, by worker."""

from __future__ import annotations

from typing import Any

from annotation.pure.reports.disagreement_map import MOST_ITEMS, MOST_WORKERS, Contested, MostContested
from annotation.pure.reports.plots import plots_of


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
    [chart] = plots_of({"differing": [table]})
    assert chart.n == "2"
    assert "3: ann 50, bea 50, cy 100; 7: ann 100, bea 100." in chart.as_text()


def test_only_the_most_contested_items_and_the_busiest_workers_are_kept() -> None:
    many = [(k / 100, k, {f"w{k}-{j}": str(j) for j in range(3)} | {"ann": "x"}) for k in range(1, 100)]
    [table] = collected(*many).tables(apart)
    assert [row[0] for row in table["rows"]] == list(range(99, 99 - MOST_ITEMS, -1))
    assert table["columns"][1] == "ann"
    assert len(table["columns"]) == 1 + MOST_WORKERS


def test_one_item_or_one_worker_makes_no_map() -> None:
    assert collected((0.5, 1, {"ann": "x", "bea": "y"})).tables(apart) == []
    assert collected((0.5, 1, {"ann": "x"}), (0.5, 2, {"ann": "x"})).tables(apart) == []
