"""Pages count pasting only where the consent text that workers accepted says so."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from annotation.flow.batches import batch_launch
from annotation.flow.errors import Refused
from annotation.flow.people import consent
from annotation.models import Batch, Project, Worker
from annotation.pure.batches import lifecycle
from annotation.pure.people.consent_text import COUNTING, DEFAULT
from tests.flow.acting import draft
from tests.views.batches.test_launch import form
from tests.views.console import work_off

UNSAID = "the consent text that workers accept does not say so"


def say(project: Project, text: str) -> None:
    Project.objects.filter(pk=project.pk).update(consent=text)
    project.refresh_from_db()


def test_the_launch_page_says_which_paragraph_the_text_lacks(
    client: Any, alice: Any, dataset: Any, project: Project
) -> None:
    client.force_login(alice)
    response = client.post(reverse("batch-new", args=["wells"]), form(dataset, launch="1", counts_pasting="on"))
    assert response.status_code == 422
    [problem] = response.context["form"].errors["counts_pasting"]
    assert UNSAID in problem
    assert COUNTING in problem
    say(project, f"We keep answers.\n\n{COUNTING}")
    assert client.post(reverse("batch-new", args=["wells"]), form(dataset, launch="1", counts_pasting="on")).url
    work_off()
    batch = Batch.objects.get()
    assert (batch.state, batch.counts_pasting) == (lifecycle.OPEN, True)


def test_an_owner_adds_the_paragraph_by_a_button(client: Any, alice: Any, project: Project) -> None:
    client.force_login(alice)
    page = reverse("project-settings", args=["wells"])
    assert "Add it to the consent text" in client.get(page).content.decode()
    say(project, "We keep answers.")
    before = project.consent_version
    kept = {"title": project.title, "consent": project.consent, "sign_up": project.sign_up}
    assert client.post(page, kept | {"add_paragraph": "counts_pasting"}).url == page
    project.refresh_from_db()
    assert project.consent == f"We keep answers.\n\n{COUNTING}\n"
    assert project.consent_version == before + 1
    assert "Add it to the consent text" not in client.get(page).content.decode()


def test_nothing_is_counted_unless_it_is_asked_for(client: Any, alice: Any, dataset: Any) -> None:
    client.force_login(alice)
    client.post(reverse("batch-new", args=["wells"]), form(dataset, launch="1"))
    assert Batch.objects.get().counts_pasting is False
    assert COUNTING not in DEFAULT


def test_a_stored_draft_is_not_launched_before(client: Any, alice: Any, dataset: Any, project: Project) -> None:
    made = draft(project, "counting", dataset, counts_pasting=True)
    client.force_login(alice)
    back = client.post(reverse("batch-launch", args=["wells", made.slug]))
    assert UNSAID in client.get(back.url).content.decode()
    with pytest.raises(Refused, match=UNSAID):
        batch_launch.launch(made)
    made.refresh_from_db()
    assert made.state == lifecycle.DRAFT


def test_the_paragraph_counts_however_its_lines_are_broken_and_in_german(dataset: Any, project: Project) -> None:
    made = draft(project, "counting", dataset, counts_pasting=True)
    with translation.override("de"):
        german = gettext(COUNTING)
    assert german != COUNTING
    for text in (COUNTING.replace(", ", ",\n"), german):
        say(project, f"We keep answers.\n\n{text}\n\nThat is all.")
        consent.check_paragraphs(made)
    say(project, COUNTING.replace("more than five", "more than ten"))
    with pytest.raises(Refused):
        consent.check_paragraphs(made)


def test_workers_agree_to_the_text_with_the_paragraph_first(
    client: Any, alice: Any, bob: Worker, dataset: Any, project: Project
) -> None:
    consent.give(bob, version=project.consent_version)
    client.force_login(alice)
    terms = {"title": "Wells", "consent": f"We keep answers.\n\n{COUNTING}", "sign_up": project.sign_up}
    client.post(reverse("project-settings", args=["wells"]), terms)
    batch_launch.launch(made := draft(project, "counting", dataset, counts_pasting=True))
    client.force_login(bob.user)
    asked = client.post(reverse("batch-start", args=[made.pk])).url
    assert asked.startswith(reverse("consent", args=["wells"]))
    page = client.get(asked).content.decode()
    assert "numbers only, never keys or text" in page
    assert "no response is rejected because of these numbers alone" in page


def test_the_paragraph_stays_while_a_batch_counts_and_may_go_afterwards(
    client: Any, alice: Any, dataset: Any, project: Project
) -> None:
    say(project, COUNTING)
    batch_launch.launch(made := draft(project, "counting", dataset, counts_pasting=True))
    client.force_login(alice)
    terms = {"title": "Wells", "consent": "We keep answers.", "sign_up": project.sign_up}
    refused = client.post(reverse("project-settings", args=["wells"]), terms)
    assert refused.status_code == 422
    assert "A batch under way counts pasting." in refused.content.decode()
    batch_launch.close(made)
    assert client.post(reverse("project-settings", args=["wells"]), terms).status_code == 303
    made.refresh_from_db()
    with pytest.raises(Refused, match=UNSAID):
        batch_launch.resume(made)


def test_the_settings_page_shows_the_paragraph(client: Any, alice: Any, project: Project) -> None:
    client.force_login(alice)
    assert COUNTING in client.get(reverse("project-settings", args=["wells"])).content.decode()
