"""From splits to contexts to twins to files: each split knows the others, however far it has come."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotation.flow.data.dataset_files import examples_of, export_dataset
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.data.lineage import other_splits, splits_of
from annotation.flow.reports.dataset_documents import datasheet_of, sheet_of
from annotation.flow.review.results_dataset import create_results_dataset
from annotation.management.commands.export_dataset import files_of
from annotation.models import Dataset, Project
from annotation.pure.derivations.context_building import distracting
from annotation.pure.text.bm25 import same_text
from tests.derivations.test_official_files import checked
from tests.flow.making import FREE, composed, derived, singles
from tests.flow.review.test_response_import import lines
from tests.long_forms import first
from tests.replaying import replayed

pytestmark = pytest.mark.django_db

NAMES = ("train", "dev", "test")


@pytest.fixture
def made(project: Project, tmp_path: Path) -> dict[str, Dataset]:
    """In the order of the README: compositions, splits, the contexts of each, twins of each."""

    def make() -> dict[str, Dataset]:
        import_dataset(project, lines(tmp_path / "singles.jsonl", singles()), format="jsonl", name="singles")
        derived("singles", "composable-pairs", "pairs")
        graphs = derived("pairs", "graphs", "graphs", count=30, mix="2hop=1,3hop1=1,4hop1=1", **FREE)
        create_results_dataset(composed(project, graphs, tmp_path), name="composed")
        parts = {"train": 0.6, "dev": 0.2, "test": 0.2}
        source = Dataset.objects.get(slug="composed")
        for name in ("mine", "again"):
            derive_dataset(source, how="splits", name=name, seed=4, options=parts)
        for name in NAMES:
            derived(f"mine-{name}", "contexts", name, pool="singles", paragraphs=8)
            derived(name, "unanswerable-twins", f"{name}-full", pool="singles")
        return {dataset.slug: dataset for dataset in Dataset.objects.whole()}

    return replayed("splits", make, project)


def supports(dataset: Dataset) -> set[str]:
    return {same_text(e.paragraphs[at]) for e in examples_of(dataset) for at in e.supports or ()}


@pytest.mark.parametrize("name", first(1, NAMES))
def test_contexts_and_twins_hold_nothing_that_another_split_asks_about(made: dict[str, Dataset], name: str) -> None:
    others = {text for other in NAMES if other != name for text in supports(made[f"mine-{other}"])}
    assert others
    for dataset in (made[name], made[f"{name}-full"]):
        assert [each.slug for each in other_splits(dataset)] == sorted(f"mine-{n}" for n in NAMES if n != name)
        there = {same_text(paragraph) for example in examples_of(dataset) for paragraph in distracting(example)}
        assert there
        assert not there & (others - supports(made[f"mine-{name}"]))
    assert made[name].report["figures"]["other splits"]["paragraphs"] == len(others)


def test_what_is_no_split_has_none_beside_it(made: dict[str, Dataset]) -> None:
    assert other_splits(made["composed"]) == []
    assert splits_of(made["composed"]) == {"composed": made["composed"]}


def test_a_join_of_two_splits_has_only_the_third_beside_it(made: dict[str, Dataset]) -> None:
    both = derived("mine-train", "join", "both", others="mine-dev")
    assert other_splits(both) == [made["mine-test"]]


def test_a_dataset_of_the_same_name_in_another_project_is_not_on_the_way(project: Project, tmp_path: Path) -> None:
    other = Project.objects.create(slug="elsewhere", title="Elsewhere")
    file = lines(tmp_path / "singles.jsonl", singles())
    import_dataset(other, file, format="jsonl", name="mine-train")
    import_dataset(project, file, format="jsonl", name="singles")
    derive_dataset(project.datasets.get(slug="singles"), how="splits", name="mine", seed=4)
    derive_dataset(project.datasets.get(slug="mine-train"), how="sample", name="some", seed=4)
    some = project.datasets.get(slug="some")
    assert [each.slug for each in other_splits(some)] == ["mine-dev", "mine-test"]


def test_what_was_made_alike_of_the_splits_is_described_together(made: dict[str, Dataset]) -> None:
    assert splits_of(made["dev"]) == {name: made[name] for name in NAMES}
    assert splits_of(made["test-full"]) == {name: made[f"{name}-full"] for name in NAMES}
    assert files_of(made["dev"], Path("dev.jsonl")) == {name: f"{name}.jsonl" for name in NAMES}
    sheet = sheet_of(made["dev"])
    assert sheet.name == "mine"
    assert [(split.name, split.records) for split in sheet.splits] == [(name, made[name].size) for name in NAMES]
    assert [(step.how, step.made[:3]) for step in sheet.steps][-4:] == [
        ("splits", ("mine-train", "mine-dev", "mine-test")),
        ("contexts", ("train",)),
        ("contexts", ("dev",)),
        ("contexts", ("test",)),
    ]
    assert datasheet_of(made["dev"]) == datasheet_of(made["train"])
    other = derived("mine-dev", "contexts", "dev-wider", pool="singles", paragraphs=9)
    assert splits_of(other) == {"dev": other}


def test_each_is_written_as_the_official_files_are(made: dict[str, Dataset], tmp_path: Path) -> None:
    for name in [*NAMES, *(f"{name}-full" for name in NAMES)]:
        assert made[name].size > 0
        file = tmp_path / f"{name}.jsonl"
        export_dataset(made[name], file, format="musique")
        for line in file.read_text().splitlines():
            record = json.loads(line)
            assert [p["idx"] for p in record["paragraphs"]] == list(range(len(record["paragraphs"])))
            if len(record["paragraphs"]) >= 18:
                checked(record)
