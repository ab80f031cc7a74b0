"""A joined dataset keeps each item in the group of the dataset that it came from, also in what is derived from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.models import Dataset, Item, Project

pytestmark = pytest.mark.django_db


def imported(project: Project, folder: Path, name: str, *ids: str) -> Dataset:
    file = folder / f"{name}.jsonl"
    paragraphs = [{"title": "Well", "text": f"The well of {name}."}]
    rows: list[dict[str, Any]] = [{"id": i, "question": f"Where is {i}?", "paragraphs": paragraphs} for i in ids]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_dataset(project, file, format="jsonl", name=name)
    return Dataset.objects.get(project=project, slug=name)


def test_items_keep_the_groups_of_where_they_came_from(project: Project, tmp_path: Path) -> None:
    one, two = imported(project, tmp_path, "one", "a", "b"), imported(project, tmp_path, "two", "b", "c")
    report = derive_dataset(one, how="join", name="both", options={"others": "two"})
    assert report["datasets"] == {"both": 3}
    keys = dict(Item.objects.filter(dataset__slug="both").values_list("source_id", "group_key"))
    assert keys == {"a": f"{one.pk}:a", "b": f"{one.pk}:b", "c": f"{two.pk}:c"}
    assert derive_dataset(one, how="join", name="both", options={"others": "two"})["already_there"]


def test_what_is_derived_from_a_joined_dataset_keeps_them_too(project: Project, tmp_path: Path) -> None:
    one, two = imported(project, tmp_path, "one", "a"), imported(project, tmp_path, "two", "c")
    derive_dataset(one, how="join", name="both", options={"others": "two"})
    both = Dataset.objects.get(slug="both")
    derive_dataset(both, how="join", name="all", options={"others": "one"})
    keys = dict(Item.objects.filter(dataset__slug="all").values_list("source_id", "group_key"))
    assert keys == {"a": f"{one.pk}:a", "c": f"{two.pk}:c"}
