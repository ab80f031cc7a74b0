"""Arms of an experiment where participants come by link: one study, one link."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.batches import batch_launch, experiments
from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.marketplaces.flow import connections, studies
from annotation.marketplaces.models import PanelStudy
from annotation.models import ArmDraw, Assignment, Batch, Experiment, Project, User
from tests.batches import create_batch
from tests.flow.acting import dataset_of
from tests.marketplaces.panel import Participant, link_to

pytestmark = pytest.mark.django_db


def drafts(project: Project, folder: Path, place: Any, number: int = 2) -> list[Batch]:
    terms = {"reward": Decimal("0.40"), "assignments_per_hit": 3, "expected_seconds": 60, "instructions": "Read."}
    return [
        create_batch(
            project,
            f"secret-{k}",
            task="answer",
            datasets=[dataset_of(project, folder, name=f"items-{k}", size=2)],
            marketplace=place,
            **terms,
        )
        for k in range(number)
    ]


def launch(arm: Batch) -> None:
    batch_launch.launch(Batch.objects.select_related("project").get(pk=arm.pk))


def study_in(project: Project, folder: Path, *, each: str, hits: int) -> PanelStudy:
    """An open study of two arms with two HITs each."""
    arms = drafts(project, folder, link_to(project))
    experiments.join(project, "study", arms, each=each, title="Read and answer")
    for arm in arms:
        launch(arm)
    study = PanelStudy.objects.get()
    studies.change(study, hits=hits, places=studies.places_for(study.batch, hits))
    studies.pursue(study, studies.Goal.ACTIVE)
    return PanelStudy.objects.select_related("batch__project", "connection").get()


def begin(name: str, study: PanelStudy) -> Participant:
    """A participant who agreed and pressed Begin, with the instructions of their arm read."""
    who = Participant(study, name)
    who.arrive()
    slug = study.batch.project.slug
    who.go(f"/projects/{slug}/consent/?next=/visit/", {"version": "1", "next": "/visit/"}, post=True)
    assert "Read and answer" in who.text
    who.go(reverse("experiment-start", args=[study.batch.experiment.token]), post=True)
    return read(who)


def read(who: Participant) -> Participant:
    arm = ArmDraw.objects.get(worker__visits__external_id=who.number).arm
    who.go(reverse("batch-instructions", args=[arm.pk]), {"version": "1"}, post=True)
    return who


def test_all_arms_are_one_study_made_when_the_last_is_launched(project: Project, tmp_path: Path) -> None:
    arms = drafts(project, tmp_path, link_to(project))
    experiments.join(project, "study", arms, title="Read and answer")
    launch(arms[1])
    assert not PanelStudy.objects.exists()
    launch(arms[0])
    study = PanelStudy.objects.get()
    assert study.batch == arms[0]
    assert studies.places_for(study.batch, 2) == 6  # two arms of two HITs, three times


def test_the_page_of_an_arm_leads_to_the_one_study(client: Client, project: Project, tmp_path: Path) -> None:
    arms = drafts(project, tmp_path, link_to(project))
    experiments.join(project, "study", arms, title="Read and answer")
    user = User.objects.create_user("olga", password=None)
    members.add_member(project, user, "owner")
    client.force_login(user)
    pages = [reverse("batch-marketplace", args=[project.slug, arm.slug]) for arm in arms]
    launch(arms[1])
    assert client.get(pages[1]).url == reverse("experiment", args=[project.slug, "study"])
    launch(arms[0])
    assert client.get(pages[1]).url == pages[0]
    assert client.get(pages[0]).status_code == 200


def test_participants_draw_an_arm_and_fill_both_evenly(project: Project, tmp_path: Path) -> None:
    study = study_in(project, tmp_path, each="one", hits=2)
    for name in ("ann", "ben"):
        who = begin(name, study)
        assert who.page.redirect_chain[-1][0].startswith("/assignments/")
        assert "secret-" not in who.text
        who.answer()
        who.answer()
        assert f'<code id="code">{study.codes["done"]}</code>' in who.text
    assert {row.submitted for row in experiments.balance(Experiment.objects.get())} == {1}


def test_a_visit_goes_on_from_one_arm_to_the_next(project: Project, tmp_path: Path) -> None:
    study = study_in(project, tmp_path, each="order", hits=4)
    who = begin("ann", study)
    who.answer()
    who.answer()
    assert "2 of 4 done" in who.go("/visit/").content.decode()
    who.go(reverse("experiment-start", args=[study.batch.experiment.token]), post=True)
    read(who)
    who.answer()
    who.answer()
    assert "All done" in who.text
    assert Assignment.objects.filter(visited__visit=who.visit, state="submitted").count() == 4


def test_a_visit_that_is_full_does_not_open_the_next_arm(project: Project, tmp_path: Path) -> None:
    study = study_in(project, tmp_path, each="order", hits=2)
    who = begin("ann", study)
    who.answer()
    who.answer()
    assert "All done" in who.text
    assert ArmDraw.objects.get().position == 1


def test_the_study_is_paused_with_the_last_open_arm(project: Project, tmp_path: Path) -> None:
    study = study_in(project, tmp_path, each="one", hits=2)
    first, second = Batch.objects.order_by("pk")
    batch_launch.close(second)
    assert PanelStudy.objects.get(pk=study.pk).goal == studies.Goal.ACTIVE
    batch_launch.close(first)
    assert PanelStudy.objects.get(pk=study.pk).goal == studies.Goal.PAUSED


def test_what_is_launched_there_cannot_become_an_arm_nor_arms_of_two_places(project: Project, tmp_path: Path) -> None:
    place = link_to(project)
    one, two, three = drafts(project, tmp_path, place, 3)
    batch_launch.launch(one)
    with pytest.raises(Refused, match="before you launch"):
        experiments.join(project, "study", list(Batch.objects.filter(pk__in=[one.pk, two.pk])))
    here = create_batch(project, "here", task="answer", datasets=list(three.datasets.all()), instructions="Read.")
    with pytest.raises(Refused, match="same marketplace"):
        experiments.join(project, "study", [three, here])


def test_mechanical_turk_is_refused_with_the_reason(project: Project, tmp_path: Path) -> None:
    place = connections.add(project, "turk", preset="sandbox", key_id="AKIATURK", secret="secret")
    arms = drafts(project, tmp_path, place)
    with pytest.raises(Refused, match="choose the HITs of secret-0 themselves"):
        experiments.join(project, "study", arms)
