"""From single-hop questions of ours to MuSiQue's files: composed, verified, split, written, and read again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.dataset_files import examples_of, export_dataset
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports.dataset_documents import export_provenance, splits_of
from annotation.models import Batch, Dataset, Project
from annotation.pure.data import dag
from annotation.pure.data.example import Example, Hop
from annotation.pure.text.masking import resolved
from tests.derivations.test_official_files import checked
from tests.flow.making import FREE, derived, everything, singles
from tests.flow.review.test_response_import import lines
from tests.replaying import replayed

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(project: Project, tmp_path: Path) -> dict[str, Dataset]:
    def make() -> dict[str, Dataset]:
        return everything(project, tmp_path)

    return replayed("made here", make, project)


def exported(dataset: Dataset, folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    file = folder / f"{dataset.slug}.musique.jsonl"
    export_dataset(dataset, file, format="musique")
    return file, [json.loads(line) for line in file.read_text().splitlines()]


def bare(example: Example) -> Example:
    """What a MuSiQue record holds of an example, whose group is its id there."""
    return replace(example, extra={}, group=example.id)


def test_every_split_is_written_as_the_official_files_are_and_read_again_equal(
    project: Project, made: dict[str, Dataset], tmp_path: Path
) -> None:
    for name in ("ours-train", "ours-dev", "ours-test"):
        assert made[name].size > 0
        file, records = exported(made[name], tmp_path)
        for record in records:
            checked(record)
            assert all(type(step["id"]) is int for step in record["question_decomposition"])
            assert re.fullmatch(r"(2hop|3hop1|4hop1)__\d+(_\d+)+", record["id"])
        import_dataset(project, file, format="musique", name=f"{name}-again")
        again = list(examples_of(Dataset.objects.get(slug=f"{name}-again")))
        assert [bare(example) for example in again] == [bare(example) for example in examples_of(made[name])]


def test_questions_without_twins_are_written_as_an_answerable_file(made: dict[str, Dataset], tmp_path: Path) -> None:
    _file, records = exported(made["wide"], tmp_path)
    assert len(records) == made["wide"].size > 10
    for record in records:
        checked(record)
        assert record["answerable"] is True


def test_one_question_has_one_number_wherever_it_stands(made: dict[str, Dataset], tmp_path: Path) -> None:
    number: dict[str, int] = {}
    records = [r for name in made if name.startswith("ours-") for r in exported(made[name], tmp_path)[1]]
    assert len({record["id"] for record in records}) > 5
    for record in records:
        hops = [Hop(step["question"], step["answer"]) for step in record["question_decomposition"]]
        for step in record["question_decomposition"]:
            question = resolved(step["question"], hops)
            assert number.setdefault(question, step["id"]) == step["id"]
    assert len(set(number.values())) == len(number)
    order = {single["question"]: place for place, single in enumerate(singles(), 1)}
    assert number == {question: order[question] for question in number}


def test_numbers_of_the_source_are_kept_and_the_others_count_past_them(project: Project, tmp_path: Path) -> None:
    rows = singles()[5:9]
    for row, own in zip(rows, ["x", "2", "007", "41"], strict=True):
        row["id"] = own
    import_dataset(project, lines(tmp_path / "singles.jsonl", rows), format="jsonl", name="singles")
    pairs = list(examples_of(derived("singles", "composable-pairs", "pairs")))
    assert [(pair.id, [hop.id for hop in pair.hops]) for pair in pairs] == [
        ("1_2", [1, 2]),
        ("2_3", [2, 3]),
        ("3_41", [3, 41]),
    ]
    assert [pair.extra.get("source_id") for pair in pairs] == [["x", ""], ["", "007"], ["007", ""]]
    [graph] = examples_of(derived("pairs", "graphs", "graphs", mix="4hop1=1", **FREE))
    assert graph.id == "4hop1__1_2_3_41"
    assert graph.extra["source_id"] == ["x", "", "007", ""]
    [same] = examples_of(derived("singles", "graphs", "same", mix="4hop1=1", **FREE))
    assert same == graph


def test_the_side_file_says_who_composed_and_how_bridges_were_judged(made: dict[str, Dataset], tmp_path: Path) -> None:
    export_provenance(made["ours-train"], tmp_path / "p.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    examples = {example.id: example for example in examples_of(made["ours-train"])}
    assert [row["id"] for row in rows] == list(examples)
    batch = Batch.objects.get()
    people = {worker.pseudonym for worker in batch.project.workers.all()}
    assert {row["composer"] for row in rows} == people
    for row in rows:
        assert (row["reviewer"], row["edits"]) == (None, [])
        edges = dag.edges(examples[row["id"]].hops)
        assert row["bridge_votes"] == [{"same": 1, "different": 0, "unsure": 0}] * len(edges)
        assert row["composer"] in row["provenance"][0]["workers"]


def test_the_splits_of_one_derivation_belong_together(made: dict[str, Dataset]) -> None:
    assert splits_of(made["ours-dev"]) == {name: made[f"ours-{name}"] for name in ("train", "dev", "test")}
    assert splits_of(made["full"]) == {"full": made["full"]}
