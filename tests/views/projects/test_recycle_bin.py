"""The bin: what is removed is hidden everywhere, comes back whole, and goes for good only by its name or its time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import jobs
from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.flow.projects import project_search, recycle_bin
from annotation.flow.review import problem_reports
from annotation.flow.work import leases
from annotation.models import AuditEntry, Batch, BatchActivity, Dataset, Member, Project, User
from annotation.pure.people import roles
from tests.flow.acting import draft
from tests.views.console import answer, at, take

pytestmark = pytest.mark.postgresql(reason="rows are locked, and hidden by a constraint")


def test_a_closed_batch_goes_and_comes_back_whole(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    answer(bob, batch)
    client.force_login(alice)
    refused = client.post(at("batch-remove"), follow=True).content.decode()
    assert "Close the batch first" in refused
    batch_launch.close(batch)
    assert client.post(at("batch-remove")).status_code == 303
    for page in ("batch", "hits", "report"):
        assert client.get(at(page)).status_code == 404
    assert "wells-1" not in client.get(reverse("batches", args=["wells"])).content.decode()
    with pytest.raises(Refused, match="possibly one in the bin"):
        draft(batch.project, "wells-1", *batch.datasets.all())
    shown = client.get(reverse("bin", args=["wells"])).content.decode()
    assert "contains responses, so it is kept" in shown
    assert at("batch-erase") not in shown
    client.post(at("batch-erase"), {"name": "wells-1"})
    client.post(at("batch-restore"))
    assert client.get(at("batch")).status_code == 200
    assert batch.assignments.count() == 1


def test_what_lies_in_the_bin_is_nowhere_else(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    row, other = answer(bob, batch), Project.objects.create(slug="mills", title="Mills")
    problem_reports.report_problem(row, reason="unclear", text="")
    Member.objects.create(project=other, user=alice)
    BatchActivity.objects.create(batch=batch, to_adjudicate=1, in_doubt=1)
    client.force_login(alice)
    batch_launch.close(batch)
    recycle_bin.remove_batch(batch)
    recycle_bin.remove_project(other)
    home = client.get(reverse("project", args=["wells"])).content.decode()
    assert "wells-1" not in home
    for text in (row.hit.public_id, row.public_id, "mills"):
        assert not project_search.search(batch.project, text, user=alice, may=roles.ACTS.keys())
    assert reverse("project", args=["mills"]) not in client.get(reverse("account")).content.decode()


def test_a_new_batch_is_proposed_a_name_that_is_free(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    draft(project, "questions-from-wells", dataset)
    client.force_login(alice)
    client.post(at("batch-discard", batch="questions-from-wells"))
    assert "Questions from wells 2" in client.get(reverse("batch-new", args=["wells"])).content.decode()


def test_a_batch_stays_while_work_or_pay_is_open(alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    Batch.objects.filter(pk=batch.pk).update(auto_approval=3600)
    batch.refresh_from_db()
    row = answer(bob, batch)
    type(row).objects.filter(pk=row.pk).update(auto_approve_at=timezone.now() + timedelta(hours=1))
    taken = take(carol, batch)
    batch_launch.close(batch)
    with pytest.raises(Refused, match="still in progress"):
        recycle_bin.remove_batch(batch)
    leases.return_assignment(taken)
    with pytest.raises(Refused, match="awaits approval"):
        recycle_bin.remove_batch(batch)


def test_a_draft_is_erased_once_its_name_is_typed(client: Any, alice: Any, batch: Any) -> None:
    rough = draft(batch.project, "rough", *batch.datasets.all())
    client.force_login(alice)
    client.post(at("batch-discard", batch="rough"))
    erase = at("batch-erase", batch="rough")
    assert client.get(erase).status_code == 200
    wrong = client.post(erase, {"name": "Rough"})
    assert wrong.status_code == 422
    assert "Type rough" in wrong.content.decode()
    assert client.post(erase, {"name": "rough"}).status_code == 303
    assert not Batch.everything.filter(pk=rough.pk).exists()
    acts = AuditEntry.objects.filter(key="rough").order_by("pk").values_list("act", flat=True)
    assert list(acts) == ["created", "removed", "erased"]


def test_after_its_time_goes_what_nothing_hangs_on(bob: Any, batch: Any) -> None:
    answer(bob, batch)
    batch_launch.close(batch)
    old, young = (draft(batch.project, name, *batch.datasets.all()) for name in ("old", "young"))
    for row in (batch, old, young):
        recycle_bin.remove_batch(row)
    Batch.everything.exclude(pk=young.pk).update(removed_at=timezone.now() - timedelta(days=31))
    jobs.run_due_work()
    assert set(Batch.everything.values_list("slug", flat=True)) == {"wells-1", "young"}


def test_a_dataset_in_the_bin_keeps_its_name_and_is_erased_at_once(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("dataset-remove", args=["wells", "wells"]))
    address = reverse("dataset-erase", args=["wells", "wells"])
    assert address in client.get(reverse("bin", args=["wells"])).content.decode()
    assert client.post(address, {"name": "mills"}).status_code == 422
    assert Dataset.objects.get().items.count() == 4
    assert client.post(address, {"name": "wells"}).status_code == 303
    jobs.run_due_work()
    assert not Dataset.objects.exists()
    assert client.get(address).status_code == 404


def test_a_deleted_project_is_gone_and_comes_back_for_its_owner(client: Any, alice: Any, bob: Any, batch: Any) -> None:
    rita = User.objects.create_user("rita")
    Member.objects.create(project=batch.project, user=rita, role="reviewer")
    invited = members.invite(batch.project, role="worker", by=alice)
    answered = answer(bob, batch)
    client.force_login(alice)
    delete = reverse("project-remove", args=["wells"])
    assert "Close the batch" in client.post(delete, {"name": "wells"}).content.decode()
    batch_launch.close(batch)
    assert client.post(delete, {"name": "Wells and towers"}).status_code == 422
    assert client.post(delete, {"name": "wells"}).status_code == 303
    home = client.get("/").content.decode()
    restore = reverse("project-restore", args=["wells"])
    assert restore in home
    assert client.get(reverse("project", args=["wells"])).status_code == 404
    client.force_login(bob.user)
    for address in (reverse("assignment", args=[answered.public_id]), reverse("batch-instructions", args=[batch.pk])):
        assert client.get(address).status_code == 404
    assert "Wells and towers" not in client.get(reverse("work")).content.decode()
    assert members.usable_invite(invited.token) is None
    client.force_login(rita)
    assert restore not in client.get("/").content.decode()
    assert client.post(restore).status_code == 403
    client.force_login(alice)
    assert client.post(restore).status_code == 303
    assert client.get(reverse("project", args=["wells"])).status_code == 200
    assert Project.objects.get().slug == "wells"
