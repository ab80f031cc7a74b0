"""Models beside people: predictions come in whole, and their gap is taken on the same questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores
from annotation.models import Batch, Dataset, PredictionSet
from annotation.pure.reports.report_values import tables_of
from annotation.pure.reports.tables import note_of
from tests.conftest import records
from tests.flow.review.test_response_import import lines
from tests.flow.scored import imported, worked

__all__ = ["worked"]
pytestmark = pytest.mark.django_db


def predictions(folder: Path, texts: dict[str, str]) -> Path:
    rows = [
        {"id": key, "predicted_answer": text, "predicted_support_idxs": [0, 1], "predicted_answerable": True}
        for key, text in texts.items()
    ]
    return lines(folder / "predicted.jsonl", rows)


def test_a_model_stands_beside_people_with_the_paired_gap(worked: Batch, tmp_path: Path) -> None:
    file = predictions(tmp_path, {f"well-{k}": "Tower 0" for k in range(4)})
    dataset = worked.datasets.get()
    result = batch_scores.import_predictions(dataset, file, format="musique", model="my reader")
    assert result == {"read": 4, "accepted": 4, "missing": 1, "already_there": False}
    found = batch_scores.score_batch(worked)["datasets"]["wells"]
    model = found["models"]["my reader"]
    assert model["n"] == 3
    assert model["answer"]["em"]["value"] == pytest.approx(1 / 3)
    assert model["answer"]["f1"]["value"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert model["support"]["em"]["value"] == 1
    human = found["answer"]["human_score"]
    assert model["gap"]["answer"]["em"]["value"] == pytest.approx(human["em"]["value"] - 1 / 3)
    assert model["gap"]["support"]["f1"]["value"] == pytest.approx(found["support"]["human_score"]["f1"]["value"] - 1)


def test_a_gap_is_taken_on_the_questions_that_both_answered(worked: Batch, tmp_path: Path) -> None:
    file = predictions(tmp_path, {"well-1": "Tower 1", "well-4": "Tower 4"})
    batch_scores.import_predictions(worked.datasets.get(), file, format="musique", model="m")
    model = batch_scores.score_batch(worked)["datasets"]["wells"]["models"]["m"]
    assert (model["n"], model["answer"]["em"]["value"]) == (1, 1)
    assert model["gap"]["answer"]["em"]["value"] == pytest.approx(1 / 3 - 1)


def test_predictions_come_in_whole_or_not_at_all(dataset: Dataset, tmp_path: Path) -> None:
    file = predictions(tmp_path, {"well-0": "Tower 0", "well-9": "Tower 9"})
    with pytest.raises(Refused, match="no item with the id well-9 of a prediction"):
        batch_scores.import_predictions(dataset, file, format="musique", model="m")
    assert not PredictionSet.objects.exists()
    good = predictions(tmp_path, {"well-0": "Tower 0"})
    batch_scores.import_predictions(dataset, good, format="musique", model="m")
    assert batch_scores.import_predictions(dataset, good, format="musique", model="m")["already_there"]
    other = predictions(tmp_path, {"well-1": "Tower 1"})
    with pytest.raises(Refused, match="m already has other predictions here"):
        batch_scores.import_predictions(dataset, other, format="musique", model="m")
    assert batch_scores.import_predictions(dataset, other, format="musique", model="m2")["accepted"] == 1


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_predictions_that_break_off_leave_nothing(
    dataset: Dataset, tmp_path: Path, failure: type[BaseException]
) -> None:
    def fail(done: int, total: int) -> None:
        raise failure

    file = predictions(tmp_path, {"well-0": "Tower 0"})
    with pytest.raises(failure):
        batch_scores.import_predictions(dataset, file, format="musique", model="m", progress=fail)
    assert not PredictionSet.objects.exists()


def test_predictions_that_are_not_all_in_are_not_scored(worked: Batch, tmp_path: Path) -> None:
    batch_scores.import_predictions(
        worked.datasets.get(), predictions(tmp_path, {"well-0": "x"}), format="musique", model="m"
    )
    PredictionSet.objects.update(ready=False)
    assert batch_scores.score_batch(worked)["datasets"]["wells"]["models"] == {}


def test_predictions_for_another_dataset_change_no_report(worked: Batch, tmp_path: Path) -> None:
    other = imported(worked.project, tmp_path, "mills", records(2))
    file = predictions(tmp_path, {"well-0": "Tower 0", "well-1": "Tower 1"})
    batch_scores.import_predictions(other, file, format="musique", model="m")
    assert not batch_scores.score_batch(worked)["datasets"]["wells"]["models"]


def test_people_and_models_stand_in_the_layout_of_musiques_tables(worked: Batch, tmp_path: Path) -> None:
    file = predictions(tmp_path, {f"well-{k}": "Tower 0" for k in range(3)})
    batch_scores.import_predictions(worked.datasets.get(), file, format="musique", model="my reader")
    content = batch_scores.score_batch(worked)
    tables = {table["name"]: table for table in tables_of(content)}
    study = content["datasets"]["wells"]
    shown = {
        measure: [f"{100 * study[part][measure]['f1']['value']:.1f}" for part in ("answer", "support")]
        for measure in ("human_score", "upper_bound", "agreement")
    }
    score, bound, agreement = shown.values()
    assert tables["musique-table-3"]["rows"] == [["Score", *score], ["UB", *bound], ["Agr", *agreement]]
    table = tables["musique-table-4"]
    assert (table["spans"], table["columns"]) == ([["", 1], ["wells", 2]], ["", "An", "Sp"])
    assert table["rows"] == [["Score", *score], ["UB", *bound], ["my reader", "66.7", "100.0"]]


def test_a_model_that_predicts_no_support_is_not_scored_on_it(worked: Batch, tmp_path: Path) -> None:
    """As F1 0 it would stand below people for what it was never asked."""
    said = {"predicted_support_idxs": [], "predicted_answerable": True}
    bare = [{"id": f"well-{k}", "predicted_answer": f"Tower {k}", **said} for k in range(4)]
    dataset = worked.datasets.get()
    file = lines(tmp_path / "bare.jsonl", bare)
    batch_scores.import_predictions(dataset, file, format="musique", model="reader of answers")
    batch_scores.import_predictions(dataset, predictions(tmp_path, {"well-0": "x"}), format="musique", model="of both")
    report = batch_scores.score_batch(worked)
    models = report["datasets"]["wells"]["models"]
    bare_model = models["reader of answers"]
    assert bare_model["answer"]["em"]["value"] == 1
    for figures in (bare_model["support"], bare_model["gap"]["support"]):
        assert list(figures.values()) == [{"value": None, "low": None, "high": None, "n": 0}] * 2
    assert bare_model["people"]["support"]["f1"]["n"] == 3
    assert models["of both"]["support"]["f1"]["value"] == 1
    shown = {table["name"]: table for table in tables_of(report)}
    assert ["reader of answers", "100.0", None] in shown["musique-table-4"]["rows"]
    assert "predict no supporting paragraphs" in note_of(shown["models-wells"])
