"""Versions of items, archived items and datasets: what was asked stays, what comes takes the newest."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch, item_selection
from annotation.flow.data import dataset_files, item_editing
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.errors import Refused
from annotation.flow.reports import dataset_documents
from annotation.models import AuditEntry, Dataset, Item
from annotation.pure.data.corrections import changes
from tests.flow.acting import answer_all, dataset_of, draft, launched

pytestmark = pytest.mark.postgresql(reason="versions are numbered under a lock of the dataset")


@pytest.fixture
def held(project: Any, tmp_path: Path) -> Dataset:
    return dataset_of(project, tmp_path, name="towers", size=4)


def reworded(item: Item, question: str, **more: Any) -> Item:
    return item_editing.edit(item, replace(item.example, question=question), **more)


def test_an_edit_is_a_new_version_and_what_was_asked_stays(project: Any, held: Dataset, bob: Any, alice: Any) -> None:
    batch = launched(project, "study", held, assignments_per_hit=1)
    answer_all(bob, batch)
    old = held.items.get(position=1)
    new = reworded(old, "Which tower is beside well 1?", note=" A plainer question. ", user=alice)
    assert (new.version, new.position, new.group_key, new.note) == (2, 1, old.group_key, "A plainer question.")
    assert (new.edited_by, new.edited_at is not None) == (alice, True)
    assert [row.version for row in item_editing.versions(new)] == [2, 1]
    assert held.items.count() == 4
    hit = batch.hits.get(item__position=1)
    assert (hit.item_id, "dug in year 1" in hit.item.question) == (old.pk, True)
    later = launched(project, "later", held, fresh_only=False)
    assert later.hits.get(item__position=1).payload["question"] == "Which tower is beside well 1?"
    assert (
        1 in {place for _dataset, place in item_selection.used_places(draft(project, "next", held), [held])}
    ) is True
    with pytest.raises(Refused):
        reworded(old, "Which tower, I ask?")
    with pytest.raises(Refused):
        reworded(new, new.question)
    with pytest.raises(Refused):
        item_editing.edit(new, replace(new.example, id="another"))
    with pytest.raises(Refused):
        item_editing.edit(new, replace(new.example, supports=(0, 9)))
    again = item_editing.restore(old)
    assert (again.version, again.content) == (3, old.content)
    differing = changes(old.example, new.example)
    assert list(differing) == [("question", 0)]
    assert "".join(part.text for part in differing["question", 0] if part.kind != "out") == new.question


def test_an_old_version_comes_back_in_its_own_dataset_only(project: Any, held: Dataset, tmp_path: Path) -> None:
    other = dataset_of(project, tmp_path, name="wells", size=4)
    old = held.items.get(position=1)
    reworded(old, "Which tower is it?")
    assert item_editing.restore(old).question == old.question
    assert other.items.get(position=1).version == 1


def test_what_was_archived_meanwhile_stays_so_through_an_edit(held: Dataset) -> None:
    seen = held.items.get(position=1)
    item_editing.archive(held, [1], reason="Two towers stand there.")
    assert reworded(seen, "Which tower is it?").archive_reason == "Two towers stand there."


def test_an_edit_costs_the_same_however_many_came_before(held: Dataset) -> None:
    def asked(position: int) -> int:
        with CaptureQueriesContext(connection) as made:
            reworded(held.items.get(position=position), f"Which tower, of {position}?")
            item_editing.change_counts(Dataset.objects.get(pk=held.pk))
        return len(made)

    assert asked(0) == asked(1) == asked(2)


def test_the_digest_tells_what_a_dataset_holds(held: Dataset) -> None:
    def stand() -> str:
        return Dataset.objects.get(pk=held.pk).digest

    first = stand()
    assert first == held.sha256
    old = held.items.get(position=2)
    reworded(old, "Which tower?")
    edited = stand()
    assert edited != first
    item_editing.archive(held, [0], reason="Twice in the source.")
    assert len({first, edited, stand()}) == 3
    assert item_editing.change_counts(Dataset.objects.get(pk=held.pk)) == {"edited": 1, "archived": 1}
    item_editing.unarchive(held, [0])
    assert stand() == edited
    item_editing.restore(old)
    assert stand() == first, "as it came"


def test_what_is_archived_is_in_no_new_batch_derivation_or_export(project: Any, held: Dataset, tmp_path: Path) -> None:
    running = launched(project, "study", held)
    derive_dataset(held, how="splits", name="before", seed=1, options={"train": 0.5, "dev": 0.25, "test": 0.25})
    with pytest.raises(Refused):
        item_editing.archive(held, [3], reason=" ")
    assert item_editing.archive(held, [1, 3], reason="Wrong gold.") == 2
    assert item_editing.archive(held, [3], reason="Wrong gold.") == 0
    held.refresh_from_db()
    assert {hit.item.position for hit in launched(project, "later", held).hits.all()} == {0, 2}
    assert running.hits.count() == 4
    assert [example.id for example in dataset_files.examples_of(held)] == ["well-0", "well-2"]
    assert dataset_files.export_dataset(held, tmp_path / "all.jsonl", format="jsonl", archived=True)["records"] == 4
    derive_dataset(held, how="splits", name="after", seed=1, options={"train": 0.5, "dev": 0.5, "test": 0})
    made = Dataset.objects.get(slug="after-train")
    assert made.lineage["changed"] == {"edited": 0, "archived": 2}
    assert made.size + Dataset.objects.get(slug="after-dev").size == 2
    dataset_documents.export_datasheet(made, tmp_path / "sheet.md")
    assert "0 items were edited and 2 archived" in (tmp_path / "sheet.md").read_text()
    edited = reworded(held.items.get(position=3), "Which tower?")
    assert edited.archive_reason == "Wrong gold.", "an edit brings nothing back"
    nothing = draft(project, "none", held)
    item_editing.archive(held, [0, 2], reason="All of them.")
    with pytest.raises(Refused):
        batch_launch.launch(nothing)


def test_the_pages_edit_compare_restore_and_archive(client: Any, alice: Any, held: Dataset) -> None:
    client.force_login(alice)
    at = "/projects/wells/datasets/towers/"
    url = f"{at}items/0/"
    form = client.get(f"{url}edit/").context["gold"].initial
    sent = {
        **form,
        "question": "Which tower?",
        "answers": "Tower 0\r\nThe tower 0",
        "supports": ["1"],
        "note": "Short.",
    }
    assert client.post(f"{url}edit/", sent).status_code == 303
    newest = held.items.get(position=0)
    assert (newest.example.answers, newest.example.supports) == (("Tower 0", "The tower 0"), (1,))
    assert newest.example.paragraphs == Item.every.get(position=0, version=1).example.paragraphs
    late = client.post(f"{url}edit/", {**sent, "question": "Which?"})
    assert (late.status_code, "edited since you opened" in late.content.decode()) == (422, True)
    broken = client.post(f"{url}edit/", {"content": '{"id": "well-0"', "version": 2})
    assert "line 1" in broken.content.decode()
    wrong = json.dumps(newest.content | {"supports": [7]})
    assert client.post(f"{url}edit/", {"content": wrong, "version": 2}).status_code == 422
    right = json.dumps(newest.content | {"question": "Which one?"})
    assert client.post(f"{url}edit/", {"content": right, "version": 2}).status_code == 303
    page = client.get(f"{url}versions/").content.decode()
    assert all(words in page for words in ("Version 3", "Short.", "<del>", "Alice"))
    client.post(f"{url}versions/1/restore/")
    assert held.items.get(position=0).version == 4
    client.post(f"{url}archive/", {"reason": "Copied."})
    assert "Copied." in client.get(url).content.decode()
    client.post(f"{url}archive/", {"back": "1"})
    assert held.items.usable().count() == 4
    client.post(f"{at}archive/")
    assert "towers · 4 items" not in client.get("/projects/wells/batches/new/").content.decode()
    assert "archived" in client.get("/projects/wells/datasets/").content.decode()
    client.post(f"{at}archive/", {"back": "1"})
    assert "towers · 4 items" in client.get("/projects/wells/batches/new/").content.decode()


def test_what_a_dataset_holds_follows_its_edits(held: Dataset) -> None:
    before = Dataset.objects.get(pk=held.pk).features
    old = held.items.get(position=0)
    shorter = replace(old.example, answers=("yes",), hops=(), paragraphs=old.example.paragraphs[:2], answerable=False)
    item_editing.edit(old, shorter)
    features = Dataset.objects.get(pk=held.pk).features
    assert (features["yes_no"], features["unanswerable"], features["hops"]) == (1, 1, {"0": 1, "2": 3})
    assert (features["paragraphs"], features["items"]) == ({"2": 1, "3": 3}, 4)
    assert features["words"] < before["words"]
    item_editing.restore(old)
    assert Dataset.objects.get(pk=held.pk).features == before


def test_nothing_is_noted_where_nothing_was_out(held: Dataset) -> None:
    assert item_editing.unarchive(held, [0]) == 0
    item_editing.archive(held, [1], reason="Two towers stand there.")
    assert item_editing.unarchive(held, [0, 1]) == 1
    assert [row.act for row in AuditEntry.objects.order_by("pk")][-2:] == ["retired", "brought back"]
    assert AuditEntry.objects.filter(act="brought back").count() == 1


def test_changes_are_named_by_the_number_that_people_see(held: Dataset) -> None:
    old = held.items.get(position=1).example
    first, *others = old.paragraphs
    new = replace(old, paragraphs=(replace(first, text="Another text."), *others))
    assert list(changes(old, new)) == [("paragraph", 1)]
