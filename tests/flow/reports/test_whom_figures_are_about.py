"""Whom a report's figures are about: these workers, or people in general, and how far they hang on a single one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.reports import batch_scores
from annotation.models import Batch
from annotation.pure.reports.report_values import table_of, tables_of
from annotation.pure.reports.tables import cell_text, note_of
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS
from tests.conftest import records
from tests.flow.scored import imported, opened, say, worked

__all__ = ["worked"]
pytestmark = pytest.mark.django_db
ITEMS = 24


def studied(project: Any, folder: Path, workers: int) -> Batch:
    """Each item answered by three workers in turn, of whom each third is often wrong."""
    batch = opened(project, imported(project, folder, "wells", records(ITEMS)))
    said = {
        ("wells", item): [
            (f"w{who}", f"Tower {item}" if (who + item) % 4 or who % 3 else "Farrow", [0, 1])
            for who in sorted((item + k) % workers for k in range(3))
        ]
        for item in range(ITEMS)
    }
    say(batch, folder, said)
    return batch


def test_notes_below_tables_say_for_how_many_annotators_the_intervals_are(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    for name in ("human-performance", "measures-wells", "workers-wells", "alpha-wells"):
        assert "hold for these 3 annotators" in note_of(table_of(content, name) or {}), name
    assert content["workers"] == content["datasets"]["wells"]["people"]["workers"] == 3


def test_below_seven_annotators_nothing_is_said_of_people_in_general_and_the_table_says_why(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    found = content["datasets"]["wells"]["people"]
    assert found["answer"]["average"] == {"em": None, "f1": None}
    table = table_of(content, "people-wells") or {}
    assert "Average annotator" not in {cell_text(row[0]) for row in table["rows"]}, "a row of dashes"
    assert "at least 7 annotators, and only 3 took part" in note_of(table)


def test_a_range_tells_what_a_figure_would_be_without_any_one_annotator(worked: Batch) -> None:
    """Worked by hand: item 0 is (right, right, wrong), item 1 a tie with one right, item 2 of a alone."""
    study = batch_scores.score_batch(worked)["datasets"]["wells"]
    human = study["people"]["answer"]["human_score"]["em"]
    assert human["value"] == study["answer"]["human_score"]["em"]["value"] == pytest.approx(7 / 9)
    without_a = (1 / 2 + 0) / 2  # item 2 is gone
    without_b, without_c = (1 / 2 + 1 / 2 + 1) / 3, (1 + 1 / 2 + 1) / 3
    assert without_a < without_b < without_c
    assert (human["low"], human["high"]) == (pytest.approx(without_a), pytest.approx(without_c))
    assert human["n"] == 3


def test_what_a_figure_would_be_without_one_annotator_does_not_pass_for_its_interval(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    human = content["datasets"]["wells"]["people"]["answer"]["human_score"]["em"]
    table = table_of(content, "people-wells") or {}
    lowest, highest = (row for row in table["rows"] if cell_text(row[0]) == "Human score")
    assert [cell_text(row[1]) for row in (lowest, highest)] == [
        "Lowest with one annotator left out", "Highest with one annotator left out",
    ]  # fmt: skip
    assert [row[2]["value"] for row in (lowest, highest)] == [human["low"], human["high"]]
    assert not any("[" in cell_text(cell) for row in table["rows"] for cell in row)


def test_from_seven_annotators_on_the_average_has_an_interval_about_people(project: Any, tmp_path: Path) -> None:
    study = batch_scores.score_batch(studied(project, tmp_path, LEAST_WORKERS))["datasets"]["wells"]
    over, items = study["people"]["answer"]["average"]["em"], study["answer"]["average"]["em"]
    assert over["value"] == pytest.approx(items["value"])
    assert over["low"] < items["low"] < items["high"] < over["high"]
    assert over["n"] == LEAST_WORKERS
    assert "at least 7" not in note_of(table_of({"datasets": {"wells": study}}, "people-wells") or {})


def test_six_annotators_have_none(project: Any, tmp_path: Path) -> None:
    study = batch_scores.score_batch(studied(project, tmp_path, LEAST_WORKERS - 1))["datasets"]["wells"]
    assert study["people"]["answer"]["average"]["em"] is None


def test_a_report_kept_from_before_is_still_shown(worked: Batch) -> None:
    content = batch_scores.score_batch(worked)
    del content["workers"], content["datasets"]["wells"]["people"]
    assert "people-wells" not in {table["name"] for table in tables_of(content)}
    assert "annotators" not in note_of(table_of(content, "human-performance") or {})
