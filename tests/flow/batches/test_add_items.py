"""A batch again, and the next items that nobody was asked about yet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.batches import add_items, batch_launch, item_selection
from annotation.flow.errors import Refused
from annotation.flow.people import qualification_rounds
from annotation.models import Batch
from tests.batches import create_round
from tests.flow.acting import dataset_of, draft, launched

pytestmark = pytest.mark.postgresql(reason="items are chosen under a lock of the project")


def positions(batch: Batch) -> set[int]:
    return set(batch.hits.values_list("item__position", flat=True))


def test_a_clone_is_a_draft_with_everything_that_was_settled(
    project: Any, bob: Any, tmp_path: Path, alice: Any
) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=6)
    result = {"title": "Towers", "sample": 3, "seed": 5, "reward": "0.30", "meeting": "free", "keywords": "x"}
    batch = launched(project, "study", held, workers=[bob], requirements=[], **result)
    batch_launch.change_instructions(batch, "Read it twice.")
    again = add_items.clone(batch, user=alice)
    again.refresh_from_db()
    batch.refresh_from_db()
    assert (again.state, again.slug, again.size, again.created_by) == ("draft", "study-2", 0, alice)
    fresh = {"id", "slug", "state", "size", "next_ticket", "picked", "has_reserved_hits", "has_group_parts"}
    fresh |= {"created_by", "created_at", "launched_at", "removed_at"}
    for field in Batch._meta.concrete_fields:
        assert field.name in fresh or getattr(again, field.attname) == getattr(batch, field.attname), field.name
    assert list(again.datasets.all()) == [held]
    assert list(again.workers.all()) == [bob]
    assert again.instructions.text == "Read it twice."
    assert add_items.clone(again).slug == "study-3"


def test_no_batch_takes_the_name_of_a_page(project: Any, tmp_path: Path) -> None:
    batch = launched(project, "study", dataset_of(project, tmp_path, name="towers", size=6), sample=2)
    with pytest.raises(Refused, match="The name new is taken"):
        add_items.next_items(batch, 2, name="new")


def test_a_round_is_cloned_with_its_rule(project: Any, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=4)
    grants = qualification_rounds.grant_type(project, "Readers")
    made = create_round(
        project, "trial", task="answer", datasets=[held], per_worker=2, grants=grants, tries=2, instructions="Read."
    )
    again = add_items.clone(made.batch)
    assert (again.round.per_worker, again.round.attempts, again.round.grants) == (2, 2, grants)
    with pytest.raises(Refused):
        add_items.next_items(made.batch, 1)


def test_the_next_items_are_those_that_nobody_was_asked_about(project: Any, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=7)
    first = launched(project, "study", held, sample=3, seed=9)
    (row,) = add_items.remaining(first)
    assert (row.items, row.asked, row.left) == (7, 3, 4)
    second, rival = (add_items.next_items(first, 2) for _time in range(2))
    planned = item_selection.selected_keys(second)
    assert planned == item_selection.selected_keys(rival), "the same seed, the same state, the same draw"
    batch_launch.launch(second)
    assert [hit.item_id for hit in second.hits.order_by("ticket")] == planned
    batch_launch.launch(rival)
    assert len(positions(first) | positions(second) | positions(rival)) == 7
    assert [row.left for row in add_items.remaining(first)] == [0]
    with pytest.raises(Refused):
        add_items.next_items(first, 1)
    other_task = Batch(project=project, task="solvability", options={}, unseen_only=True)
    assert not item_selection.used_places(other_task, [held])


def test_what_was_asked_is_counted_for_each_dataset(project: Any, tmp_path: Path) -> None:
    towers = dataset_of(project, tmp_path, name="towers", size=4)
    wells = dataset_of(project, tmp_path, name="wells", size=3)
    launched(project, "study", towers, sample=2)
    both = draft(project, "both", towers, wells, fresh_only=False)
    assert [(row.asked, row.left) for row in add_items.remaining(both)] == [(2, 2), (0, 3)]


def test_a_launch_under_way_has_its_items_already(project: Any, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=6)
    first = launched(project, "study", held, sample=2)
    second, third = (add_items.next_items(first, 2) for _time in range(2))
    second.move(Batch.State.LAUNCHING)
    taken = item_selection.select_and_reserve(second).keys  # and nothing of it is a HIT yet
    assert not set(taken) & set(item_selection.select_and_reserve(third).keys)
    second.move(Batch.State.DRAFT, picked=None)
    third.refresh_from_db()
    batch_launch.launch(third)
    third.refresh_from_db()
    assert third.picked is None, "its HITs tell from now on"
    second.refresh_from_db()
    batch_launch.launch(second)
    assert not positions(second) & positions(third)


def test_the_page_tells_what_is_left_and_makes_the_draft(client: Any, project: Any, alice: Any, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=5)
    launched(project, "study", held, sample=2)
    client.force_login(alice)
    url = "/projects/wells/batches/study/"
    assert "<b>3</b>" in client.get(f"{url}next/").content.decode()
    assert client.post(f"{url}next/", {"count": 2, "name": "study"}).status_code == 422
    made = client.post(f"{url}next/", {"count": 2, "name": "more"})
    assert made.url == "/projects/wells/batches/more/edit/"
    page = client.get(made.url).content.decode()
    assert "checked" in page.split('name="unseen_only"')[1][:80]
    again = client.post(f"{url}clone/")
    assert again.url == "/projects/wells/batches/study-2/edit/"
    assert not project.batches.get(slug="study-2").unseen_only
