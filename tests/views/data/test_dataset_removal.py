"""Removing a dataset: hidden at once, gone after a while, and back until then."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation import jobs
from annotation.models import Dataset, Job
from tests.batches import create_batch


def test_a_removal_hides_the_dataset_and_can_be_undone(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    address = reverse("dataset", args=["wells", "wells"])
    assert client.post(reverse("dataset-remove", args=["wells", "wells"])).status_code == 303
    assert client.get(address).status_code == 404
    jobs.run_due_work()
    job = Job.objects.get(kind="remove_dataset")
    assert client.post(reverse("dataset-restore", args=["wells", job.public_id])).status_code == 303
    assert client.get(address).status_code == 200
    assert dataset.items.count() == 4


def test_a_dataset_removed_again_is_restored_by_its_latest_removal(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    for _time in range(2):
        client.post(reverse("dataset-remove", args=["wells", "wells"]))
        page = client.get(reverse("bin", args=["wells"])).content.decode()
        job = Job.objects.get(kind="remove_dataset", state=Job.State.WAITING)
        address = reverse("dataset-restore", args=["wells", job.public_id])
        assert address in page
        client.post(address)
        assert Dataset.objects.whole().get().items.count() == 4


def test_a_removal_happens_once_its_time_has_come(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-remove", args=["wells", "wells"]))
    job = Job.objects.get(kind="remove_dataset")
    Job.objects.update(due_at=job.created_at)
    jobs.run_due_work()
    assert not Dataset.objects.exists()
    client.post(reverse("dataset-restore", args=["wells", job.public_id]))
    assert not Dataset.objects.exists()


def test_a_hidden_dataset_that_a_batch_took_comes_back(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-remove", args=["wells", "wells"]))
    create_batch(dataset.project, "late", task="answer", datasets=[dataset], instructions="Read.")
    job = Job.objects.get(kind="remove_dataset")
    Job.objects.update(due_at=job.created_at)
    jobs.run_due_work()
    assert Dataset.objects.whole().get().items.count() == 4
    assert Job.objects.get(pk=job.pk).state == "failed"


def test_a_dataset_in_a_batch_stays(client: Any, alice: Any, batch: Any) -> None:
    client.force_login(alice)
    response = client.post(reverse("dataset-remove", args=["wells", "wells"]), follow=True)
    assert "so it cannot be deleted" in response.content.decode()
    assert Dataset.objects.whole().count() == 1


@pytest.mark.parametrize("page", ["dataset", "dataset-remove"])
def test_a_get_removes_nothing(client: Any, alice: Any, dataset: Any, page: str) -> None:
    client.force_login(alice)
    client.get(reverse(page, args=["wells", "wells"]))
    assert Dataset.objects.whole().count() == 1
    assert not Job.objects.exists()
