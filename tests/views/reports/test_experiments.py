"""Experiments on requesters' pages, over the API and on the command line."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse

from annotation.flow.people import members
from annotation.flow.reports import score_looks
from annotation.flow.work import arm_draws
from annotation.jobs import run_due_work
from annotation.models import AuditEntry, Batch, Experiment, Project, User
from tests.flow.acting import answer_all, dataset_of, draft, launched, newcomer

pytestmark = pytest.mark.django_db


@pytest.fixture
def arms(project: Project, tmp_path: Path) -> list[Batch]:
    held = dataset_of(project, tmp_path, name="items", size=2)
    return [launched(project, name, held, assignments_per_hit=4) for name in ("plain", "hints")]


@pytest.fixture
def client(project: Project) -> Client:
    user = User.objects.create_user("olga", password=None)
    members.add_member(project, user, "owner")
    found = Client()
    found.force_login(user)
    return found


def post(client: Client, project: Project, **fields: Any) -> Any:
    given = {"batches": ["plain", "hints"], "each": "order", "slug": "study", "title": "Answer questions"} | fields
    return client.post(reverse("experiments", args=[project.slug]), given)


def test_a_requester_makes_arms_and_sees_link_and_balance(client: Client, project: Project, arms: list[Batch]) -> None:
    form = client.get(reverse("experiments", args=[project.slug]), {"with": "plain"}).content.decode()
    assert "checked" in form.split('value="plain"')[1][:80]
    made = post(client, project)
    assert made.url == reverse("experiment", args=[project.slug, "study"])
    experiment = Experiment.objects.get()
    ada = newcomer(project, "ada")
    first = arm_draws.begin(ada, experiment)
    assert first is not None
    answer_all(ada, first)
    page = client.get(made.url).content.decode()
    assert reverse("experiment-start", args=[experiment.token]) in page
    assert page.count('<td class="number">1</td>') >= 4  # drawn by one worker, once begun
    assert "study" in client.get(reverse("experiments", args=[project.slug])).content.decode()
    batch_page = client.get(reverse("batch", args=[project.slug, "plain"])).content.decode()
    assert f'<a href="{made.url}">study</a>' in batch_page
    assert "plain</span>" in client.get(reverse("batches", args=[project.slug])).content.decode()


def test_what_cannot_be_an_arm_is_not_offered_and_refused_in_words(
    client: Client, project: Project, arms: list[Batch]
) -> None:
    answer_all(newcomer(project, "ada"), arms[0], most=1)
    page = post(client, project)
    assert page.status_code == 422
    assert not Experiment.objects.exists()
    assert "An experiment needs two batches" in client.get(reverse("experiments", args=[project.slug])).content.decode()


def test_an_experiment_is_removed_until_somebody_drew(client: Client, project: Project, arms: list[Batch]) -> None:
    post(client, project)
    remove = reverse("experiment-remove", args=[project.slug, "study"])
    arm_draws.begin(newcomer(project, "ada"), Experiment.objects.get())
    assert client.post(remove).url == reverse("experiment", args=[project.slug, "study"])
    assert Experiment.objects.exists()
    Experiment.objects.get().draws.all().delete()
    assert client.post(remove).url == reverse("experiments", args=[project.slug])
    assert not Experiment.objects.exists()


def test_the_api_makes_lists_shows_and_removes(client: Client, project: Project, arms: list[Batch]) -> None:
    url = f"/api/v1/projects/{project.slug}/experiments/"
    given = {"name": "study", "batches": ["plain", "hints"], "each": "order", "title": "Answer questions"}
    made = client.post(url, given, content_type="application/json")
    assert made.status_code == 201, made.content
    shown = client.get(f"{url}study/").json()
    assert shown["link"].endswith(reverse("experiment-start", args=[Experiment.objects.get().token]))
    assert [(row["arm"], row["position"], row["drawn"]) for row in shown["arms"]] == [
        ("plain", 1, 0), ("plain", 2, 0), ("hints", 1, 0), ("hints", 2, 0),
    ]  # fmt: skip
    assert [row["name"] for row in client.get(url).json()["results"]] == ["study"]
    assert client.post(url, given | {"name": "again"}, content_type="application/json").status_code == 409
    assert client.delete(f"{url}study/").status_code == 204
    assert not Experiment.objects.exists()


def test_arms_keep_the_order_given_and_names_that_are_not_there_are_named(
    client: Client, project: Project, arms: list[Batch]
) -> None:
    Batch.objects.filter(slug="hints").update(title="With hints")
    url, given = (
        f"/api/v1/projects/{project.slug}/experiments/",
        {"name": "study", "batches": ["hints", "plain", "tips"]},
    )
    refused = client.post(url, given, content_type="application/json")
    assert (refused.status_code, refused.json()["detail"]) == (422, "batches.2: There is no batch tips.")
    made = client.post(url, given | {"batches": ["hints", "plain"]}, content_type="application/json")
    assert made.json()["title"] == "With hints"


def test_the_command_makes_and_shows(project: Project, arms: list[Batch]) -> None:
    def run(*words: str) -> Any:
        out = StringIO()
        call_command("experiment", "study", *words, project=project.slug, json=True, stdout=out)
        return json.loads(out.getvalue())

    with pytest.raises(CommandError, match="no experiment"):
        run()
    made = run("--arms", "plain", "hints", "--title", "Answer questions")
    assert made == run()
    assert [row["arm"] for row in made["arms"]] == ["plain", "hints"]
    out = StringIO()
    call_command("experiment", "study", project=project.slug, stdout=out)
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert lines[-3:] == [
        ["arm", "position", "drawn", "began", "submitted"],
        ["plain", "1", "0", "0", "0"],
        ["hints", "1", "0", "0", "0"],
    ]


def test_a_draft_can_be_an_arm(client: Client, project: Project, arms: list[Batch], tmp_path: Path) -> None:
    draft(project, "later", dataset_of(project, tmp_path, name="more", size=2))
    post(client, project, batches=["plain", "later"])
    assert Experiment.objects.get().arms.count() == 2


def test_the_page_shows_scores_by_position_and_who_looked_is_recorded(
    client: Client, project: Project, arms: list[Batch]
) -> None:
    Batch.objects.update(fresh_only=False)
    post(client, project)
    experiment = Experiment.objects.get()
    for name in ("ada", "ben"):
        worker = newcomer(project, name)
        arm = arm_draws.begin(worker, experiment)
        while arm is not None:
            answer_all(worker, arm)
            arm = arm_draws.next_arm(worker, arm)
    job_page = client.post(reverse("experiment-scores", args=[project.slug, "study"])).url
    run_due_work()
    page = client.get(reverse("experiment", args=[project.slug, "study"])).content.decode()
    for title in ("Arms by position", "Arms by items done before", "Contrasts of arms", "plain − hints"):
        assert title in page
    assert reverse("experiment", args=[project.slug, "study"]) in client.get(job_page).content.decode()
    looks = AuditEntry.objects.filter(act=score_looks.LOOK).values_list("key", flat=True)
    assert set(looks) == {"plain", "hints"}


def test_a_comparison_tells_arms_of_one_title_apart(client: Client, project: Project, arms: list[Batch]) -> None:
    post(client, project)
    page = client.get(reverse("compare", args=[project.slug]), {"one": ["plain", "hints"]}).content.decode()
    assert "Answer questions (plain)" in page
    assert "Answer questions (hints)" in page
