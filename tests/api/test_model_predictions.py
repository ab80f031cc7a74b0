"""Models' predictions for a batch's task over the API: list, import, delete."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation import jobs
from annotation.models import Batch, Job, ModelPrediction
from tests.api.calling import caller, fields_at_fault, member
from tests.batches import create_batch
from tests.flow.reports.test_model_predictions import GOOD, rated

__all__ = ["rated"]
pytestmark = pytest.mark.django_db
MODELS = "batches/rated/models/"
BYTES = "application/octet-stream"


@pytest.fixture
def api(alice: Any, rated: Batch) -> Any:
    return caller(alice)


def send(api: Any, *rows: dict[str, Any], path: str = MODELS, model: str = "judge/one", **query: str) -> Any:
    body = "\n".join(map(json.dumps, rows)).encode()
    return api.client.post(f"{api.base}{path}", body, content_type=BYTES, query_params={"model": model, **query})


def test_predictions_are_imported_by_a_job_listed_and_deleted(api: Any) -> None:
    rows = [{"item": k, "answer": GOOD, "cost": 0.001} for k in (0, 0, 4)]
    reply = send(api, *rows, file_name="judged.jsonl")
    assert reply.status_code == 202
    assert reply.json()["title"] == "Import predictions of judge/one from judged.jsonl"
    jobs.run_due_work()
    assert api.get(f"jobs/{reply.json()['id']}/").json()["result"]["accepted"] == 3
    [row] = api.get(MODELS).json()["results"]
    assert {name: row[name] for name in ("name", "items", "runs", "cost")} == {
        "name": "judge/one", "items": 2, "runs": 2, "cost": "0.00300000",
    }  # fmt: skip
    assert api.delete(f"{MODELS}{row['id']}/").status_code == 204
    assert api.delete(f"{MODELS}{row['id']}/").status_code == 404
    assert not ModelPrediction.objects.exists()


def test_a_form_with_a_table_is_taken_too(api: Any) -> None:
    table = SimpleUploadedFile("judged.csv", b"item,element,fluent,kind,sound\ns0,0,4,fact,yes\ns0,1,,,no\n")
    assert api.client.post(f"{api.base}{MODELS}", {"model": "m", "file": table}).status_code == 202
    jobs.run_due_work()
    assert ModelPrediction.objects.get().answer == GOOD


def test_what_is_wrong_with_the_call_is_named_by_field(api: Any, rated: Batch, dataset: Any, project: Any) -> None:
    assert fields_at_fault(send(api)) == {"file"}
    assert fields_at_fault(send(api, {}, model="")) == {"model"}
    assert fields_at_fault(send(api, {}, dataset="other")) == {"dataset"}
    draft = create_batch(project, "draft", task="answer", datasets=[dataset], instructions="Read.")
    type(draft).objects.filter(pk=draft.pk).update(state="launching")
    assert send(api, {"item": 0}, path="batches/draft/models/").status_code == 409
    assert not Job.objects.exists()


def test_a_wrong_line_is_in_the_jobs_report_and_nothing_is_stored(api: Any) -> None:
    send(api, {"item": 0, "answer": GOOD}, {"item": 99, "answer": GOOD})
    jobs.run_due_work()
    job = Job.objects.get()
    assert (job.state, job.result["flaws"][0]["place"], job.result["flaws"][0]["field"]) == ("failed", "line 2", "item")
    assert not ModelPrediction.objects.exists()
    assert not Path(job.arguments["path"]).exists()


def test_a_reviewer_lists_but_does_not_write(api: Any, project: Any) -> None:
    rita = member(project, "rita", "reviewer")
    assert rita.get(MODELS).json()["results"] == []
    assert send(rita, {"item": 0, "answer": GOOD}).status_code == 403
