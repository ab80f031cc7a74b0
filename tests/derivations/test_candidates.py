"""`candidates`: an item of each distinct answer of models that exact match calls wrong, and a share of the others."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.derivations.base import CannotDerive
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.errors import Refused
from annotation.flow.reports.batch_scores import import_predictions
from annotation.pure.data.example import Example
from annotation.registry import presets
from tests.derivations.sources import Listed, derived, graphs
from tests.management.conftest import Run, run

__all__ = ["run"]


def source(**told: dict[int, str]) -> Listed:
    first, *others = graphs(4, seed=1)
    found = Listed([replace(first, answers=("the Gannet Bell",)), *others])
    found.told = told
    return found


def shown(found: list[tuple[str, Example]]) -> list[tuple[str, Any, Any, Any]]:
    return [(e.id, *(e.extra[name] for name in ("candidate", "given_by", "exact_match"))) for _output, e in found]


def test_answers_that_scorers_take_for_the_same_are_asked_about_once() -> None:
    models = source(
        one={0: "Gannet bell", 1: "a ship"}, two={0: "the Gannet", 1: "The ship."}, three={0: "gannet", 1: " "}
    )
    found, tally = derived("candidates", models, predictions="one, two,three,one", control=0.0)
    examples = list(models.examples())
    assert shown(found) == [
        (f"{examples[0].id}--1", "the Gannet", ["two", "three"], False),
        (f"{examples[1].id}--1", "a ship", ["one", "two"], False),
    ]
    counts = {"questions": 2, "matching": 0, "unanswered": 0}
    systems = {"one": {**counts, "matching": 1}, "two": counts, "three": {**counts, "unanswered": 1}}
    assert tally.figures == {"wrong": 2, "control": 0, "matching": 1, "systems": systems}
    assert [round(e.extra["f1"], 3) for _output, e in found] == [0.667, 0.0]
    assert (tally.read, tally.kept, tally.dropped) == (4, 2, {"no model has an answer to it that is asked about": 2})
    assert {e.group for _o, e in found} == {e.group or e.id for e in examples[:2]}


def test_a_share_of_the_answers_that_match_is_drawn_by_the_seed_and_one_asks_all() -> None:
    examples = [replace(e, answers=("Tarn",), id=f"q{k}") for k, e in enumerate(graphs(400, seed=2))]
    models = Listed(examples)
    models.told = {"one": dict.fromkeys(range(400), "tarn"), "two": dict.fromkeys(range(0, 400, 2), "the fell")}
    sizes = Counter[bool]()
    found, tally = derived("candidates", models, seed=3, predictions="one,two", control=0.25)
    sizes.update(e.extra["exact_match"] for _o, e in found)
    assert sizes[False] == 200
    assert 70 <= sizes[True] == tally.figures["control"] <= 130
    assert [e.id for _o, e in found] == [
        e.id for _o, e in derived("candidates", models, seed=3, predictions="one,two", control=0.25)[0]
    ]
    everything, _tally = derived("candidates", models, predictions="one,two", control=1.0)
    assert len(everything) == 600
    assert len({e.id for _o, e in everything}) == 600


@pytest.mark.parametrize("names", [" , ", "four"])
def test_a_model_without_predictions_is_refused(names: str) -> None:
    with pytest.raises(CannotDerive):
        derived("candidates", source(one={}), predictions=names)


@pytest.mark.django_db
def test_imported_predictions_become_a_dataset_that_the_preset_rates(project: Any, tmp_path: Path, run: Run) -> None:
    import_dataset(project, presets("rate")["same-answer"].with_name("items.jsonl"), format="jsonl", name="made")
    dataset = project.datasets.get(slug="made")
    told = tmp_path / "told.jsonl"
    told.write_text(
        "".join(
            json.dumps(
                {"id": f"s{k}", "predicted_answer": text, "predicted_support_idxs": [], "predicted_answerable": True}
            )
            + "\n"
            for k, text in ((1, "Candle Bay"), (3, "a ship"))
        )
    )
    import_predictions(dataset, told, format="musique", model="one")
    with pytest.raises(Refused, match="no predictions of a model 'two'"):
        derive_dataset(dataset, how="candidates", name="judged", options={"predictions": "two"})
    made = run(
        "derive_dataset",
        "made",
        "--how",
        "candidates",
        "--name",
        "judged",
        "--option",
        "predictions=one",
        "--option",
        "control=1",
        "--project",
        "wells",
    )
    assert made.code == 0, made.err
    [first, other] = [item.example for item in project.datasets.get(slug="judged").items.order_by("position")]
    assert [first.extra["exact_match"], other.extra["exact_match"], other.extra["candidate"]] == [True, False, "a ship"]
    assert run("rubric", "same-answer", "--dataset", "judged", "--project", "wells", "--json").document["rated"] == 2
