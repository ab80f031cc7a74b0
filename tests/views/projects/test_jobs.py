"""A job's page: while it runs, when it is done, and when it failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.models import Batch, Job, Project
from tests.batches import create_batch
from tests.conftest import write_records

HTMX = {"HX-Request": "true"}


def posted(project: Any, path: Path, **arguments: Any) -> Job:
    arguments = {"path": str(path), "format": "jsonl", "name": "wells"} | arguments
    return jobs.enqueue("import_dataset", project=project, title="Import wells", arguments=arguments)


def page(client: Any, job: Job, **kwargs: Any) -> str:
    return client.get(reverse("job", args=[job.project.slug, job.public_id]), **kwargs).content.decode()


def test_it_asks_again_every_second_while_the_job_waits(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    client.force_login(alice)
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    assert 'hx-trigger="every 1s"' in page(client, job)
    fragment = page(client, job, headers=HTMX)
    assert 'hx-trigger="every 1s"' in fragment
    assert "<html" not in fragment


def test_it_shows_how_far_a_job_has_come(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    client.force_login(alice)
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    Job.objects.update(state="running", done=40, total=160)
    assert "40 of 160" in page(client, job, headers=HTMX)


def test_it_stops_asking_and_reports_once_the_job_is_done(
    client: Any, alice: Any, project: Any, tmp_path: Path
) -> None:
    client.force_login(alice)
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    jobs.run_due_work()
    fragment = page(client, job, headers=HTMX)
    assert "hx-trigger" not in fragment
    assert "Your dataset is ready: 4 items" in fragment
    assert reverse("dataset", args=["wells", "wells"]) in fragment


def test_a_refused_file_is_reported_flaw_by_flaw(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    client.force_login(alice)
    file = tmp_path / "broken.jsonl"
    file.write_text(json.dumps({"id": "<b>x</b>", "question": 7, "paragraphs": []}) + "\n")
    job = posted(project, file)
    jobs.run_due_work()
    html = page(client, job)
    assert "nothing was imported" in html
    assert "line 1" in html
    assert "question" in html
    assert "<b>x</b>" not in html
    assert "Try again" not in html
    assert reverse("dataset-new", args=["wells"]) in html


def test_a_job_that_broke_can_be_tried_again(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    client.force_login(alice)
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    Job.objects.update(state="failed", tries=3, error="OSError: the disk is full")
    assert "the disk is full" in page(client, job)
    response = client.post(reverse("job-again", args=["wells", job.public_id]))
    assert response.status_code == 303
    jobs.run_due_work()
    assert "Your dataset is ready: 4 items" in page(client, job)


def test_a_launch_leads_to_its_batch(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    job = Job.objects.create(
        project=batch.project,
        kind="launch_batch",
        title="Launch wells-1",
        arguments={"batch": batch.pk},
        state="done",
        result={"hits": 4, "skipped": 0, "warnings": ["as of the launch"]},
        due_at=batch.created_at,
    )
    address = reverse("job", args=["wells", job.public_id])
    there = reverse("batch", args=["wells", "wells-1"])
    assert client.get(address, headers={"HX-Request": "true"})["HX-Redirect"] == there
    html = client.get(address, follow=True).content.decode()
    assert "Your batch is live: 4 HITs." in html
    assert "You need 2 workers and have 0." in html
    Batch.objects.update(state="closed")
    assert "is live" not in client.get(address, follow=True).content.decode(), "the job is looked up later"


def test_the_job_of_another_project_does_not_exist(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    Job.objects.update(project=Project.objects.create(slug="mills", title="Mills"))
    client.force_login(alice)
    assert client.get(reverse("job", args=["wells", job.public_id])).status_code == 404
    assert client.get(reverse("job", args=["mills", job.public_id])).status_code == 404


def test_it_is_for_requesters_only(client: Any, bob: Any, project: Any, tmp_path: Path) -> None:
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    address = reverse("job", args=["wells", job.public_id])
    assert client.get(address).status_code == 302
    client.force_login(bob.user)
    assert client.get(address).status_code == 404
    assert client.post(reverse("job-again", args=["wells", job.public_id])).status_code == 404


def test_a_get_does_not_try_again(client: Any, alice: Any, project: Any, tmp_path: Path) -> None:
    job = posted(project, write_records(tmp_path / "wells.jsonl"))
    Job.objects.update(state="failed")
    client.force_login(alice)
    assert client.get(reverse("job-again", args=["wells", job.public_id])).status_code == 405
    assert Job.objects.get().state == "failed"


def test_a_launch_shows_what_was_asked_for_and_why_the_rest_is_missing(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    again = create_batch(
        batch.project, "more", task="answer", datasets=[batch.datasets.get()], instructions="Read.", sample=6
    )
    wanted = {"project": batch.project, "title": "Launch more", "arguments": {"batch": again.pk}}
    job = jobs.enqueue("launch_batch", **wanted)
    jobs.run_due_work()
    html = page(client, job)
    assert "6 items were requested" in html
    assert "The dataset has no more items." in html
