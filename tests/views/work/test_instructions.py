"""Instructions: short, for the options of the batch, with examples folded; and texts in the worker's language."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.work import next_assignment
from annotation.models import Batch, Dataset, Instructions, Project
from annotation.pure.people.consent_text import DEFAULT, PANEL, filled
from annotation.registry import default_instructions
from annotation.views.markdown_html import html_for_reader
from tests.flow.compositions import compose_batch


def unfolded(page: str) -> str:
    """The words of the page's content that are shown before anything is unfolded."""
    main = re.search(r"<main.*?</main>", page, re.DOTALL)
    assert main is not None
    shown = re.sub(r"<template.*?</template>", "", main[0], flags=re.DOTALL)
    return re.sub(r"</summary>.*?</details>", "</summary>", shown, flags=re.DOTALL)


def text_of(page: Any) -> str:
    return " ".join(words(html.unescape(page.content.decode())))


def words(page: str) -> list[str]:
    return re.sub(r"<[^>]+>", " ", page).split()


def read(client: Client, batch: Batch, worker: Any, **options: Any) -> str:
    """The page of the task's default instructions in a batch with these options."""
    Batch.objects.filter(pk=batch.pk).update(options=batch.options | options)
    Instructions.objects.filter(batch=batch).update(text=default_instructions(batch.task))
    client.force_login(worker.user)
    return client.get(reverse("batch-instructions", args=[batch.pk])).content.decode()


def test_answering_is_explained_in_150_words_and_the_rest_on_demand(batch: Batch, bob: Any, client: Client) -> None:
    page = read(client, batch, bob)
    assert len(words(unfolded(page))) <= 150
    assert page.count("<details>") == 4
    assert "Wick Harrow" in page
    assert "Wick Harrow" not in unfolded(page)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"yes_no": True}, "Choose “yes” or “no”"),
        ({"no_answer": True}, "Choose “no answer”"),
        ({"sentences": True}, "Tick sentences instead"),
        ({"several": True}, "each on a line of its own"),
        ({"as_of": True}, "Give the day"),
        ({"confidence": True}, "Say how sure you are"),
    ],
)
def test_what_a_batch_does_not_ask_is_not_explained(
    batch: Batch, bob: Any, client: Client, option: dict[str, bool], said: str
) -> None:
    assert said not in read(client, batch, bob)
    assert said in read(client, batch, bob, **option)


def test_composing_is_explained_in_500_words_with_its_examples_folded(
    project: Project, dataset: Dataset, bob: Any, client: Client
) -> None:
    page = read(client, compose_batch(project, dataset), bob)
    assert len(words(unfolded(page))) <= 500
    assert "Not like this" in page
    assert "Not like this" not in unfolded(page)


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_link_to_a_batch_without_work_says_so_before_anything_is_read(
    batch: Batch, bob: Any, client: Client, state: str
) -> None:
    client.force_login(bob.user)
    participation = next_assignment.join_batch(bob, batch)
    next_assignment.read_instructions(participation, version=1)
    held: Any = next_assignment.claim(next_assignment.join_batch(bob, batch))
    Batch.objects.filter(pk=batch.pk).update(state=state)
    item = client.get(reverse("assignment", args=[held.public_id])).content.decode()
    assert f"has {state} this batch" in item
    assert "You can still submit this item." in item
    page = read(client, batch, bob)
    assert f"has {state} this batch" in page
    assert "Continue to the" not in page
    assert "You can still submit" not in page


def test_instructions_name_no_keys_which_the_page_tells_where_a_keyboard_is(
    batch: Batch, bob: Any, client: Client
) -> None:
    page = read(client, batch, bob)
    assert "<kbd" not in unfolded(page)
    assert not re.search(r"\b[Pp]ress\b", page)


def test_a_folded_section_ends_at_the_next_heading() -> None:
    told = html_for_reader("## Do\n\nThis.\n\n## + More\n\nThat.\n\n## Last\n\nEnd.\n")
    assert "<details><summary>More</summary>\n<p>That.</p>\n</details><h2>Last</h2>" in told


def test_a_worker_reads_titles_and_instructions_in_their_language(batch: Batch, bob: Any, client: Client) -> None:
    Batch.objects.filter(pk=batch.pk).update(title="Ferries [de] Fähren")
    Instructions.objects.filter(batch=batch).update(text="Read.\n\n[de]\n\nLesen Sie.")
    client.force_login(bob.user)
    page = reverse("batch-instructions", args=[batch.pk])
    assert "Instructions: Ferries Read." in text_of(client.get(page))
    client.post(reverse("set-language"), {"language": "de"})
    assert "Anleitung: Fähren Lesen Sie." in text_of(client.get(page))


def test_a_mark_of_an_unknown_language_is_refused(batch: Batch, alice: Any, client: Client) -> None:
    client.force_login(alice)
    page = reverse("instructions", args=[batch.project.slug, batch.slug])
    refused = client.post(page, {"instructions": "Read.\n\n[dd]\n\nLesen Sie."})
    assert refused.status_code == 422
    assert "There is no language “dd” here. There are: en, de." in text_of(refused)
    assert client.post(page, {"instructions": "Read.\n\n[de]\n\nLesen Sie."}).status_code == 303


def test_consent_speaks_of_panels_only_to_whom_one_sent(batch: Batch, bob: Any, client: Client) -> None:
    Project.objects.update(consent=filled(DEFAULT, contact="Jo", ethics="none needed"))
    client.force_login(bob.user)
    page = reverse("consent", args=[batch.project.slug])
    assert "panel" not in text_of(client.get(page))
    assert "Contact: Jo" in text_of(client.get(page))
    session = client.session
    session["guest_home"] = "/"
    session.save()
    assert PANEL in text_of(client.get(page))
