"""What workers read, on every page and in every task: items and never HITs, and no text that cannot be translated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client
from django.urls import reverse
from django.utils.translation import trans_real

from annotation.flow.batches import practice_progress
from annotation.models import Assignment, Batch, Project
from annotation.pure.people.consent_text import DEFAULT, filled
from annotation.registry import default_instructions, form_class, task_type
from annotation.tasktype import capabilities
from annotation.views.work.practice import right_fields
from annotation.views.work.task_frame import shown_payload
from tests.batches import create_batch
from tests.tasks.test_contract import JSON, a_case

PAGES = ("work", "history", "marketplace", "account", "keys", "my-earnings", "my-qualifications", "my-messages")
READ_ALOUD = {"aria-label", "title", "placeholder", "alt", "data-empty", "data-failed", "data-said"}
OPEN, CLOSED = "⟦", "⟧"  # around what a translator has seen
SEEN = re.compile(f"{OPEN}[^{OPEN}{CLOSED}]*{CLOSED}")
SIGNS = re.compile(r"Hopscribe|English|Deutsch|Esperanto|\bbob\b|\bBob\b|\bEsc\b|case-1|Wells and towers|⌃")


class Visible(HTMLParser):
    """The texts of a page that people see or hear, without keys."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.spoken: list[str] = []
        self.hidden: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.spoken += [value for name, value in attrs if name in READ_ALOUD and value]
        if tag in {"script", "style", "kbd", "code", "textarea"}:
            self.hidden.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.hidden and self.hidden[-1] == tag:
            self.hidden.pop()

    def handle_data(self, data: str) -> None:
        if not self.hidden and data.strip():
            self.texts.append(" ".join(data.split()))


@pytest.fixture
def opened(kind: str, case: JSON, project: Project, tmp_path: Path) -> Batch:
    """The case as a batch with the default instructions, in a project with the default consent."""
    from annotation.flow.batches import batch_launch
    from annotation.flow.data import dataset_import

    Project.objects.update(consent=filled(DEFAULT, contact="7", ethics="8"), consent_version=2)
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(case["example"], ensure_ascii=False) + "\n")
    dataset_import.import_dataset(project, file, format="jsonl", name="case")
    variant = capabilities.variant(task_type(kind), case["options"])
    given = {"task": kind, "datasets": list(project.datasets.all()), "options": case["options"]}
    batch = create_batch(project, "case-1", instructions=default_instructions(kind, variant), **given)
    batch_launch.launch(batch)
    return batch


def walk(client: Client, batch: Batch, case: JSON) -> Iterator[tuple[str, str]]:
    """(where, HTML) of every page of a worker, from the consent to what they submitted."""
    consent = reverse("consent", args=[batch.project.slug])
    yield "consent", client.get(consent).content.decode()
    client.post(consent, {"version": "2"})
    yield "start", client.get("/work/").content.decode()
    read = reverse("batch-instructions", args=[batch.pk])
    yield "instructions", client.get(read).content.decode()
    client.post(read, {"version": "1"})
    worker = batch.project.workers.get(user__username="bob")
    for exercise in practice_progress.exercises(batch):
        page = reverse("practice", args=[batch.pk, exercise.number])
        yield "practice", client.get(page).content.decode()
        yield "nothing done", client.post(page).content.decode()
        yield "feedback", client.post(page, right_fields(batch, worker, exercise.number)).content.decode()
        client.post(reverse("practice-done", args=[batch.pk, exercise.number]))
    client.post(reverse("batch-start", args=[batch.pk]))
    row = Assignment.objects.select_related("hit", "batch").get(batch=batch, worker=worker)
    page = reverse("assignment", args=[row.public_id])
    yield "item", client.get(page).content.decode()
    posted = form_class(batch.task)(shown_payload(task_type(batch.task), row)).posted(case["answers"][0])
    client.post(reverse("submit", args=[row.public_id]), {**posted, "key": "0.k", "version": "0"})
    yield "submitted", client.get(page).content.decode()
    yield "done", client.get(reverse("batch-done", args=[batch.pk])).content.decode()
    for name in PAGES:
        yield name, client.get(reverse(name)).content.decode()


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from strings_of(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings_of(each)
    elif isinstance(value, str):
        yield value


@a_case
def test_every_text_that_a_worker_reads_can_be_translated_and_names_no_hit(
    opened: Batch, case: JSON, bob: Any, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a language that puts brackets around every text, only what data and requesters say stands outside of them;
    inside of them are the English texts, of one and of many."""
    settings.LANGUAGES = [*site_settings.LANGUAGES, ("eo", "Esperanto")]
    monkeypatch.setattr(trans_real.DjangoTranslation, "gettext", lambda _self, text: bracketed(text))
    monkeypatch.setattr(trans_real.DjangoTranslation, "ngettext", bracketed_of)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "eo"
    client.force_login(bob.user)
    exercises = [exercise.payload for exercise in practice_progress.exercises(opened)]
    worked = capabilities.tutorial(task_type(opened.task), None, "en")
    data = " ".join(" ".join(text.split()) for text in strings_of([case, exercises, worked])).casefold()
    found, hits = [], []
    for where, html in walk(client, opened, case):
        seen = Visible(html)
        hits += [(where, text) for text in (*seen.texts, *seen.spoken) if re.search(r"\bHITs?\b", text)]
        for text in (*unseen(seen.texts), *unseen(seen.spoken)):
            parts = [part.strip(" .?") for part in re.split(r"[·:;,×…]|\? |\d+$", SIGNS.sub("", text))]
            if any(re.search(r"[^\W\d_]{2}", part) and part.casefold() not in data for part in parts):
                found.append(f"{where}: {text}")
    assert not found, "\n".join(dict.fromkeys(found))
    assert not hits


def unseen(texts: list[str]) -> list[str]:
    """What of the texts no translator has seen; a message may hold several of them."""
    whole = "\n".join(texts)
    while whole != (less := SEEN.sub(" ", whole)):
        whole = less
    whole = re.sub(f"{OPEN}[^·\n]*", "", whole)  # the beginning of a message, where the page shows no more
    return [line.strip() for line in whole.split("\n") if line.strip()]


def bracketed_of(_language: object, one: str, many: str, number: int) -> str:
    return bracketed(one if number == 1 else many)


def bracketed(text: str) -> str:
    return f"{OPEN}{text.partition(chr(4))[2] or text}{CLOSED}"
