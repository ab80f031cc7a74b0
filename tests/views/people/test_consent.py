"""The consent text: finished before the first launch, accepted by workers, and withdrawn by them."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.flow.work import next_assignment
from annotation.models import Assignment, Batch, Job, Project, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.people import consent_text
from tests.one_line import one_line
from tests.views.batches.test_launch import form
from tests.views.console import answer, at, take, work_off


@pytest.fixture
def unfinished(project: Project) -> Project:
    project.consent = consent_text.DEFAULT
    project.save()
    return project


@pytest.mark.parametrize(
    ("given", "lacks"), [({}, {"contact", "ethics"}), ({"contact": "ada@example.org"}, {"ethics"})]
)
def test_the_first_launch_asks_for_what_the_text_lacks(
    client: Any, alice: Any, dataset: Any, unfinished: Project, given: dict[str, str], lacks: set[str]
) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset, launch="1", **given))
    assert response.status_code == 422
    assert response.context["form"].errors.keys() == lacks
    assert "Taking part is voluntary" in response.content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("account", "proposed"),
    [
        ({"email": "alice@example.org"}, "Alice, alice@example.org"),
        ({"username": "al@example.org", "display_name": ""}, "al@example.org"),
        ({}, None),
    ],
)
def test_the_contact_proposed_is_whoever_launches_if_they_have_an_address(
    client: Any, alice: Any, dataset: Any, unfinished: Project, account: dict[str, str], proposed: str | None
) -> None:
    for name, value in account.items():
        setattr(alice, name, value)
    alice.save()
    client.force_login(alice)
    page = client.get(reverse("batch-new", args=["wells"]))
    assert (page.context["form"]["contact"].value() or None) == proposed


def test_what_is_filled_in_stands_in_the_text_and_is_not_asked_for_again(
    client: Any, alice: Any, dataset: Any, unfinished: Project
) -> None:
    client.force_login(alice)
    terms = form(dataset, launch="1", contact="Ada, ada@example.org", ethics="board 7")
    assert client.post(reverse("batch-new", args=["wells"]), terms).status_code == 303
    work_off()
    unfinished.refresh_from_db()
    assert "Contact: Ada, ada@example.org" in unfinished.consent
    assert "Ethics approval: board 7" in unfinished.consent
    assert Batch.objects.get().state == lifecycle.OPEN
    assert "id_contact" not in client.get(reverse("batch-new", args=["wells"])).content.decode()


def test_a_draft_may_be_saved_before_and_its_launch_leads_back(
    client: Any, alice: Any, dataset: Any, unfinished: Project
) -> None:
    client.force_login(alice)
    assert client.post(reverse("batch-new", args=["wells"]), form(dataset)).status_code == 303
    draft = Batch.objects.get()
    launched = client.post(reverse("batch-launch", args=["wells", draft.slug]))
    assert launched.url == reverse("batch-edit", args=["wells", draft.slug])
    assert "The consent text that workers accept is not finished" in client.get(launched.url).content.decode()
    with pytest.raises(Refused):
        batch_launch.launch(draft)
    draft.refresh_from_db()
    assert draft.state == lifecycle.DRAFT


def test_nobody_can_accept_a_text_that_is_not_finished(client: Any, bob: Any, unfinished: Project) -> None:
    Worker.objects.update(consented_version=0)
    client.force_login(bob.user)
    page = one_line(client.get(reverse("consent", args=["wells"])).content.decode())
    assert "The requester has not finished this text yet." in page
    assert "[contact" not in page
    client.post(reverse("consent", args=["wells"]), {"version": unfinished.consent_version})
    assert not Worker.objects.get().consented_version
    assert "please read how your responses are used" not in client.get(reverse("work")).content.decode()


def test_start_goes_on_where_it_led_once_the_worker_agrees(client: Any, bob: Any, batch: Any) -> None:
    Worker.objects.update(consented_version=0)
    client.force_login(bob.user)
    asked = client.post(reverse("batch-start", args=[batch.pk])).url
    page = client.get(asked)
    done = client.post(asked.partition("?")[0], {"version": "1", "next": page.context["next"]})
    assert done.url == reverse("batch-instructions", args=[batch.pk])


def test_a_worker_withdraws_and_comes_back(client: Any, bob: Any, alice: Any, batch: Any) -> None:
    consent.give(bob, version=1)
    done, held = answer(bob, batch), take(bob, batch)
    client.force_login(bob.user)
    url = reverse("consent", args=["wells"])
    assert url in client.get(reverse("account")).content.decode()
    assert "You agreed to this text on" in client.get(url).content.decode()
    assert client.post(url, {"withdraw": "1"}).url == reverse("work")
    home = client.get(reverse("work"))
    assert home.context["batches"] == []
    assert home.context["consent_waiting"] == []
    assert "You withdrew your consent." in home.content.decode()
    states = dict(Assignment.objects.values_list("pk", "state"))
    assert states == {done.pk: lifecycle.SUBMITTED, held.pk: lifecycle.RETURNED}
    assert not Worker.objects.get(pk=bob.pk).consented_version
    client.force_login(alice)
    assert "withdrawn" in client.get(reverse("people", args=["wells"])).content.decode()
    log = client.get(reverse("log", args=["wells"])).content.decode()
    assert "consent withdrawn" in log
    client.force_login(bob.user)
    client.post(url, {"version": "1"})
    assert len(client.get(reverse("work")).context["batches"]) == 1
    assert next_assignment.claim(next_assignment.join_batch(bob, batch)) is not None


def test_whoever_never_agreed_has_nothing_to_withdraw(bob: Any) -> None:
    Worker.objects.update(consented_version=0)
    assert not consent.withdraw(bob)


def test_the_methods_paragraph_says_who_consented(client: Any, alice: Any, bob: Any, carol: Any, batch: Any) -> None:
    answer(bob, batch)
    answer(carol, batch)
    client.force_login(alice)
    client.post(at("report-open"))
    client.post(at("report-refresh"))
    work_off()
    assert "consent" not in client.get(at("report")).context["methods"]["text"]
    consent.give(bob, version=1)
    some = "Of the 2 annotators, 1 consented to how their responses are used"
    assert some in client.get(at("report")).context["methods"]["text"]
    consent.give(carol, version=1)
    assert "All annotators consented to how their" in client.get(at("report")).context["methods"]["text"]


def test_an_unfinished_text_is_not_shown_on_the_open_page(client: Any, unfinished: Project) -> None:
    unfinished.sign_up = Project.SignUp.OPEN
    unfinished.save()
    page = client.get(reverse("open-join", args=["wells"])).content.decode()
    assert "[contact" not in page
    assert "How your responses are used" not in page
