"""Baselines beside the human score: the same questions with less to read, answered by people and by models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.derivation import derive_dataset
from annotation.flow.reports import batch_scores, comparisons
from annotation.flow.reports.dataset_documents import card_of, datasheet_of
from annotation.flow.review import problem_reports
from annotation.models import Batch, PredictionSet
from annotation.pure.reports.baselines import SHOWN
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import cell_text, note_of
from annotation.registry import task_type
from tests.flow.data.test_predictions import predictions
from tests.flow.scored import opened, say, worked

__all__ = ["worked"]
pytestmark = pytest.mark.django_db
CLOSED = {"context": "none", "no_answer": True}


def baselines(batch: Batch) -> dict[tuple[str, str], Any]:
    found = batch_scores.score_batch(batch)["datasets"]["wells"].get("baselines", [])
    return {(one["shown"], one["model"]): one for one in found}


def em(figures: Any) -> Any:
    return figures["answer"]["em"]["value"]


def closed_book(worked: Batch, folder: Path, said: dict[Any, Any], name: str = "closed") -> Batch:
    batch = opened(worked.project, worked.datasets.get(), name=name, options=CLOSED)
    say(batch, folder, said)
    return batch


def test_closed_book_responses_stand_beside_the_human_score_on_their_questions(worked: Batch, tmp_path: Path) -> None:
    assert baselines(worked) == {}
    closed_book(
        worked,
        tmp_path,
        {
            ("wells", 0): [("d", "Tower 0", {}), ("e", "Tower 0", {}), ("f", "", {})],
            ("wells", 1): [("d", "a mill", {})],
            ("wells", 4): [("d", "Tower 4", {})],  # nobody answered it with its paragraphs
        },
    )
    found = baselines(worked)
    assert list(found) == [("closed_book", "")]
    one = found["closed_book", ""]
    assert (one["n"], em(one)) == (2, 0.5)
    human = pytest.approx((1 + 1 / 3) / 2)  # item 1 is a tie of three
    assert em(one["people"]) == human
    assert em(one["gap"]) == pytest.approx((0 + (1 / 3 - 0)) / 2)


def test_who_answered_a_question_with_its_paragraphs_is_no_baseline_of_it(worked: Batch, tmp_path: Path) -> None:
    closed_book(worked, tmp_path, {("wells", 0): [("a", "Tower 0", {}), ("d", "a mill", {})]})
    assert em(baselines(worked)["closed_book", ""]) == 0


def test_excluded_hits_and_deleted_batches_are_no_baselines(worked: Batch, tmp_path: Path) -> None:
    closed = closed_book(worked, tmp_path, {("wells", k): [("d", f"Tower {k}", {})] for k in range(3)})
    problem_reports.exclude(closed.hits.get(item__position=0), reason="broken")
    assert baselines(worked)["closed_book", ""]["n"] == 2
    Batch.objects.filter(pk=closed.pk).update(removed_at=closed.launched_at)
    assert baselines(worked) == {}


def test_one_supporting_paragraph_of_several_is_a_baseline(worked: Batch, tmp_path: Path) -> None:
    derive_dataset(worked.datasets.get(), how="withhold", name="alone", seed=1, options={"keep": 1})
    alone = opened(worked.project, worked.project.datasets.get(slug="alone"), name="alone-1")
    say(alone, tmp_path, {("alone", 0): [("d", "Tower 0", {"support": [0]})]})
    again = opened(worked.project, worked.datasets.get(), name="again")  # as much as the batch itself
    say(again, tmp_path, {("wells", 0): [("d", "Farrow", [0])]})
    found = baselines(worked)
    assert list(found) == [("one_paragraph", "")]
    assert (found["one_paragraph", ""]["n"], em(found["one_paragraph", ""])) == (1, 1)
    assert batch_scores.score_batch(alone)["datasets"]["alone"].get("baselines") is None


def test_a_sample_of_a_baselines_questions_is_one_too(worked: Batch, tmp_path: Path) -> None:
    derive_dataset(worked.datasets.get(), how="withhold", name="alone", seed=1, options={"keep": 1})
    alone = worked.project.datasets.get(slug="alone")
    derive_dataset(alone, how="sample", name="few", seed=1, options={"count": 5})
    few = opened(worked.project, worked.project.datasets.get(slug="few"), name="few-1")
    say(few, tmp_path, {("few", k): [("d", "a mill", {"support": [0]})] for k in range(5)})
    assert baselines(worked)["one_paragraph", ""]["n"] == 3  # of which people answered three


def test_a_report_is_out_of_date_when_a_baseline_has_more_responses(worked: Batch, tmp_path: Path) -> None:
    closed = closed_book(worked, tmp_path, {("wells", 0): [("d", "Tower 0", {})]})
    batch_scores.score_batch(worked)
    report = batch_scores.kept_report(worked)
    assert report is not None
    assert batch_scores.is_fresh(worked, report)
    say(closed, tmp_path, {("wells", 1): [("d", "Tower 1", {})]})
    assert not batch_scores.is_fresh(worked, report)


def test_a_report_is_out_of_date_when_a_hit_of_a_baseline_is_excluded(worked: Batch, tmp_path: Path) -> None:
    closed = closed_book(worked, tmp_path, {("wells", 0): [("d", "Tower 0", {})]})
    batch_scores.score_batch(worked)
    report = batch_scores.kept_report(worked)
    assert report is not None
    problem_reports.exclude(closed.hits.get(item__position=0), reason="broken")
    assert not batch_scores.is_fresh(worked, report)


def test_models_that_were_shown_less_are_baselines_and_no_models(worked: Batch, tmp_path: Path) -> None:
    dataset = worked.datasets.get()
    whole = predictions(tmp_path, {f"well-{k}": f"Tower {k}" for k in range(3)})
    batch_scores.import_predictions(dataset, whole, format="musique", model="reader")
    for shown in SHOWN:
        file = predictions(tmp_path, {f"well-{k}": "Tower 0" for k in range(3)})
        batch_scores.import_predictions(dataset, file, format="musique", model="reader", shown=shown)
    assert PredictionSet.objects.count() == 1 + len(SHOWN)
    study = batch_scores.score_batch(worked)["datasets"]["wells"]
    assert list(study["models"]) == ["reader"]
    assert em(study["models"]["reader"]) == 1
    assert [(one["shown"], one["model"], em(one)) for one in study["baselines"]] == [
        (shown, "reader", pytest.approx(1 / 3)) for shown in sorted(SHOWN)
    ]
    assert comparisons.contenders(worked)[1] == ["reader"]
    [everybody, model] = comparisons.answerers(worked, [], ["reader"])
    assert set(model.scores.values()) == {1.0}
    assert everybody.answers


def test_the_table_names_who_was_shown_what(worked: Batch, tmp_path: Path) -> None:
    closed_book(worked, tmp_path, {("wells", 0): [("d", "a mill", {})]})
    file = predictions(tmp_path, {"well-0": "Tower 0"})
    terms = {"format": "musique", "model": "reader", "shown": "question"}
    batch_scores.import_predictions(worked.datasets.get(), file, **terms)
    tables = {table["name"]: table for table in tables_of(batch_scores.score_batch(worked))}
    rows = [[cell_text(cell) for cell in row] for row in tables["baselines-wells"]["rows"]]
    assert [row[:2] for row in rows] == [["People, closed-book", "1"], ["reader, question only", "1"]]
    assert [figure.split(" [")[0] for figure in rows[0][2:]] == ["0.0", "0.0", "100.0", "100.0", "100.0", "100.0"]
    assert [figure.split(" [")[0] for figure in rows[1][2:]] == ["100.0", "100.0", "100.0", "100.0", "0.0", "0.0"]
    assert "intervals resample these, not people" in note_of(tables["baselines-wells"])
    text, shown = datasheet_of(worked.datasets.get()), card_of(worked.datasets.get(), files={})
    for row in rows:
        assert f"| {' | '.join(row)} |" in text.replace("\\", "")
        assert f"| {' | '.join(row)} |" in shown.replace("\\", "")


def test_a_closed_book_batch_has_no_baseline_of_its_own_kind(worked: Batch, tmp_path: Path) -> None:
    closed = closed_book(worked, tmp_path, {("wells", 0): [("d", "Tower 0", {})]})
    closed_book(worked, tmp_path, {("wells", 0): [("e", "Tower 0", {})]}, name="once-more")
    assert baselines(closed) == {}
    task = task_type("answer")
    hit = closed.hits.first()
    assert task.baseline(hit.payload, hit.item.example, hit.payload) == ""
