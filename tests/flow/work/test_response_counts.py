"""Reports at an equal number of answers an item, and models beside people on the same items."""

from __future__ import annotations

import itertools
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotation.flow.batches.add_assignments import add_assignments
from annotation.flow.reports import batch_scores
from annotation.models import Batch
from annotation.pure.reports.human_scores import MEASURES, question_scores
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.report_values import table_of
from annotation.pure.reports.table_files import FILES
from annotation.pure.reports.tables import cell_text, note_of
from annotation.pure.statistics.metrics import MUSIQUE
from tests.conftest import records
from tests.flow.data.test_predictions import predictions
from tests.flow.scored import imported, opened, say, worked

__all__ = ["worked"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="counters are guarded updates")]

SAID = {
    0: ["Tower 0", "tower 0", "Well 0"],
    1: ["Tower 1", "Well", "the tower"],  # topped up, as answers disagree
    2: ["Tower 2", "Tower 2", "Tower 2"],
}
MORE = ["Tower 1", "Farrow"]


@pytest.fixture
def topped_up(project: Any, tmp_path: Path) -> Batch:
    batch = opened(project, imported(project, tmp_path, "wells", records(3)))
    say(batch, tmp_path, {("wells", k): _given(texts) for k, texts in SAID.items()})
    for k, text in enumerate(MORE):
        add_assignments(batch, base=10**6 * (k + 1), only_disagreeing=True)
        say(batch, tmp_path, {("wells", 1): [(f"late-{k}", text, [0, 1])]})
    return batch


def _given(texts: list[str]) -> list[tuple[str, str, list[int]]]:
    return [(f"w{k}", text, [0, 1]) for k, text in enumerate(texts)]


def at(k: int, item: int) -> dict[str, float]:
    """The F1 figures of an item at k answers, draw by draw."""
    answers = SAID[item] + (MORE if item == 1 else [])
    each = [question_scores(some, [f"Tower {item}"], scorer=MUSIQUE) for some in itertools.combinations(answers, k)]
    found = [{m: getattr(one, m).f1 for m in MEASURES if getattr(one, m)} for one in each]
    return {measure: fmean(one[measure] for one in found) for measure in found[0]}


def test_items_with_more_answers_are_brought_to_the_number_of_the_others(topped_up: Batch) -> None:
    hit = topped_up.hits.get(item__position=1)
    assert (hit.wanted, hit.assignments.count()) == (5, 5)
    content = batch_scores.score_batch(topped_up)
    study = content["datasets"]["wells"]
    assert (content["k"], study["more"], study["fewer"]) == (3, 1, 0)
    for measure in MEASURES:
        expected = fmean(at(3, item)[measure] for item in range(3))
        assert study["answer"][measure]["f1"]["value"] == pytest.approx(expected)
        assert study["by_hops"]["2"]["answer"][measure]["f1"]["value"] == pytest.approx(expected)


def test_every_table_of_figures_says_at_which_number_of_answers(topped_up: Batch) -> None:
    content = batch_scores.score_batch(topped_up)
    for name in ("human-performance", "measures-wells", "hops-wells", "workers-wells"):
        note = note_of(table_of(content, name) or {})
        assert "Figures use k = 3 responses per item." in note
        assert "Items with more (1) count with the expected value over all draws of 3 of their responses." in note


def test_items_with_fewer_answers_count_with_all_of_theirs_and_their_tables_say_so(
    project: Any, tmp_path: Path
) -> None:
    batch = opened(project, imported(project, tmp_path, "wells", records(3)))
    say(batch, tmp_path, {("wells", k): _given(texts[: 1 if k == 1 else 3]) for k, texts in SAID.items()})
    content = batch_scores.score_batch(batch)
    study = content["datasets"]["wells"]
    assert (content["k"], study["more"], study["fewer"]) == (3, 0, 1)
    note = note_of(table_of(content, "measures-wells") or {})
    assert "Figures use k = 3 responses for 2 of 3 items; the others have fewer, and count with all of theirs." in note
    assert "Items with more" not in note


def test_a_curve_has_the_figures_at_every_number_of_answers(topped_up: Batch) -> None:
    content = batch_scores.score_batch(topped_up)
    table = table_of(content, "by-count-wells") or {}
    assert [row[:2] for row in table["rows"]] == [["1", 3], ["2", 3], ["3", 3], ["4", 1], ["5", 1]]
    for number, n, human, upper, agreement, *_support in table["rows"]:
        k = int(number)
        items = range(3) if n == 3 else [1]
        assert human["value"] == pytest.approx(fmean(at(k, item)["human_score"] for item in items))
        assert upper["value"] == pytest.approx(fmean(at(k, item)["upper_bound"] for item in items))
        if k == 1:
            assert agreement["value"] is None
        else:
            assert agreement["value"] == pytest.approx(fmean(at(k, item)["agreement"] for item in items))
    uppers = [row[3]["value"] for row in table["rows"][:3]]
    assert uppers == sorted(uppers)
    assert uppers[0] < uppers[2]
    charts = {plot.name: plot for plot in charts_of(content)}
    assert charts["answer-by-count-wells"].groups == ("k = 1", "k = 2", "k = 3", "k = 4", "k = 5")


def test_a_model_is_shown_over_its_own_items_with_people_on_the_same(worked: Batch, tmp_path: Path) -> None:
    texts = {"well-0": "Tower 0", "well-2": "Farrow", "well-4": "x"}
    batch_scores.import_predictions(
        worked.datasets.get(), predictions(tmp_path, texts), format="musique", model="my reader"
    )
    content = batch_scores.score_batch(worked)
    study = content["datasets"]["wells"]
    assert study["answer"]["human_score"]["em"]["value"] == pytest.approx(7 / 9)
    table = table_of(content, "models-wells") or {}
    result = [[cell_text(row[0]), row[1], row[2]["value"], row[4]] for row in table["rows"]]
    assert result == [
        ["my reader", 2, 0.5, 2],
        ["People on the items of my reader", 2, 1.0, 2],
        ["Human score minus my reader", 2, 0.5, 2],
    ]
    lines = FILES["md"].write(table, str).splitlines()
    assert lines[0] == "| Part | Answer: n | Answer: EM | Answer: F1 | Support: n | Support: EM | Support: F1 |"
    assert lines[2].startswith("| my reader | 2 | 50.0 [")
    measures = FILES["md"].write(table_of(content, "measures-wells") or {}, str).splitlines()
    assert measures[2].startswith("| Human score | 3 | 77.8 [")
    assert measures[4].startswith("| Agreement | 2 | 33.3 [")
    chart = next(plot for plot in charts_of(content) if plot.name == "models-wells")
    assert chart.groups == ("people", "people on the items of my reader", "my reader")


def test_the_figures_are_printed_with_their_n_and_k(worked: Batch, tmp_path: Path) -> None:
    from annotation.management.commands.score_batch import printed

    batch_scores.import_predictions(
        worked.datasets.get(), predictions(tmp_path, {"well-0": "Tower 0"}), format="musique", model="my reader"
    )
    out = "\n".join(printed(batch_scores.score_batch(worked)))
    assert "wells: 3 questions, 2 excluded; scorer musique/1, support by paragraph" in out
    lines = [line for line in out.splitlines() if line.startswith("  ")]
    rows = {line.split("  ")[1]: line.split() for line in reversed(lines)}  # the first with each name
    assert rows["People on the items of my reader"][7:9] == ["1", "100.0"]
    assert rows["my reader"][2:4] == ["1", "100.0"]
    assert "Figures use k = 3 responses for 2 of 3 items; the others have fewer" in out
