"""Confidence, an option of `answer`: asked for, stored with the response, exported and reported."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation import registry
from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review import response_import
from annotation.models import Batch, Dataset, Item, WorkerResponse
from annotation.pure.data.example import Example
from annotation.pure.reports.report_charts import charts_of
from annotation.pure.reports.report_values import tables_of
from tests.batches import create_batch
from tests.conftest import records
from tests.tasks.html_form import read_form
from tests.tasks.test_closed_book import begun, page_of

JSON = dict[str, Any]
SURE: JSON = {"confidence": True}


def prepared(**options: Any) -> tuple[Any, JSON]:
    task, example = registry.task_type("answer"), Example.from_json(records(1)[0])
    payload = task.prepare(example, task.options(options), Random(1))
    assert payload
    return task, payload


def told(confidence: Any = None) -> JSON:
    return {"text": "Tower 0", "support": [0, 1]} | ({} if confidence is None else {"confidence": confidence})


@pytest.fixture
def sure(project: Any, dataset: Dataset) -> Batch:
    made = create_batch(project, "sure", task="answer", datasets=[dataset], options=SURE, assignments_per_hit=2)
    batch_launch.launch(made)
    return made


def bring(batch: Batch, tmp_path: Path, rows: list[JSON]) -> None:
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps({"dataset": "wells"} | row) + "\n" for row in rows))
    response_import.import_responses(batch, file)


def test_without_the_option_nothing_is_asked_and_nothing_stored() -> None:
    task, payload = prepared()
    assert "confidence" not in payload["controls"]
    assert "confidence" not in task.complete(payload, told(80))


@pytest.mark.parametrize("confidence", [None, -1, 101, 50.5, "80"])
def test_a_worker_must_state_a_whole_number_from_0_to_100(confidence: Any) -> None:
    task, payload = prepared(**SURE)
    answer = task.complete(payload, told()) | {"confidence": confidence}
    assert [problem.field for problem in task.check(payload, answer)] == ["confidence"]
    for right in (0, 100):
        assert not task.check(payload, answer | {"confidence": right})


def test_who_does_not_know_closed_book_states_none() -> None:
    task, payload = prepared(**SURE, context="none", no_answer=True)
    assert not task.check(payload, task.complete(payload, {"text": ""}))
    assert task.check(payload, task.complete(payload, {"text": "a barn"}))
    _task, with_paragraphs = prepared(**SURE, no_answer=True)
    assert task.check(with_paragraphs, task.complete(with_paragraphs, {"text": ""}))


def test_it_is_asked_on_the_page_and_stored_with_the_response(client: Any, bob: Any, sure: Batch) -> None:
    assignment = begun(bob, sure)
    html = page_of(client, bob, assignment)
    assert 'name="confidence"' in html
    action, fields = read_form(html)
    given = {**fields, "kind": "text", "text": "Tower", "support": "0"}
    for wrong in ("", "101", "very"):
        assert client.post(action, {**given, "confidence": wrong}).status_code == 422
    assert client.post(action, {**given, "confidence": "73"}).status_code == 303
    assert WorkerResponse.objects.get(assignment=assignment).answer["confidence"] == 73


def test_an_edited_answer_keeps_it_and_an_aggregated_one_has_none() -> None:
    task, payload = prepared(**SURE)
    answer = task.complete(payload, told(80))
    assert task.edited(payload, answer, "Tower")["confidence"] == 80
    assert "confidence" not in task.aggregate(payload, [answer, answer])


def test_another_value_from_elsewhere_is_refused_and_none_is_accepted(sure: Batch, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="0 to 100"):
        bring(sure, tmp_path, [{"item": 0, "worker": "ada", "answer": told(101)}])
    bring(sure, tmp_path, [{"item": 0, "worker": "ada", "answer": told()}])
    assert "confidence" not in WorkerResponse.objects.get().answer


def test_the_report_has_calibration_in_five_bins_and_the_brier_score(
    sure: Batch, dataset: Dataset, tmp_path: Path
) -> None:
    rows = [
        {"item": k, "worker": worker, "answer": {"text": text, "support": [0], "confidence": confidence}}
        for k, item in enumerate(Item.objects.filter(dataset=dataset))
        for worker, text, confidence in (("ada", item.example.answers[0], 90), ("ben", "Farrow", 30))
    ]
    bring(sure, tmp_path, rows)
    report = score_batch(sure)
    found = report["datasets"]["wells"]["calibration"]
    assert [part["n"] for part in found["bins"]] == [0, 4, 0, 0, 4]
    assert [part["right"]["value"] for part in found["bins"]] == [None, 0, None, None, 1]
    assert found["brier"]["value"] == pytest.approx((0.01 + 0.09) / 2)
    tables = {table["name"]: table for table in tables_of(report)}
    assert [row[1] for row in tables["calibration-wells"]["rows"]] == [0, 4, 0, 0, 4, 8]
    assert tables["brier-wells"]["rows"][0][0] == 0.05
    [chart] = [plot for plot in charts_of(report) if plot.name == "calibration-wells"]
    assert len(chart.series) == 2


def test_a_report_without_confidences_has_no_calibration(batch: Batch, tmp_path: Path) -> None:
    bring(batch, tmp_path, [{"item": 0, "worker": "ada", "answer": told()}])
    assert "calibration" not in score_batch(batch)["datasets"]["wells"]


def test_exports_have_it_in_the_answer(sure: Batch, tmp_path: Path) -> None:
    from django.core.management import call_command

    bring(sure, tmp_path, [{"item": 0, "worker": "ada", "answer": told(64)}])
    for form in ("jsonl", "csv"):
        call_command("export_responses", "sure", project="wells", format=form, out=str(tmp_path / form))
        assert "64" in (tmp_path / form).read_text()
    assert json.loads((tmp_path / "jsonl").read_text())["answer"]["confidence"] == 64
