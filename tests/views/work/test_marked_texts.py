"""Workers of another language: every word that is ours can be translated, from the invite to the tenth item.

Each text that goes through gettext comes back in ⟦ ⟧; what stands outside must be a dataset's or a requester's.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import trans_real

from annotation import registry
from annotation.flow.batches import practice_progress
from annotation.flow.people import members
from annotation.models import Assignment, Batch, Instructions, Project, Worker
from annotation.pure.people.consent_text import DEFAULT, filled
from annotation.templatetags import item_tags, paragraph_tags
from annotation.views.work.practice import right_fields
from tests.conftest import records
from tests.flow.acting import dataset_of, launched, newcomer
from tests.flow.work import test_responses_again as again
from tests.marketplaces.test_frame import fields

pytestmark = pytest.mark.django_db
ATTRIBUTES = re.compile(r'\b(?:aria-label|placeholder|title|alt|data-said|data-short)="([^"]*)"')
NO_WORDS = re.compile(r"<(script|style|kbd|code)\b.*?</\1>|<!--.*?-->", re.DOTALL)
WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = {"Hopscribe", "English", "Deutsch", "Wells", "and", "towers", "Ferries", "Mona", "mona", "UNK"}
PRESETS = registry.presets("rate")


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """German is English in ⟦ ⟧, also in what is rendered once for many pages."""
    catalogue = trans_real.translation("de")

    def one(text: str) -> str:
        return f"⟦{text.rpartition(trans_real.CONTEXT_SEPARATOR)[2]}⟧"

    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    monkeypatch.setattr(catalogue, "gettext", one)
    monkeypatch.setattr(catalogue, "ngettext", lambda single, plural, n: one(single if n == 1 else plural))
    forget_rendered()
    yield
    forget_rendered()


def forget_rendered() -> None:
    paragraph_tags._parts.cache_clear()
    item_tags._once.clear()
    item_tags._kept.clear()


def outside(text: str) -> str:
    """What stands outside of all ⟦ ⟧; those within others belong to them."""
    depth, found = 0, []
    for piece in re.split("([⟦⟧])", text):
        depth += {"⟦": 1, "⟧": -1}.get(piece, 0)
        found += [piece] if not depth and piece not in ("⟦", "⟧") else [" "]
    return "".join(found)


def ours(page: str, theirs: set[str]) -> list[str]:
    """Words of a page that no translator can reach."""
    read = NO_WORDS.sub(" ", page)
    said = [re.sub(r"<[^>]+>", " ", read), *ATTRIBUTES.findall(read)]
    return [word for each in said for word in WORD.findall(outside(html.unescape(each))) if word not in theirs]


def strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in strings(each)]
    if isinstance(value, list):
        return [text for each in value for text in strings(each)]
    return [value] if isinstance(value, str) and WORD.search(value) else []


class Reader:
    """A worker's browser, in German; `left` collects what was not translated, by address."""

    def __init__(self, theirs: list[str]) -> None:
        self.client, self.theirs = (
            Client(headers={"accept-language": "de"}),
            NAMES | set(WORD.findall(" ".join(theirs))),
        )
        self.left: dict[str, list[str]] = {}

    def look(self, reply: Any) -> Any:
        while reply.status_code in (302, 303):
            reply = self.client.get(reply.url)
        assert reply.status_code in (200, 422), reply.request["PATH_INFO"]
        if found := ours(reply.content.decode(), self.theirs):
            self.left[reply.request["PATH_INFO"]] = found
        return reply

    def get(self, name: str, *args: Any) -> Any:
        return self.look(self.client.get(reverse(name, args=args)))

    def practise(self, batch: Batch, worker: Worker) -> None:
        """The exercises, each answered rightly."""
        for each in practice_progress.exercises(batch):
            typed = right_fields(batch, worker, each.number)
            self.theirs |= set(WORD.findall(" ".join(strings(list(typed.values())))))
            self.post("practice", batch.pk, each.number, **typed)
            self.post("practice-done", batch.pk, each.number)

    def post(self, name: str, *args: Any, **data: Any) -> Any:
        return self.look(self.client.post(reverse(name, args=args), data))


def opened(batch: Batch) -> Batch:
    """With our own instructions."""
    Batch.objects.filter(pk=batch.pk).update(title="Ferries")
    Instructions.objects.filter(batch=batch).update(text=registry.default_instructions(batch.task))
    return batch


def practised(kind: str) -> list[str]:
    """Texts of the task's exercises and examples, which have a file for each language, and the names in them."""
    files = list(registry.folder_of(kind).glob("*.json"))
    own = [text for file in files if file.name.endswith(".de.json") for text in strings(json.loads(file.read_text()))]
    return own + [name for file in files for name in re.findall(r"\b[A-Z]\w+", file.read_text())]


def test_a_worker_reads_no_english_of_ours_from_the_invite_to_the_tenth_item(
    marked: None, project: Project, tmp_path: Path
) -> None:
    Project.objects.update(consent=filled(DEFAULT, contact="Mona", ethics="Ferries"))
    batch = opened(launched(project, "ferries", dataset_of(project, tmp_path, name="ferries", size=10)))
    reader = Reader([*strings(records(10)), *practised("answer")])
    reader.get("sign-in")
    reader.get("join", token := members.invite(project, role="worker", by=None).token)
    reader.post("join", token, username="mona", display_name="Mona", password="a Ferry for 9")
    reader.get("consent", project.slug)
    reader.post("consent", project.slug, version=1, agree="1")
    reader.post("batch-start", batch.pk)
    reader.post("batch-instructions", batch.pk, version=1)
    worker = Worker.objects.get()
    reader.post("practice", batch.pk, 1, kind="text")  # refused
    reader.practise(batch, worker)
    for _ in range(10):
        reader.post("submit", Assignment.objects.get(state="accepted").public_id, **fields(Assignment.objects.last()))
    for name in ("work", "history", "my-earnings", "my-qualifications", "my-messages", "notices", "account", "keys"):
        reader.get(name)
    assert Assignment.objects.filter(state="submitted").count() == 10
    assert reader.left == {}


@pytest.mark.parametrize("kind", sorted({kind for kind, _title in registry.kinds()} - {"external"}))
def test_a_task_is_shown_without_english_of_ours(marked: None, project: Project, tmp_path: Path, kind: str) -> None:
    record = again.usable(kind)
    batch = opened(again.launched(project, tmp_path, kind, record, options=again.options_of(kind)))
    theirs = strings(record) + strings(again.options_of(kind)) + practised(kind)
    reader, worker = Reader(theirs), newcomer(project, "mona")
    reader.client.force_login(worker.user)
    reader.get("batch-instructions", batch.pk)
    reader.post("batch-instructions", batch.pk, version=1)
    reader.practise(batch, worker)
    assert Assignment.objects.filter(state="accepted").count() == 1
    assert reader.left == {}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_shown_without_english(marked: None, project: Project, tmp_path: Path, name: str) -> None:
    """Its rubric, that is: what its records say is theirs."""
    items = PRESETS[name].with_name("items.jsonl").read_text().splitlines()
    options = {"rubric": json.loads(PRESETS[name].read_text())}
    batch = opened(again.launched(project, tmp_path, "rate", json.loads(items[0]), options=options))
    reader = Reader(strings(json.loads(items[0])))
    reader.client.force_login(newcomer(project, "mona").user)
    reader.post("batch-instructions", batch.pk, version=1)
    assert Assignment.objects.filter(state="accepted").count() == 1
    assert reader.left == {}
