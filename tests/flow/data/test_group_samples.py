"""The sample of a task that judges groups together draws whole groups; the number means groups."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import add_items, batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Batch, Dataset
from tests.batches import create_batch
from tests.flow.review.test_response_import import lines

pytestmark = pytest.mark.django_db
GROUPS, SIZE = 10, 3  # groups, and items of each


@pytest.fixture
def grouped(project: Any, tmp_path: Path) -> Dataset:
    """Ten questions in three contexts each, one of which suffices; their rows do not stand together."""
    rows = [
        {
            "id": f"q{number}-{k}",
            "group": f"q{number}",
            "question": f"Which stone lies in well {number}?",
            "paragraphs": [
                {"title": f"Well {number}", "text": f"Stone {number} lies there."},
                {"title": "W", "text": f"No {k}."},
            ],
            "answers": [f"Stone {number}"],
            "supports": [0],
            "answerable": k == 0,
        }
        for k in range(SIZE)
        for number in range(GROUPS)
    ]
    import_dataset(project, lines(tmp_path / "grouped.jsonl", rows), format="jsonl", name="grouped")
    return project.datasets.get(slug="grouped")


def draft(project: Any, name: str, dataset: Dataset, *, task: str, **settings: Any) -> Batch:
    return create_batch(project, name, task=task, datasets=[dataset], instructions="Read.", **settings)


def sizes(batch: Batch) -> list[int]:
    """How many items of each group the batch asks about."""
    return sorted(Counter(batch.hits.values_list("group_key", flat=True)).values())


@pytest.mark.parametrize("task", ["answerability", "sufficiency"])
def test_a_sample_holds_whole_groups(project: Any, grouped: Dataset, task: str) -> None:
    batch = draft(project, "study", grouped, task=task, sample=4, seed=2)
    report = batch_launch.launch(batch)
    assert sizes(batch) == [SIZE] * 4
    assert (report["asked"], report["hits"]) == (4 * SIZE, 4 * SIZE)
    again = draft(project, "again", grouped, task=task, sample=4, seed=2)
    batch_launch.launch(again)
    orders = [list(each.hits.order_by("ticket").values_list("item", flat=True)) for each in (batch, again)]
    assert orders[0] == orders[1]
    groups = list(batch.hits.order_by("ticket").values_list("group_key", flat=True))
    assert groups != sorted(groups, key=groups.index)  # shuffled: members of a group do not all stand together


def test_a_sample_of_other_tasks_and_of_single_instances_is_of_items(project: Any, grouped: Dataset) -> None:
    for name, wish in {
        "answer": {"task": "answer"},
        "expert": {"task": "answerability", "options": {"singles": True}},
    }.items():
        batch = draft(project, name, grouped, sample=5, **wish)
        batch_launch.launch(batch)
        assert batch.size == 5
    assert set(sizes(batch)) == {1}


def test_a_group_of_which_one_item_was_asked_about_is_not_drawn_again(project: Any, grouped: Dataset) -> None:
    first = draft(project, "first", grouped, task="answerability", sample=7)
    batch_launch.launch(first)
    following = add_items.next_items(first, 2)
    batch_launch.launch(following)
    assert sizes(following) == [SIZE] * 2
    assert not set(first.hits.values_list("group_key", flat=True)) & set(
        following.hits.values_list("group_key", flat=True)
    )
    rest = add_items.next_items(following, 5)
    report = batch_launch.launch(rest)
    assert sizes(rest) == [SIZE]
    why = {row["why"]: row["items"] for row in report["left_out"]}
    assert why == {"Used by another batch of this task.": 4 * SIZE}


def test_more_groups_than_there_are_is_told(project: Any, grouped: Dataset) -> None:
    report = batch_launch.launch(draft(project, "study", grouped, task="sufficiency", sample=12))
    assert report["hits"] == GROUPS * SIZE
    assert {row["why"]: row["items"] for row in report["left_out"]} == {"The dataset has no more groups.": 2}


def test_page_and_api_say_that_the_number_means_groups(client: Any, alice: Any, grouped: Dataset) -> None:
    client.force_login(alice)
    shown = client.get(reverse("batch-new", args=[grouped.project.slug])).content.decode()
    assert "A group, such as a pair of twins, counts as one item." in shown
    batch = draft(grouped.project, "study", grouped, task="answerability", sample=4)
    batch_launch.launch(batch)
    following = client.get(reverse("batch-next", args=[grouped.project.slug, "study"])).content.decode()
    assert "A group, such as a pair of twins, counts as one item." in following
    tasks = client.get(reverse("api-task-list", args=[grouped.project.slug])).json()["results"]
    assert {task["name"] for task in tasks if task["samples_groups"]} == {"answerability", "sufficiency"}
