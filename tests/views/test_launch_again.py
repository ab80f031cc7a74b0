"""A launch by command that was killed can be begun anew on the batch's page."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.flow import batching
from annotation.models import Batch, Job


def test_a_launch_that_stands_still_is_begun_anew(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    batch = batching.create_batch(project, "b", task="answer", datasets=[dataset], guide="")
    batch.move(Batch.State.LAUNCHING)
    client.force_login(alice)
    assert "launch it again" in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    assert client.post(reverse("batch-launch", args=["wells", "b"])).status_code == 303
    assert "launch it again" not in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    jobs.work_off()
    batch.refresh_from_db()
    assert (batch.state, batch.hits.count()) == (Batch.State.OPEN, 4)
    client.post(reverse("batch-launch", args=["wells", "b"]))
    assert Job.objects.count() == 1
