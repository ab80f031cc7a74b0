"""The page of a batch's models: what is imported, what is refused and where, and deleting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.models import Batch, BatchModel, Job, ModelPrediction
from tests.batches import create_batch
from tests.flow.reports.test_model_predictions import GOOD, rated

__all__ = ["rated"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def requester(client: Client, alice: Any) -> Client:
    client.force_login(alice)
    return client


def page_of(batch: Batch) -> str:
    return reverse("model-predictions", args=[batch.project.slug, batch.slug])


def post(client: Client, batch: Batch, content: str, **fields: str) -> Any:
    file = SimpleUploadedFile("judged.jsonl", content.encode())
    return client.post(page_of(batch), {"model": "judge/one", "file": file, **fields})


def imported(client: Client, batch: Batch, content: str, **fields: str) -> tuple[Job, str]:
    """The job after its run, and its page."""
    response = post(client, batch, content, **fields)
    assert response.status_code == 303
    jobs.run_due_work()
    job = Job.objects.filter(kind="import_predictions").latest("pk")
    return job, client.get(response.url).content.decode()


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def test_a_file_is_imported_by_a_job_and_its_model_is_listed(requester: Client, rated: Batch) -> None:
    rows = [{"item": k, "answer": GOOD, "cost": 0.5} for k in (0, 1, 1)]
    job, page = imported(requester, rated, lines(*rows))
    assert "3 predictions imported." in page
    assert page_of(rated) in page
    assert not Path(job.arguments["path"]).exists()
    listed = requester.get(page_of(rated)).content.decode()
    row = " ".join(listed.partition("<tbody>")[2].partition("</tbody>")[0].split())
    assert "judge/one" in row
    assert [f'<td class="number">{value}</td>' in row for value in (2, 2, "$1.50")] == [True] * 3
    _job, page = imported(requester, rated, lines(*rows))
    assert "nothing was changed" in page


def test_a_table_is_imported_too(requester: Client, rated: Batch) -> None:
    table = "item,element,fluent,kind,sound\ns0,0,4,fact,yes\ns0,1,,,no\n"
    job, _page = imported(requester, rated, table)
    assert job.state == Job.State.DONE
    assert ModelPrediction.objects.get().answer == GOOD


def test_a_wrong_line_is_named_with_field_and_remedy_and_nothing_is_stored(requester: Client, rated: Batch) -> None:
    wrong = {"item": 1, "answer": GOOD | {"fluent": 9}}
    job, page = imported(requester, rated, lines({"item": 0, "answer": GOOD}, wrong))
    assert job.state == Job.State.FAILED
    assert "line 2, answer.fluent: Choose a point of the scale" in page
    assert "Upload a corrected file" in page
    assert not BatchModel.objects.exists()


def test_what_is_missing_is_said_beside_its_field(requester: Client, rated: Batch) -> None:
    response = requester.post(page_of(rated), {})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"model", "file"}
    response = post(requester, rated, "")
    assert "The file is empty" in str(response.context["form"].errors["file"])
    assert not Job.objects.exists()


def test_a_file_beyond_the_limit_is_refused_beside_its_field(requester: Client, rated: Batch, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 10
    response = post(requester, rated, lines({"item": 0, "answer": GOOD}))
    assert "import_predictions" in str(response.context["form"].errors["file"])


def test_a_batch_in_launch_takes_none(requester: Client, project: Any, dataset: Any) -> None:
    draft = create_batch(project, "draft", task="answer", datasets=[dataset], instructions="Read.")
    Batch.objects.filter(pk=draft.pk).update(state="launching")
    response = post(requester, draft, lines({"item": 0, "answer": {"text": "x"}}))
    assert (response.status_code, Job.objects.exists()) == (422, False)
    assert "is being launched" in response.content.decode()


def test_without_predictions_the_page_shows_a_file_for_the_task(requester: Client, rated: Batch, batch: Batch) -> None:
    page = requester.get(page_of(rated)).content.decode()
    assert "No predictions yet" in page
    assert "item,fluent,kind,sound,confidence" in page
    [line] = requester.get(page_of(batch)).context["examples"]
    assert set(json.loads(line)) == {"item", "answer", "confidence"}
    job, _page = imported(requester, batch, line)
    assert job.state == Job.State.DONE, "the example fits"


def test_deleting_takes_that_model_alone(requester: Client, rated: Batch) -> None:
    for model in ("judge/one", "b"):
        imported(requester, rated, lines({"item": 0, "answer": GOOD}), model=model)
    assert "Delete the predictions of judge/one?" in requester.get(page_of(rated)).content.decode()
    address = reverse("model-predictions-delete", args=[rated.project.slug, rated.slug])
    assert requester.post(address, {"model": "judge/one"}).status_code == 303
    assert [model.name for model in rated.models.all()] == ["b"]
    again = requester.post(address, {"model": "judge/one"}, follow=True).content.decode()
    assert "has no predictions of judge/one" in again
