"""2WikiMultihopQA's file of other names: people and models who give one of them are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.dataset_files import export_dataset
from annotation.flow.data.dataset_import import ImportRefused, import_dataset
from annotation.flow.reports import batch_scores
from annotation.models import Dataset
from annotation.scorers import evaluate
from tests.flow.review.test_response_import import lines
from tests.flow.scored import opened, say
from tests.pure.formats.samples import TWOWIKI

pytestmark = pytest.mark.django_db

RECORD = TWOWIKI | {"answer_id": "Q9"}
NAMES = [{"Q_id": "Q9", "aliases": ["stannum"], "demonyms": []}, {"Q_id": "Q8", "aliases": [], "demonyms": ["x"]}]


def imported(project: Any, folder: Path, name: str, **more: Any) -> Dataset:
    import_dataset(project, lines(folder / "in.jsonl", [RECORD]), format="2wikimultihopqa", name=name, **more)
    return Dataset.objects.whole().get(slug=name)


def test_a_person_and_a_model_who_give_an_alias_are_right(project: Any, tmp_path: Path) -> None:
    dataset = imported(project, tmp_path, "isles", aliases=lines(tmp_path / "names.jsonl", NAMES))
    batch = opened(project, dataset)
    say(batch, tmp_path, {("isles", 0): [(who, "Stannum", [0, 1]) for who in "abc"]})
    said = {"answer": {"isle-2": "the stannum"}, "sp": {"isle-2": [["ADA QUILL", 0.0], ["farrow", 1]]}}
    predictions = tmp_path / "p.json"
    predictions.write_text(json.dumps(said))
    batch_scores.import_predictions(dataset, predictions, format="2wikimultihopqa", model="m")
    found = batch_scores.score_batch(batch)["datasets"]["isles"]
    assert found["scorer"] == "2wikimultihopqa/1.1"
    assert found["answer"]["human_score"]["em"]["value"] == 1
    model = found["models"]["m"]
    assert (model["answer"]["em"]["value"], model["support"]["em"]["value"]) == (1, 1)


def test_without_the_file_the_alias_is_wrong(project: Any, tmp_path: Path) -> None:
    batch = opened(project, imported(project, tmp_path, "isles"))
    say(batch, tmp_path, {("isles", 0): [("a", "Stannum", [0, 1])]})
    assert batch_scores.score_batch(batch)["datasets"]["isles"]["answer"]["human_score"]["em"]["value"] == 0


def test_an_export_has_the_aliases_and_comes_in_again(project: Any, tmp_path: Path) -> None:
    dataset = imported(project, tmp_path, "isles", aliases=lines(tmp_path / "names.jsonl", NAMES))
    out = tmp_path / "out.json"
    export_dataset(dataset, out, format="2wikimultihopqa")
    assert json.loads(out.read_text()) == [RECORD | {"answer_aliases": ["stannum"]}]
    import_dataset(project, out, format="2wikimultihopqa", name="again")
    again = Dataset.objects.get(slug="again").items.get()
    assert again.example == dataset.items.get().example
    said = tmp_path / "p.json"
    said.write_text(json.dumps({"answer": {"isle-2": "stannum"}, "sp": {}, "evidence": {}}))
    assert evaluate("2wikimultihopqa", out, said)["em"] == 100


def test_the_same_file_with_other_aliases_is_other_content(project: Any, tmp_path: Path) -> None:
    names = lines(tmp_path / "names.jsonl", NAMES)
    imported(project, tmp_path, "isles", aliases=names)
    imported(project, tmp_path, "isles", aliases=names)
    assert Dataset.objects.count() == 1
    with pytest.raises(ImportRefused, match="different content"):
        imported(project, tmp_path, "isles", aliases=lines(tmp_path / "names.jsonl", NAMES[:1]))
