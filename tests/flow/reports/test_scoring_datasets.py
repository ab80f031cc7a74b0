"""Reports of what is more than single questions: pairs, several datasets, sentences, hops and shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.reports import batch_scores
from annotation.models import Dataset
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.report_values import drilldown_filters, table_of, tables_of
from annotation.pure.reports.tables import cell_text
from tests.conftest import records
from tests.flow.scored import imported, opened, say
from tests.pure.formats.samples import HOTPOT, twins

pytestmark = pytest.mark.django_db


def test_unanswerable_twins_are_scored_in_pairs(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "twins", twins(), format="musique"))
    right, wrong = [("a", "tin", [0, 2]), ("b", "tin", [0, 2]), ("c", "", [])], [("d", "", []), ("e", "Farrow", [0])]
    say(batch, tmp_path, {("twins", 0): right, ("twins", 1): [*wrong, ("f", "", [])]})
    report = batch_scores.score_batch(batch)
    found = report["datasets"]["twins"]
    assert (found["n"], found["excluded"]) == (1, 1)
    assert found["exclusions"] == {"unanswerable: scored in pairs": 1}
    assert found["pairs"]["n"] == 1
    assert found["pairs"]["answer"]["em"]["value"] == 1
    assert found["pairs"]["support"]["f1"]["value"] == 1
    assert found["pairs"]["answerability"]["value"] == 1
    [row] = table_of(report, "pairs-twins")["rows"]
    assert (row[0], row[-1]["value"]) == (1, 1)


def test_a_pair_whose_answerability_most_people_missed_scores_nothing(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "twins", twins(), format="musique"))
    said = {("twins", 0): [("a", "tin", [0, 2])], ("twins", 1): [("d", "tin", [0]), ("e", "tin", [0]), ("f", "", [])]}
    say(batch, tmp_path, said)
    pairs = batch_scores.score_batch(batch)["datasets"]["twins"]["pairs"]
    assert (pairs["answer"]["f1"]["value"], pairs["answerability"]["value"]) == (0, 0)


def hotpot(project: Any, folder: Path, name: str) -> Dataset:
    return imported(project, folder, name, [HOTPOT, HOTPOT | {"_id": f"{name}-2"}], format="hotpotqa")


FACTS = {"support": [], "facts": [[0, 0], [1, 0]]}  # gold is the second sentence of paragraph 1


def test_sentences_are_compared_where_the_batch_asked_for_them(project: Any, tmp_path: Path) -> None:
    batch = opened(project, hotpot(project, tmp_path, "isle"), options={"sentences": True})
    say(batch, tmp_path, {("isle", 0): [("a", "tin", FACTS)], ("isle", 1): [("a", "tin", FACTS)]})
    found = batch_scores.score_batch(batch)["datasets"]["isle"]
    assert (found["support_level"], found["scorer"]) == ("sentence", "hotpotqa/1")
    assert found["support"]["human_score"]["f1"]["value"] == 0.5
    assert found["support"]["human_score"]["em"]["value"] == 0


def test_several_datasets_are_told_apart_and_compared_by_paragraph(project: Any, tmp_path: Path) -> None:
    batch = opened(
        project, hotpot(project, tmp_path, "isle"), hotpot(project, tmp_path, "reef"), options={"sentences": True}
    )
    say(batch, tmp_path, {("isle", 0): [("a", "tin", FACTS)], ("reef", 1): [("b", "salt", FACTS)]})
    report = batch_scores.score_batch(batch)
    isle, reef = report["datasets"]["isle"], report["datasets"]["reef"]
    assert {isle["support_level"], reef["support_level"]} == {"paragraph"}
    assert isle["support"]["human_score"]["em"]["value"] == reef["support"]["human_score"]["em"]["value"] == 1
    assert (isle["answer"]["human_score"]["em"]["value"], reef["answer"]["human_score"]["em"]["value"]) == (1, 0)
    assert (isle["n"], isle["excluded"]) == (1, 1)
    assert [row["dataset"] for row in report["table4"]] == ["isle", "reef"]


def test_figures_are_kept_apart_by_hops_and_shape(project: Any, tmp_path: Path) -> None:
    found = records(3)
    found[2]["hops"] = [*found[2]["hops"], {"question": "Where is #2?", "answer": "Farrow", "support": 2}]
    found[2] |= {"answers": ["Farrow"], "supports": [0, 1, 2], "shape": "3hop1"}
    batch = opened(project, imported(project, tmp_path, "wells", found))
    say(batch, tmp_path, {("wells", k): [("a", f"Tower {k}", [0, 1])] for k in range(3)})
    parts = batch_scores.score_batch(batch)["datasets"]["wells"]
    ems = {hops: (t["n"], t["answer"]["human_score"]["em"]["value"]) for hops, t in parts["by_hops"].items()}
    assert ems == {"2": (2, 1.0), "3": (1, 0.0)}
    assert parts["by_shape"]["3hop1"]["support"]["human_score"]["f1"]["value"] == pytest.approx(0.8)


def test_items_of_unknown_hops_and_shape_have_a_row_of_their_own(project: Any, tmp_path: Path) -> None:
    found = [record | {"shape": "2hop"} for record in records(3)]
    for record in found[1:]:
        record |= {"hops": [], "shape": ""}
    batch = opened(project, imported(project, tmp_path, "wells", found))
    say(batch, tmp_path, {("wells", k): [("a", f"Tower {k}", [0, 1])] for k in range(3)})
    report = batch_scores.score_batch(batch)
    parts = report["datasets"]["wells"]
    assert {name: part["n"] for name, part in parts["by_hops"].items()} == {"2": 1, "": 2}
    tables = {table["name"]: table for table in tables_of(report)}
    for name, known in (("hops-wells", "2"), ("shape-wells", "2 hops")):
        rows = tables[name]["rows"]
        assert [[cell_text(cell) for cell in row[:2]] for row in rows] == [[known, "1"], ["unknown", "2"]]
        assert drilldown_filters(tables[name], ())[1] is None
    charts = {plot.name: plot for plot in charts_of(report)}
    assert charts["answer-by-hops-wells"].groups == ("all", "2 hops", "unknown")


def test_where_no_number_of_hops_is_known_nothing_is_told_by_hops(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "wells", [r | {"hops": []} for r in records(2)]))
    say(batch, tmp_path, {("wells", k): [("a", f"Tower {k}", [0, 1])] for k in range(2)})
    report = batch_scores.score_batch(batch)
    assert report["datasets"]["wells"]["by_hops"] == {}
    assert not [plot.name for plot in charts_of(report) if "hops" in plot.name]
