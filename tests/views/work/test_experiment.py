"""Pages of an experiment for workers: one link, one line, and from one arm to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.batches import experiments
from annotation.models import ArmDraw, Assignment, Batch, Experiment, Project, Worker
from annotation.views.work.task_frame import release
from tests.flow.acting import answer_all, dataset_of, launched, newcomer
from tests.marketplaces.test_frame import fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(project: Project, tmp_path: Path) -> Experiment:
    """Two arms of two HITs, both for each worker."""
    arms = [
        launched(
            project,
            f"secret-{k}",
            dataset_of(project, tmp_path, name=f"items-{k}", size=2),
            title=f"Secret {k}",
            description=f"Hidden {k}",
            assignments_per_hit=9,
        )
        for k in range(2)
    ]
    return experiments.join(project, "study", arms, each="order", title="Read and answer")


@pytest.fixture
def ada(experiment: Experiment) -> Worker:
    return newcomer(experiment.project, "ada")


@pytest.fixture
def client(ada: Worker) -> Client:
    found = Client()
    found.force_login(ada.user)
    return found


def start(client: Client, experiment: Experiment) -> Any:
    return client.post(reverse("experiment-start", args=[experiment.token]))


def read(client: Client, arm: Batch) -> Any:
    """Confirm the instructions of an arm; the page that follows."""
    return client.post(reverse("batch-instructions", args=[arm.pk]), {"version": "1"})


def test_the_link_leads_through_consent_and_instructions_to_the_drawn_arm(
    client: Client, experiment: Experiment
) -> None:
    begun = start(client, experiment)
    arm = ArmDraw.objects.get().arm
    assert begun.url == reverse("batch-instructions", args=[arm.pk])
    assert read(client, arm).url == reverse("assignment", args=[Assignment.objects.get(batch=arm).public_id])
    assert start(client, experiment).url == reverse("assignment", args=[Assignment.objects.get().public_id])


def test_nobody_draws_before_they_agreed(experiment: Experiment, ada: Worker, client: Client) -> None:
    Worker.objects.filter(pk=ada.pk).update(consented_version=0)
    link = reverse("experiment-start", args=[experiment.token])
    assert client.post(link).url == f"{reverse('consent', args=[experiment.project.slug])}?next={link}"
    assert not ArmDraw.objects.exists()


def test_pages_for_workers_name_no_arm(client: Client, experiment: Experiment) -> None:
    pages = [
        client.get(reverse("experiment-start", args=[experiment.token])),
        client.get(reverse("work")),
        client.get(reverse("marketplace")),
    ]
    start(client, experiment)
    arm = ArmDraw.objects.get().arm
    pages += [client.get(reverse("batch-instructions", args=[arm.pk])), client.get(reverse("work"))]
    pages.append(client.get(read(client, arm).url))
    for page in pages:
        text = page.content.decode()
        assert page.status_code == 200
        assert "Read and answer" in text
        assert not [word for word in ("Secret", "secret-", "Hidden") if word in text]
    assert pages[1].content.decode().count("<h2>Read and answer</h2>") == 1
    assert pages[2].content.decode().count('aria-labelledby="group-') == 1


def test_an_arm_is_not_there_before_it_is_drawn_nor_before_its_turn(client: Client, experiment: Experiment) -> None:
    urls = [reverse(name, args=[arm.pk]) for arm in experiment.arms.all() for name in ("batch-done",)]
    assert {client.get(url).status_code for url in urls} == {404}
    start(client, experiment)
    assert sorted(client.get(url).status_code for url in urls) == [200, 404]
    [later] = experiment.arms.exclude(pk=ArmDraw.objects.get().arm_id)
    assert client.post(reverse("batch-start", args=[later.pk])).status_code == 404
    assert client.post(reverse("batch-instructions", args=[later.pk]), {"version": "1"}).status_code == 404


def test_the_last_response_of_an_arm_leads_to_the_next_arm(client: Client, experiment: Experiment, ada: Worker) -> None:
    start(client, experiment)
    first, second = (Batch.objects.get(pk=key) for key in ArmDraw.objects.get().order)
    read(client, first)
    answer_all(ada, first, most=1)
    start(client, experiment)
    last = Assignment.objects.get(state="accepted")
    after = client.post(reverse("submit", args=[last.public_id]), fields(last))
    assert after.url == reverse("batch-instructions", args=[second.pk])
    assert read(client, second).status_code == 303
    answer_all(ada, second)
    assert start(client, experiment).url == reverse("batch-done", args=[second.pk])
    assert "Read and answer" in client.get(reverse("work")).content.decode()


def test_a_script_gets_the_address_of_the_next_arm_and_not_its_item(
    client: Client, experiment: Experiment, ada: Worker
) -> None:
    start(client, experiment)
    first, second = (Batch.objects.get(pk=key) for key in ArmDraw.objects.get().order)
    second.instructions_versions.update(version=0)
    read(client, first)
    answer_all(ada, first, most=1)
    start(client, experiment)
    last = Assignment.objects.get(state="accepted")
    after = client.post(reverse("submit", args=[last.public_id]), fields(last), headers={"X-Release": release()})
    there = Assignment.objects.get(batch=second)
    assert after.json() == {"next": reverse("assignment", args=[there.public_id])}


def test_others_cannot_open_the_link(experiment: Experiment) -> None:
    client = Client()
    link = reverse("experiment-start", args=[experiment.token])
    assert client.get(link).status_code == 302
    client.force_login(newcomer(Project.objects.create(slug="other", title="Other"), "eve").user)
    assert client.get(link).status_code == 404


def test_the_marketplace_begins_an_experiment_by_its_line(client: Client, experiment: Experiment) -> None:
    [lead, _other] = experiment.arms.order_by("pk")
    client.post(reverse("marketplace-start", args=[lead.pk]))
    assert ArmDraw.objects.count() == 1
