"""Predictions for multiple choice may give an option's letter, as RACE does, or its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores
from annotation.models import Dataset, PredictionSet
from tests.flow.scored import opened, say
from tests.pure.formats.samples import RACE

pytestmark = pytest.mark.django_db

PASSAGE = RACE | {"options": [["iron", "tin", "salt", "gold"], RACE["options"][1]]}  # right: B, A


@pytest.fixture
def passage(project: Any, tmp_path: Path) -> Dataset:
    file = tmp_path / "race.jsonl"
    file.write_text(json.dumps(PASSAGE))
    import_dataset(project, file, format="race", name="race")
    return Dataset.objects.get()


def attached(dataset: Dataset, folder: Path, *said: str, model: str = "m") -> None:
    file = folder / f"{model}.json"
    file.write_text(json.dumps({f"high7.txt#{k}": text for k, text in enumerate(said)}))
    batch_scores.import_predictions(dataset, file, format="squad", model=model)


def test_letters_and_texts_score_alike(passage: Dataset, tmp_path: Path) -> None:
    batch = opened(passage.project, passage)
    say(batch, tmp_path, {("race", k): [("a", text, [])] for k, text in enumerate(("tin", "A mine"))})
    for model, said in (("letters", ("B", "d")), ("texts", ("tin", "A play")), ("both", ("B", "An island"))):
        attached(passage, tmp_path, *said, model=model)
    models = batch_scores.score_batch(batch)["datasets"]["race"]["models"]
    assert {name: found["answer"]["em"]["value"] for name, found in models.items()} == {
        "letters": 0.5,
        "texts": 0.5,
        "both": 1.0,
    }


def test_a_letter_beyond_the_options_is_refused(passage: Dataset, tmp_path: Path) -> None:
    message = r"The prediction for id high7.txt#1 cannot be read: the letter E names none of the 4 options. Give"
    with pytest.raises(Refused, match=message):
        attached(passage, tmp_path, "B", "E")
    assert not PredictionSet.objects.exists()


def test_ablations_keep_what_letters_solve(passage: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "solved.json"
    file.write_text(json.dumps({"high7.txt#0": "b", "high7.txt#1": "C"}))
    derive_dataset(passage, how="ablation:6", name="shuffled", seed=1, options={"solved": str(file), "seeds": 1})
    assert [item.source_id for item in Dataset.objects.get(slug="shuffled").items.all()] == ["high7.txt#0"]
    file.write_text(json.dumps({"high7.txt#0": "F"}))
    with pytest.raises(Refused, match="the letter F names none of the 4 options"):
        derive_dataset(passage, how="ablation:6", name="other", seed=1, options={"solved": str(file), "seeds": 1})
