"""Questions that are handed on as they are keep the scorer of the format they came in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.dataset_files import export_dataset
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.reports import batch_scores
from annotation.models import Dataset
from tests.conftest import records
from tests.flow.scored import imported, opened, say
from tests.pure.formats.samples import HOTPOT

pytestmark = pytest.mark.django_db
SAID = "yes it is"  # half right of a plain "yes"; HotpotQA gives nothing for it


@pytest.fixture
def closed(project: Any, tmp_path: Path) -> Dataset:
    """Questions of HotpotQA that are answered by yes."""
    rows = [HOTPOT | {"_id": f"h{k}", "answer": "yes"} for k in range(4)]
    return imported(project, tmp_path, "closed", rows, format="hotpotqa")


def derived(source: Dataset, how: str, name: str, **options: Any) -> Dataset:
    derive_dataset(source, how=how, name=name, options=options)
    return Dataset.objects.get(slug=f"{name}-train" if how == "splits" else name)


def scored(project: Any, folder: Path, dataset: Dataset) -> dict[str, Any]:
    """The report of the dataset once somebody said `SAID` to every question."""
    batch = opened(project, dataset)
    say(batch, folder, {(dataset.slug, k): [("a", SAID, [0])] for k in range(dataset.size)})
    found: dict[str, Any] = batch_scores.score_batch(batch)["datasets"][dataset.slug]
    return found


@pytest.mark.parametrize(
    ("how", "options"), [("splits", {"train": 1.0, "dev": 0.0, "test": 0.0}), ("sample", {"count": 2})]
)
def test_splits_and_samples_are_scored_as_what_they_are_of(
    project: Any, closed: Dataset, tmp_path: Path, how: str, options: dict[str, Any]
) -> None:
    found = scored(project, tmp_path, derived(derived(closed, how, "part", **options), "sample", "again"))
    assert found["scorer"] == "hotpotqa/1"
    assert found["answer"]["human_score"]["f1"]["value"] == 0


def test_a_joined_dataset_scores_each_question_as_its_own_format_does(
    project: Any, closed: Dataset, tmp_path: Path
) -> None:
    plain = [row | {"answers": ["yes"]} for row in records(4)]
    imported(project, tmp_path, "plain", plain)
    both = derived(derived(closed, "sample", "some", count=4), "join", "both", others="plain")
    found = scored(project, tmp_path, both)
    assert found["scorer"] == "hotpotqa/1, musique/1"
    assert found["answer"]["human_score"]["f1"] | {"low": 0, "high": 0} == {"value": 0.25, "low": 0, "high": 0, "n": 8}
    assert "answer" not in found["alpha"]
    assert "support" in found["alpha"]


def test_what_is_made_anew_is_scored_as_derived_data_are(project: Any, closed: Dataset, tmp_path: Path) -> None:
    assert scored(project, tmp_path, derived(closed, "dire-probe", "parts"))["scorer"] == "musique/1"


def test_only_our_own_files_tell_and_an_import_of_them_keeps_it(project: Any, closed: Dataset, tmp_path: Path) -> None:
    part = derived(closed, "sample", "part", count=4)
    for dataset in (closed, part):
        export_dataset(dataset, tmp_path / f"{dataset.slug}.json", format="hotpotqa")
    assert (tmp_path / "part.json").read_bytes() == (tmp_path / "closed.json").read_bytes()
    export_dataset(part, tmp_path / "part.jsonl", format="jsonl")
    import_dataset(project, tmp_path / "part.jsonl", format="jsonl", name="back")
    assert scored(project, tmp_path, Dataset.objects.get(slug="back"))["scorer"] == "hotpotqa/1"
