"""A launch by command that was killed can be begun anew on the batch's page."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.urls import reverse

from annotation import jobs
from annotation.models import Batch, Job
from tests.batches import create_batch
from tests.tasks.html_form import read_form


def test_a_launch_that_stands_still_is_begun_anew(client: Any, alice: Any, project: Any, dataset: Any) -> None:
    batch = create_batch(project, "b", task="answer", datasets=[dataset], instructions="")
    batch.move(Batch.State.LAUNCHING)
    client.force_login(alice)
    assert "launch again" in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    assert client.post(reverse("batch-launch", args=["wells", "b"])).status_code == 303
    assert "launch again" not in client.get(reverse("batch", args=["wells", "b"])).content.decode()
    jobs.run_due_work()
    batch.refresh_from_db()
    assert (batch.state, batch.hits.count()) == (Batch.State.OPEN, 4)
    client.post(reverse("batch-launch", args=["wells", "b"]))
    assert Job.objects.count() == 1


def test_whoever_comes_back_to_the_page_of_a_new_batch_goes_on_with_its_draft(
    client: Any, alice: Any, project: Any, dataset: Any
) -> None:
    client.force_login(alice)
    new = reverse("batch-new", args=["wells"])
    _action, shown = read_form(client.get(f"{new}?dataset=wells").content.decode(), "launch")
    fields = {name: values for name, values in shown.items() if any(values)}
    current = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{new}?dataset=wells"}
    there = client.post(reverse("batch-consequences", args=["wells"]), fields, headers=current)["HX-Replace-Url"]
    assert there == f"{new}?dataset=wells&key={fields['key'][0]}"
    assert client.get(there).status_code == 200
    assert "/preview/" in client.post(new, fields | {"look": "1"}).url
    draft = Batch.objects.get()
    edit = reverse("batch-edit", args=["wells", draft.slug])
    assert client.get(there).url == edit
    assert client.post(new, fields | {"launch": "1", "title": "Now it goes"}).status_code == 303
    jobs.run_due_work()
    assert [(row.title, row.state) for row in Batch.objects.all()] == [("Now it goes", Batch.State.OPEN)]
    done = reverse("batch", args=["wells", Batch.objects.get().slug])
    assert client.post(new, fields | {"launch": "1"}, follow=True).redirect_chain[-1][0] == done
    assert Batch.objects.count() == 1
    assert client.get(new).context["batch"] is None


def test_the_command_lets_workers_see_their_own_scores(dataset: Any) -> None:
    given = ["--project", "wells", "--task", "answer", "--dataset", "wells", "--contact", "Ada", "--ethics", "none"]
    call_command("create_batch", "shown", *given, "--shows-scores")
    call_command("create_batch", "hidden", *given)
    assert dict(Batch.objects.values_list("slug", "shows_scores")) == {"shown": True, "hidden": False}
