"""Questions with several answers, and dates, in batches of `answer`."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation import registry
from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review import response_import
from annotation.models import Batch, WorkerResponse
from annotation.pure.data.example import Example
from annotation.pure.reports.report_values import tables_of
from tests.batches import create_batch
from tests.tasks.html_form import read_form
from tests.tasks.test_closed_book import begun, page_of

JSON = dict[str, Any]
OPTIONS: JSON = {"several": True, "as_of": True, "support": False}
RECORD: JSON = {
    "id": "rivers",
    "question": "Which rivers flow through Farrow?",
    "paragraphs": [{"title": "Farrow", "text": "The Lum and the Tarn flow through Farrow."}],
    "answers": [],
    "answer_set": [["Lum", "River Lum"], ["Tarn"]],
    "as_of": "2024-05",
}


@pytest.fixture
def rivers(project: Any, tmp_path: Path) -> Batch:
    file = tmp_path / "rivers.jsonl"
    file.write_text("".join(json.dumps(RECORD | {"id": f"r{k}"}) + "\n" for k in range(2)))
    import_dataset(project, file, format="jsonl", name="rivers")
    made = create_batch(
        project, "rivers", task="answer", datasets=[project.datasets.get()], options=OPTIONS, assignments_per_hit=3
    )
    batch_launch.launch(made)
    return made


def bring(batch: Batch, folder: Path, *rows: tuple[int, str, str]) -> None:
    lines = [
        {"dataset": "rivers", "item": item, "worker": worker, "answer": {"text": text, "as_of": "2024-06-01"}}
        for item, worker, text in rows
    ]
    file = folder / "responses.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    response_import.import_responses(batch, file)


def test_the_page_shows_the_date_and_takes_an_answer_a_line(client: Any, bob: Any, rivers: Batch) -> None:
    assignment = begun(bob, rivers)
    html = page_of(client, bob, assignment)
    assert "as of 2024-05" in html
    assert "<textarea" in html
    action, fields = read_form(html)
    answers = " Lum \r\n\r\nthe Tarn\r\n"
    assert client.post(action, {**fields, "text": answers, "as_of": ""}).status_code == 422
    assert client.post(action, {**fields, "text": " ", "as_of": "2024-06-01"}).status_code == 422
    assert client.post(action, {**fields, "text": answers, "as_of": "2024-06-01"}).status_code == 303
    kept = WorkerResponse.objects.get(assignment=assignment).answer
    assert (kept["kind"], kept["text"], kept["as_of"]) == ("several", "Lum\nthe Tarn", "2024-06-01")


def test_the_gold_set_is_not_on_the_page(client: Any, bob: Any, rivers: Batch) -> None:
    assert "River Lum" not in page_of(client, bob, begun(bob, rivers))


def test_the_report_has_loose_and_strict_accuracy_of_majority_best_and_average(rivers: Batch, tmp_path: Path) -> None:
    bring(
        rivers,
        tmp_path,
        *((0, worker, text) for worker, text in (("ada", "Lum\nTarn"), ("ben", "tarn\nlum"), ("cy", "Lum"))),
        *((1, worker, text) for worker, text in (("ada", "Lum"), ("ben", "Lum"), ("cy", ""))),
    )
    report = score_batch(rivers)
    found = report["datasets"]["rivers"]["sets"]
    assert found["n"] == 2
    values = {
        measure: [found[measure][part]["value"] for part in ("loose", "strict")]
        for measure in ("human_score", "upper_bound", "average")
    }
    assert values["human_score"] == values["upper_bound"] == [0.75, 0.5]
    assert values["average"] == [pytest.approx((2.5 / 3 + 1 / 3) / 2), pytest.approx(1 / 3)]
    [table] = [table for table in tables_of(report) if table["name"] == "sets-rivers"]
    assert len(table["rows"]) == 3


def test_exports_have_set_date_and_both_scores(rivers: Batch, tmp_path: Path) -> None:
    bring(rivers, tmp_path, (0, "ada", "Lum"))
    call_command("export_responses", "rivers", project="wells", format="jsonl", out=str(tmp_path / "out"))
    row = json.loads((tmp_path / "out").read_text())
    assert (row["gold_set"], row["as_of"]) == ([["Lum", "River Lum"], ["Tarn"]], "2024-05")
    assert (row["score"]["loose"], row["score"]["strict"]) == (0.5, 0)
    call_command("export_responses", "rivers", project="wells", format="csv", out=str(tmp_path / "csv"))
    assert "score_loose" in (tmp_path / "csv").read_text().splitlines()[0]


def test_a_dataset_of_the_results_has_the_workers_set() -> None:
    task, example = registry.task_type("answer"), Example.from_json(RECORD)
    payload = task.prepare(example, task.options(OPTIONS), Random(1))
    assert payload
    answers = [task.complete(payload, {"text": text}) for text in ("Lum\nOder", "oder\nlum", "Tarn")]
    [made] = task.export(example, task.aggregate(payload, answers))
    assert (made.answer_set, made.as_of) == ((("Lum",), ("Oder",)), "2024-05")


def test_the_item_page_shows_both(client: Any, alice: Any, rivers: Batch) -> None:
    client.force_login(alice)
    html = client.get(reverse("item", args=["wells", "rivers", 0])).content.decode()
    assert "River Lum" in html
    assert "2024-05" in html


def test_a_hit_with_responses_shows_the_set_beside_them(client: Any, alice: Any, rivers: Batch, tmp_path: Path) -> None:
    bring(rivers, tmp_path, (0, "ada", "Lum\nTarn"))
    hit = rivers.hits.get(item__position=0)
    client.force_login(alice)
    html = client.get(reverse("hit", args=["wells", "rivers", hit.public_id])).content.decode()
    assert "Lum<br>Tarn" in html
    assert "River Lum" in html
