"""A launch by command that was killed can be begun anew on the batch's page."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from annotation import jobs
from annotation.flow.batches import batch_launch
from annotation.models import Batch, Job


def test_a_launch_that_stands_still_is_begun_anew(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    batch = batch_launch.create_batch(project, "b", task="answer", datasets=[dataset], instructions="")
    batch.move(Batch.State.LAUNCHING)
    client.force_login(alice)
    assert "launch again" in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    assert client.post(reverse("batch-launch", args=["wells", "b"])).status_code == 303
    assert "launch again" not in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    jobs.work_off()
    batch.refresh_from_db()
    assert (batch.state, batch.hits.count()) == (Batch.State.OPEN, 4)
    client.post(reverse("batch-launch", args=["wells", "b"]))
    assert Job.objects.count() == 1
