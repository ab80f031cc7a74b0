"""Real records go in, are answered through the pages, are scored, and come out equal."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.demo.encyclopedia import simulated_answer
from annotation.flow.batches import batch_launch
from annotation.flow.data import dataset_files
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.models import Assignment, Item
from tests.batches import create_batch
from tests.conftest import _worker
from tests.long_forms import first
from tests.shared_data import shared_data

SAMPLE = 12
FILES = [
    ("hotpotqa_dev_distractor_240.json", "hotpotqa"),
    ("musique_ans_dev_130.jsonl", "musique"),
    ("musique_full_dev_60.jsonl", "musique"),
]


@pytest.mark.parametrize(("name", "format"), first(1, FILES))
def test_real_records_go_through_a_human_study(name: str, format: str, project: Any, tmp_path: Path) -> None:
    source = shared_data(name)
    report = import_dataset(project, source, format=format, name="real")
    assert report["skipped"] == 0
    dataset = project.datasets.get(slug="real")
    batch = create_batch(project, "study", task="answer", datasets=[dataset], instructions="Read.", sample=SAMPLE)
    batch_launch.launch(batch)
    for number in range(3):
        answer_all(_worker(project, f"reader-{number}"), batch, skill=1.0 if number else 0.5)

    found = batch_scores.score_batch(batch)["datasets"]["real"]
    assert found["n"] + found["excluded"] == SAMPLE
    answerable = [h for h in batch.hits.all() if h.item.example.answerable is not False]
    assert found["n"] == len(answerable)
    assert found["answer"]["human_score"]["f1"]["value"] >= 0.9
    assert found["answer"]["upper_bound"]["em"]["value"] == pytest.approx(1)
    assert found["support"]["upper_bound"]["em"]["value"] == pytest.approx(1)

    dataset_files.export_dataset(dataset, tmp_path / "out", format=format)
    assert records_of(tmp_path / "out") == records_of(source)


def answer_all(worker: Any, batch: Any, *, skill: float) -> None:
    """Everything that the batch has for the worker, through the pages."""
    client, rng = Client(), Random(f"{worker.user.username}")
    client.force_login(worker.user)
    client.get(reverse("batch-instructions", args=[batch.pk]))
    response = client.post(reverse("batch-instructions", args=[batch.pk]), {"version": 1}, follow=True)
    while "payload" in response.context:
        assignment: Assignment = response.context["assignment"]
        fields = given(assignment.hit.item, response.context["payload"]["order"], skill=skill, rng=rng)
        key = response.context["frame"]["key"]
        response = client.post(reverse("submit", args=[assignment.public_id]), fields | {"key": key}, follow=True)
        assert response.status_code == 200


def given(item: Item, order: list[int], *, skill: float, rng: Random) -> dict[str, Any]:
    """What a simulated annotator fills in; closed answers and missing ones by their buttons."""
    example = item.example
    supports = [order.index(k) for k in example.supports or ()]
    if example.answerable is False:
        return {"kind": "none"}
    if example.answer in {"yes", "no"}:
        return {"kind": example.answer, "support": supports}
    result = simulated_answer(example, skill, rng)
    return {
        "kind": "span",
        "text": result["text"],
        "paragraph": order.index(result["paragraph"]),
        "start": result["start"],
        "end": result["end"],
        "support": [order.index(k) for k in result["support"]],
    }


def records_of(path: Path) -> list[Any]:
    text = path.read_text()
    return json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
