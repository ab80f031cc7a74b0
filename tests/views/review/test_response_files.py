"""Judgments from elsewhere come in by upload, and drafts can be thrown away."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import jobs
from annotation.models import Batch, Job
from tests.batches import create_batch


@pytest.fixture
def requester(client: Client, alice: Any) -> Client:
    client.force_login(alice)
    return client


def upload(client: Client, batch: Any, lines: list[dict[str, Any]]) -> Job:
    body = "\n".join(map(json.dumps, lines)).encode()
    address = reverse("batch-responses", args=[batch.project.slug, batch.slug])
    response = client.post(address, {"file": SimpleUploadedFile("responses.jsonl", body)})
    job = Job.objects.get(kind="import_responses")
    assert response.status_code == 303
    assert response.url == reverse("job", args=[batch.project.slug, job.public_id])
    jobs.run_due_work()
    job.refresh_from_db()
    return job


def test_an_uploaded_file_of_responses_is_read(requester: Client, batch: Any) -> None:
    given = {"text": "Tower 0", "support": [0, 1]}
    job = upload(requester, batch, [{"dataset": "wells", "item": 0, "worker": "w1", "answer": given}])
    assert job.state == Job.State.DONE
    assert batch.assignments.submitted().count() == 1
    page = requester.get(reverse("job", args=[batch.project.slug, job.public_id]))
    assert "1 response imported." in page.content.decode()


def test_a_bad_line_is_named_and_nothing_is_stored(requester: Client, batch: Any) -> None:
    good = {"dataset": "wells", "item": 0, "worker": "w1", "answer": {"text": "Tower 0", "support": [0]}}
    job = upload(requester, batch, [good, good | {"item": 99}])
    assert job.state == Job.State.FAILED
    assert batch.assignments.count() == 0
    page = requester.get(reverse("job", args=[batch.project.slug, job.public_id])).content.decode()
    assert "line 2" in page


def test_without_a_file_the_page_says_so(requester: Client, batch: Any) -> None:
    response = requester.post(reverse("batch-responses", args=[batch.project.slug, batch.slug]), follow=True)
    assert "Choose a file of responses" in response.content.decode()


def test_a_draft_can_be_thrown_away(requester: Client, project: Any, dataset: Any) -> None:
    draft = create_batch(project, "rough", task="answer", datasets=[dataset], instructions="Read.")
    response = requester.post(reverse("batch-discard", args=[project.slug, "rough"]))
    assert response.status_code == 303
    assert not Batch.objects.filter(pk=draft.pk).exists()


def test_a_launched_batch_is_not_thrown_away(requester: Client, batch: Any) -> None:
    requester.post(reverse("batch-discard", args=[batch.project.slug, batch.slug]))
    assert Batch.objects.filter(pk=batch.pk).exists()
