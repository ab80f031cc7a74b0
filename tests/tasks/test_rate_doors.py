"""Five rubrics through every door: nothing that a rubric does not show reaches a worker, and no page fails."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.models import Assignment, Batch, Worker
from annotation.registry import form_class
from tasks.rate.task import Rate
from tests.batches import create_batch
from tests.long_forms import first
from tests.marketplaces.frames import Frame, publish
from tests.tasks.html_form import read_form
from tests.views.crawler import MARK, Canaries, Crawler, address, knock_everywhere

pytestmark = pytest.mark.django_db
STEP = {"name": "step", "each": "steps", "ask": "Supported?", "choice": ["yes", "no"], "gold": "steps.gold"}
RUBRICS: dict[str, Any] = {
    "questions": {
        "title": "Check generated questions",
        "show": ["question", "answer", "steps", "paragraphs"],
        "criteria": [
            {"name": "faithful", "ask": "Faithful?", "scale": [1, 4], "labels": ["no", "fully"], "gold": "points"},
            {"name": "multihop", "ask": "More than one?", "choice": ["yes", "no"], "gold": "steps.gold"},
            {"name": "comment", "ask": "Anything else?", "text": "long"},
        ],
    },
    "passages": {
        "show": ["question"],
        "criteria": [{"name": "relevance", "each": "paragraphs", "ask": "Relevant?", "scale": [0, 3]}],
    },
    "steps": {
        "show": ["question", "paragraphs"],
        "criteria": [
            STEP,
            {"name": "evidence", "each": "steps", "ask": "Mark.", "mark": "paragraphs", "if": {"step": ["yes"]}},
        ],
    },
    "same": {
        "show": ["question", "answer", "candidate"],
        "criteria": [
            {"name": "same", "ask": "Same?", "choice": ["yes", "partly", "no"], "ordered": True, "gold": "label"}
        ],
    },
    "better": {
        "show": ["question"],
        "criteria": [
            {"name": "better", "ask": "Better?", "best": [f"{MARK}_a", f"{MARK}_b"], "tie": True, "gold": "winner"},
            {"name": "all", "ask": "In order?", "order": [f"{MARK}_a", f"{MARK}_b"], "if": {}},
        ],
    },
}  # fmt: skip


def written(mark: Canaries, size: int = 4) -> list[dict[str, Any]]:
    return [
        {
            "id": mark.text("id"),
            "question": f"Who built well {k}?",
            "answers": ["Ana"],
            "paragraphs": [{"title": f"Well {j}", "text": f"Ana built well {j}."} for j in range(3)],
            "steps": [{"id": f"s{j}", "text": f"Step {j}.", "gold": mark.text("gold")} for j in range(2)],
            "points": 3,
            "label": "yes",
            "candidate": "Anna",
            "winner": f"{MARK}_a",
            f"{MARK}_a": "She did.",
            f"{MARK}_b": "He did.",
            "note": mark.text("note"),
        }
        for k in range(size)
    ]


@pytest.fixture
def mark() -> Canaries:
    return Canaries()


@pytest.fixture(params=first(1, list(reversed(RUBRICS))))
def rated(request: Any, project: Any, mark: Canaries, tmp_path: Path) -> Batch:
    """Four items of a dataset whose names and unshown fields are canaries."""
    file = tmp_path / "items.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in written(mark)))
    import_dataset(project, file, format="jsonl", name=mark.text("dataset"))
    batch = create_batch(
        project,
        mark.text("batch"),
        task="rate",
        datasets=list(project.datasets.all()),
        options={"rubric": RUBRICS[request.param]},
        instructions="Read.",
        title="Wells",
        assignments_per_hit=2,
    )
    batch_launch.launch(batch)
    return batch


def fields_of(row: Assignment) -> dict[str, Any]:
    """What a page posts for a response of a simulated worker."""
    task, payload = Rate(), row.hit.payload
    shown = task.arrange(payload, Random(row.seed))
    answer = task.imitate(payload, row.hit.item.example, Random(row.pk), right=True)
    return form_class("rate")(shown).posted(answer)


def addresses(batch: Batch) -> list[str]:
    """Those of the batch and its first HIT."""
    known = {"slug": batch.project.slug, "batch": batch.slug, "public_id": batch.hits.first().public_id}
    known |= {"name": batch.datasets.get().slug, "position": 0, "format": "csv", "document": "datasheet"}
    patterns = [each for each in get_resolver().url_patterns if each.name and "batch" in each.pattern.converters]
    return [address(each, known) for each in patterns]


def come_in(site: Crawler, batch: Batch) -> None:
    site.get("work")
    site.post("batch-start", batch.pk)
    site.get("batch-instructions", batch.pk)
    site.post("batch-instructions", batch.pk, version="1")


def work(site: Crawler, batch: Batch, worker: Worker) -> None:
    """Draft, search, a refused and an accepted submission of every item, and what is seen afterwards."""
    while site.post("batch-start", batch.pk)["Location"].startswith("/assignments/"):
        row = worker.assignments.select_related("hit__item").get(batch=batch, state="accepted")
        page = site.get("assignment", row.public_id).content.decode()
        _action, fields = read_form(page, "decide")
        site.get("live", row.public_id, "search", q="ana")
        answered = {**fields, **fields_of(row)}
        site.post("draft", row.public_id, **answered, version="0")
        site.post("submit", row.public_id, **{**fields, "r-better": "9"})
        assert site.post("submit", row.public_id, **answered).status_code == 303
        site.get("assignment", row.public_id)
    for name in ("work", "history"):
        site.get(name)
    site.get("batch-done", batch.pk)


def test_no_worker_is_told_what_the_rubric_does_not_show(rated: Batch, mark: Canaries, bob: Any) -> None:
    site = Crawler(bob.user)
    come_in(site, rated)
    work(site, rated, bob)
    if "better" in rated.options["rubric"]["criteria"][0].values():  # which alone names systems
        knock_everywhere(site, rated)
    assert bob.assignments.filter(state="submitted").count() == 4
    assert not [sent for sent in site.sent if sent[1] >= 500]
    assert site.betrayals(mark.made) == []


@pytest.mark.app("mturk_api", "marketplaces")
def test_no_frame_of_a_marketplace_tells_it(rated: Batch, mark: Canaries) -> None:
    publish(rated)
    frame = Frame(rated.hits.first())
    html = frame.begin().content.decode().replace(f"/frame/{frame.hit.public_id}/", "")
    assert 'data-kind="' in html
    assert MARK not in html


def test_every_page_of_a_requester_opens(rated: Batch, alice: Any, bob: Any, carol: Any) -> None:
    for worker in (bob, carol):
        site = Crawler(worker.user)
        come_in(site, rated)
        work(site, rated, worker)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    failed = [url for url in addresses(rated) if client.get(url).status_code >= 500]
    assert not failed
