"""What a launch says: how many items were asked for, how many HITs came of them, and why the others are missing."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from annotation.dry_run.forecast import WorkerModel
from annotation.dry_run.run import dry_run
from annotation.flow.batches import add_items, batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.errors import Refused
from annotation.flow.people import round_attempts
from annotation.models import Batch, Dataset
from tests.batches import create_batch, create_round
from tests.conftest import records
from tests.flow.acting import dataset_of, draft
from tests.flow.people.test_qualification_rounds import made
from tests.long_forms import first

pytestmark = pytest.mark.django_db
HELD = "Reserved for the qualification round round."
SEEN = "Used by another batch of this task."
NO_MORE = "The dataset has no more items."
NEEDS = (
    "Requires a question and, unless the batch is closed-book, a paragraph, "
    "with its sentences if the batch asks for them."
)


@pytest.fixture
def pool(project: Any, tmp_path: Path) -> Dataset:
    return dataset_of(project, tmp_path, name="pool", size=12)


def launched(project: Any, *datasets: Dataset, name: str = "study", **settings: Any) -> dict[str, Any]:
    return batch_launch.launch(draft(project, name, *datasets, **settings))


def why(report: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(row["dataset"], row["why"]): row["items"] for row in report["left_out"]}


def stored(project: Any, folder: Path, found: list[dict[str, Any]]) -> Dataset:
    file = folder / "made.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in found))
    import_dataset(project, file, format="jsonl", name="made")
    return project.datasets.get(slug="made")


def test_what_a_round_holds_is_missing_and_the_round_is_named(project: Any, pool: Dataset, tmp_path: Path) -> None:
    other = dataset_of(project, tmp_path, name="other", size=12)
    made(project, pool, other, sample=9)
    report = launched(project, pool, other, sample=5)
    assert (report["asked"], report["hits"], report["skipped"]) == (10, 6, 4)
    assert why(report) == {("pool", HELD): 2, ("other", HELD): 2}
    assert why(launched(project, pool, name="whole")) == {("pool", HELD): 9}
    assert why(launched(project, pool, name="shared", sample=5, disjoint=False)) == {}


def test_what_production_asks_about_is_missing_in_a_round(project: Any, pool: Dataset) -> None:
    launched(project, pool, sample=6)
    trial = draft(project, "trial", pool, purpose="qualification", sample=9)
    assert why(batch_launch.launch(trial)) == {("pool", "Reserved for the batch study."): 3}


def test_a_sample_larger_than_its_dataset_is_told(project: Any, pool: Dataset) -> None:
    report = launched(project, pool, sample=20)
    assert (report["asked"], report["hits"], why(report)) == (20, 12, {("pool", NO_MORE): 8})


def test_items_that_were_asked_about_already_are_told(project: Any, pool: Dataset) -> None:
    launched(project, pool, sample=8)
    report = launched(project, pool, name="more", sample=6, unseen_only=True)
    assert (report["asked"], report["hits"], why(report)) == (6, 4, {("pool", SEEN): 2})


def test_items_that_the_task_cannot_ask_about_are_told_in_its_words(project: Any, tmp_path: Path) -> None:
    mixed = [record | ({"question": ""} if k % 3 == 0 else {}) for k, record in enumerate(records(9))]
    report = launched(project, stored(project, tmp_path, mixed))
    assert (report["asked"], report["hits"], why(report)) == (9, 6, {("made", NEEDS): 3})


def test_items_whose_gold_says_too_little_are_missing_in_a_round(project: Any, tmp_path: Path) -> None:
    bare = [record | ({"answers": []} if k < 2 else {}) for k, record in enumerate(records(6))]
    found = made(project, stored(project, tmp_path, bare))
    assert found.batch.size == 4
    assert round_attempts.pool_of(found.batch) == {"made": 4}


def test_a_launch_without_a_hit_says_why_and_leaves_a_draft_as_it_was(project: Any, pool: Dataset) -> None:
    made(project, pool)
    batch = draft(project, "study", pool, sample=5)
    with pytest.raises(Refused, match=f"nothing to launch. {HELD}"):
        batch_launch.launch(batch)
    batch.refresh_from_db()
    assert (batch.state, batch.next_ticket, batch.hits.count()) == (Batch.State.DRAFT, 0, 0)


def test_the_next_items_say_what_holds_the_rest(project: Any, pool: Dataset) -> None:
    terms = {"task": "solvability", "instructions": "Read.", "purpose": "qualification", "sample": 5}
    batch_launch.launch(create_batch(project, "round", datasets=[pool], **terms))
    first = draft(project, "study", pool, sample=7)
    batch_launch.launch(first)
    (row,) = add_items.remaining(first)
    assert (row.items, row.asked, row.held, row.left) == (12, 7, 5, 0)
    with pytest.raises(Refused, match=HELD):
        add_items.next_items(first, 1)


def test_a_dry_run_of_nothing_says_what_holds_the_items(project: Any, pool: Dataset) -> None:
    made(project, pool)
    with pytest.raises(Refused, match=HELD):
        dry_run(draft(project, "study", pool), crowd=WorkerModel(), workers=1)


@pytest.mark.parametrize(
    ("sample", "pool_size", "unseen", "disjoint"),
    first(12, product([7, None, 3, 20], [8, 2], [True, False], [True, False])),
)
def test_what_was_asked_for_adds_up(
    project: Any, pool: Dataset, tmp_path: Path, sample: int | None, pool_size: int, unseen: bool, disjoint: bool
) -> None:
    other = dataset_of(project, tmp_path, name="other", size=10)
    made(project, pool, sample=pool_size, per_worker=2)
    launched(project, pool, other, name="before", sample=1)
    report = launched(project, pool, other, sample=sample, unseen_only=unseen, disjoint=disjoint)
    assert report["asked"] == (22 if sample is None else 2 * sample)
    assert report["asked"] == report["hits"] + report["skipped"]
    assert report["skipped"] == sum(row["items"] for row in report["left_out"])


def test_a_round_that_holds_whole_datasets_is_warned_of_at_its_launch(
    project: Any, pool: Dataset, tmp_path: Path
) -> None:
    other = dataset_of(project, tmp_path, name="other", size=4)
    terms = {"task": "answer", "instructions": "Read.", "grants": "Readers", "per_worker": 2}
    found = create_round(project, "round", datasets=[pool, other], sample=4, **terms)
    assert batch_launch.launch(found.batch)["warnings"] == [
        (
            "This qualification round uses every item of other, so no items are left for production "
            "batches. Give the round a pool to leave some."
        )
    ]
    small = create_round(project, "small", datasets=[pool], sample=4, **terms)
    assert batch_launch.launch(small.batch)["warnings"] == []


def test_a_round_with_too_few_items_to_grade_is_refused_at_its_launch(project: Any, tmp_path: Path) -> None:
    bare = stored(project, tmp_path, [record | {"answers": []} for record in records(4)[:2]] + records(4)[2:])
    found = create_round(
        project, "round", task="answer", datasets=[bare], instructions="Read.", grants="Readers", per_worker=3
    )
    with pytest.raises(Refused, match="made has 2 items for this qualification round, which needs 3"):
        batch_launch.launch(found.batch)
    assert (found.batch.state, found.batch.hits.count()) == (Batch.State.DRAFT, 0)
