"""Batches of ratings side by side: which criteria are the same, and that only these are compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.flow.review.response_import import import_responses
from annotation.models import Batch
from annotation.pure.data.column_mapping import ColumnMapping
from tests.batches import create_batch

pytestmark = pytest.mark.django_db
JSON = dict[str, Any]
FAITHFUL = {"name": "faithful", "ask": "Faithful?", "scale": [1, 5], "gold": "points"}
NATURAL = {"name": "natural", "ask": "Natural?", "scale": [1, 4], "gold": "points"}
MULTIHOP = {"name": "multihop", "ask": "Multihop?", "choice": ["yes", "no"]}
KINDS = {"name": "kinds", "ask": "Wrong?", "choice": ["a", "b"], "ordered": True}
COMMENT = {"name": "comment", "ask": "Else?", "text": "long"}
FIRST = [FAITHFUL, NATURAL, MULTIHOP, KINDS, COMMENT]
OTHER = [
    FAITHFUL,
    NATURAL | {"scale": [1, 5]},
    MULTIHOP | {"choice": ["no", "yes"]},
    KINDS | {"ordered": False},
    COMMENT,
]
GIVEN: JSON = {"faithful": 5, "natural": 1, "multihop": "yes", "kinds": "a"}


@pytest.fixture
def records(project: Any, tmp_path: Path) -> Any:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps({"text": f"Well {k}.", "points": 5}) + "\n" for k in range(6)))
    import_dataset(project, file, format="jsonl", name="records", mapping=ColumnMapping())
    return project.datasets.get(slug="records")


def rated(dataset: Any, folder: Path, name: str, criteria: list[JSON], *answers: JSON) -> Batch:
    """A scored batch where each of the answers is given by one person to each item."""
    options = {"rubric": {"show": ["text"], "criteria": criteria}}
    batch = create_batch(dataset.project, name, task="rate", datasets=[dataset], options=options, assignments_per_hit=2)
    batch_launch.launch(batch)
    rows = [
        {"dataset": "records", "item": item, "worker": f"{name}-{k}", "answer": answer}
        for item in range(6)
        for k, answer in enumerate(answers)
    ]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_responses(batch, folder / name)
    batch_scores.score_batch(batch)
    return batch


def tables(client: Any, *names: str) -> dict[str, list[list[str]]]:
    """The cells of the comparison's tables, by their names."""
    page = client.get(reverse("compare", args=["wells"], query={"one": list(names)}))
    shown = page.context["tables"]
    return {table["name"]: [[cell["text"] for cell in row] for row in table["rows"]] for table in shown}


def test_only_criteria_with_the_same_name_kind_and_values_are_compared(
    client: Any, alice: Any, records: Any, tmp_path: Path
) -> None:
    two = rated(records, tmp_path, "two", OTHER, GIVEN, GIVEN | {"natural": 5, "kinds": "b", "faithful": 4})
    one = rated(records, tmp_path, "one", FIRST, GIVEN, GIVEN | {"natural": 4, "kinds": "b"})
    client.force_login(alice)
    found = tables(client, "one", "two")
    assert found["criteria"] == [
        ["faithful", "yes", "a scale from 1 to 5", "a scale from 1 to 5"],
        ["natural", "no", "a scale from 1 to 4", "a scale from 1 to 5"],
        ["multihop", "yes", "one of yes, no", "one of no, yes"],
        ["kinds", "no", "one of a, b, in this order", "one of a, b"],
        ["comment", "texts have no figures", "a text", "a text"],
    ]
    # Grades are those of faithful: 1, 1 and 1, 0.75. Of the two equal criteria, faithful differs in the second batch.
    assert [(row[0], *row[3:5]) for row in found["batches"]] == [
        (one.label, "100.0 %", "100.0 %"),
        (two.label, "87.5 %", "87.5 %"),
    ]
    assert found["by-criterion"] == [
        ["faithful", "mean", "5", "4.5"],
        ["multihop", "yes", "100.0 %", "100.0 %"],
        ["multihop", "no", "0.0 %", "0.0 %"],
    ]


def test_nothing_is_compared_without_a_common_criterion(client: Any, alice: Any, records: Any, tmp_path: Path) -> None:
    rated(records, tmp_path, "two", [NATURAL], {"natural": 4}, {"natural": 4})
    rated(records, tmp_path, "one", [FAITHFUL], {"faithful": 5}, {"faithful": 5})
    client.force_login(alice)
    found = tables(client, "one", "two")
    dash = "–"
    assert found["criteria"] == [
        ["faithful", "no", "a scale from 1 to 5", dash],
        ["natural", "no", dash, "a scale from 1 to 4"],
    ]
    assert [row[3:5] for row in found["batches"]] == [[dash, dash]] * 2
    assert not {"differences", "by-criterion"} & found.keys()


def test_batches_of_one_rubric_are_compared_as_in_their_reports(
    client: Any, alice: Any, records: Any, tmp_path: Path
) -> None:
    criteria = [FAITHFUL, NATURAL]
    for name in ("one", "two"):
        rated(records, tmp_path, name, criteria, {"faithful": 5, "natural": 1}, {"faithful": 3, "natural": 1})
    client.force_login(alice)
    found = tables(client, "one", "two")
    assert [row[1] for row in found["criteria"]] == ["yes", "yes"]
    assert [row[4] for row in found["batches"]] == ["75.0 %"] * 2


STEPS = {"each": "steps", "ask": "Right?", "choice": ["yes", "no"], "right": ["yes"]}


def chained(project: Any, folder: Path, name: str, *states: list[str]) -> Batch:
    """A scored batch that asks a criterion of this name about two steps of each item; one worker."""
    records = [{"id": f"c{k}", "question": f"Which {k}?", "steps": ["a", "b"]} for k in range(len(states))]
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    import_dataset(project, file, format="jsonl", name=f"of-{name}")
    options = {"rubric": {"show": ["question"], "criteria": [STEPS | {"name": name}]}}
    datasets = [project.datasets.get(slug=f"of-{name}")]
    batch = create_batch(project, name, task="rate", datasets=datasets, options=options, assignments_per_hit=1)
    batch_launch.launch(batch)
    rows = [
        {"dataset": f"of-{name}", "item": k, "worker": f"{name}-w", "answer": {name: given}}
        for k, given in enumerate(states)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_responses(batch, file)
    batch_scores.score_batch(batch)
    return batch


def test_a_chain_is_right_if_attribution_and_logic_of_two_batches_are(
    client: Any, alice: Any, project: Any, tmp_path: Path
) -> None:
    """Of two batches over copies of the records, with three chains that both have."""
    yes, no = ["yes", "yes"], ["yes", "no"]
    two = chained(project, tmp_path, "logic", yes, no, yes)
    one = chained(project, tmp_path, "attribution", yes, yes, no, yes)
    client.force_login(alice)
    assert [row[:4] for row in tables(client, "attribution", "logic")["chains"]] == [
        [one.label, "2", "1", "0"],
        [two.label, "2", "1", "0"],
        ["in all", "1", "2", "0"],
    ]
