"""Five rubrics from the launch to a replay: worked by simulated workers, adjudicated, exported, imported again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.response_files import export_responses
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.review import adjudication
from annotation.flow.review.response_import import import_responses
from annotation.models import Assignment, Batch
from annotation.registry import form_class
from tasks.rate.task import Rate
from tests.batches import create_batch
from tests.browser import rated
from tests.long_forms import first
from tests.management.conftest import Run, run
from tests.shared_data import shared_data
from tests.tasks.html_form import read_form
from tests.tasks.test_rate_doors import come_in
from tests.views.crawler import Crawler

pytestmark = pytest.mark.django_db
__all__ = ["run"]
RUBRICS = {
    "questions": rated.CHECK,
    "passages": rated.RELEVANCE,
    "steps": rated.SUPPORTED,
    "same": rated.SAME,
    "better": rated.BETTER,
}


def launched(project: Any, slug: str, rubric: Any) -> Batch:
    batch = create_batch(
        project,
        slug,
        task="rate",
        datasets=list(project.datasets.all()),
        options={"rubric": rubric},
        instructions="Read.",
        assignments_per_hit=2,
    )
    batch_launch.launch(batch)
    return batch


def simulated(row: Assignment) -> dict[str, Any]:
    """What a page posts for one of two simulated workers, who often disagree, in each run alike."""
    task, payload = Rate(), row.hit.payload
    rng = Random(f"{row.hit.item.source_id} {row.worker.user.username}")
    answer = task.imitate(payload, row.hit.item.example, rng, right=False)
    return form_class("rate")(task.arrange(payload, Random(row.seed))).posted(answer)


def work(batch: Batch, worker: Any) -> None:
    site = Crawler(worker.user)
    come_in(site, batch)
    while site.post("batch-start", batch.pk)["Location"].startswith("/assignments/"):
        row = worker.assignments.select_related("hit__item").get(batch=batch, state="accepted")
        _action, fields = read_form(site.get("assignment", row.public_id).content.decode(), "decide")
        assert site.post("submit", row.public_id, **{**fields, **simulated(row)}).status_code == 303


def adjudicate(batch: Batch, client: Any) -> int:
    """Decide what is open, as the first worker did; returns how much that was."""
    known = (batch.project.slug, batch.slug)
    queue = adjudication.queue(batch)
    for one in queue:
        client.post(reverse("hit-open", args=[*known, one.public_id]))
        page = reverse("adjudicate-hit", args=[*known, one.public_id])
        _action, fields = read_form(client.get(page).content.decode(), "decide")
        first = batch.assignments.filter(hit=one.pk).select_related("hit__item").earliest("pk")
        decided = form_class("rate")(first.hit.payload).posted(first.current.answer)
        assert client.post(page, {**fields, **decided, "write": "1"}).status_code == 303
    return len(queue)


def figures(batch: Batch) -> dict[str, Any]:
    """The report's tables by name, without pseudonyms, and without where on the page systems stood.

    No export says the latter, so that a batch of imported responses has no such table.
    """
    found = {table["name"]: table["rows"] for table in score_batch(batch)["tables"]}
    found["by-worker"] = sorted((row[1:] for row in found["by-worker"]), key=json.dumps)
    return {name: rows for name, rows in found.items() if not name.endswith("-by-position")}


@pytest.mark.parametrize("name", first(2, RUBRICS))
def test_a_rubric_is_worked_adjudicated_exported_and_replayed_with_equal_figures(
    name: str, project: Any, alice: Any, bob: Any, carol: Any, client: Any, tmp_path: Path
) -> None:
    records = [{**row, "id": f"item-{k}"} for k, row in enumerate(rated.rated() * 3)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in records))
    import_dataset(project, tmp_path / "in.jsonl", format="jsonl", name="made")
    batch = launched(project, "first", RUBRICS[name])
    for worker in (bob, carol):
        work(batch, worker)
    batch_launch.close(batch)
    client.force_login(alice)
    assert adjudicate(batch, client) or name == "passages"  # whose median always decides
    assert adjudication.queue(batch) == []
    wide, long = tmp_path / "out.jsonl", tmp_path / "long.csv"
    export_responses(batch, wide, format="jsonl")
    export_responses(batch, long, format="csv", long=True)
    responses = [json.loads(line) for line in wide.read_text().splitlines()]
    criteria = RUBRICS[name]["criteria"]
    assert len(responses) == 12
    assert {row["criterion"] for row in csv.DictReader(long.read_text().splitlines())} == {
        each["name"] for each in criteria
    }
    again = launched(project, "again", RUBRICS[name])
    assert import_responses(again, wide)["accepted"] == 12
    assert figures(again) == figures(batch)


def test_five_systems_judged_by_people_have_the_published_accuracy_in_a_stored_batch(
    project: Any, tmp_path: Path, run: Run
) -> None:
    records = json.loads(shared_data("judges/evouna_nq_200.json").read_text())
    accuracy = {"fid": 69.0, "gpt35": 64.0, "chatgpt": 73.5, "gpt4": 76.0, "newbing": 81.0}
    rows, responses = [], []
    for k, row in enumerate(records):
        candidates = [{"text": row[f"answer_{system}"], "system": system} for system in accuracy]
        rows.append({"id": f"q{k}", "question": row["question"], "candidates": candidates})
        right = ["yes" if row[f"judge_{system}"] else "no" for system in accuracy]
        responses.append({"dataset": "evouna", "item": f"q{k}", "worker": "expert", "answer": {"right": right}})
    for name, written in (("in", rows), ("said", responses)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in written))
    import_dataset(project, tmp_path / "in.jsonl", format="jsonl", name="evouna")
    right = {"name": "right", "ask": "Right?", "choice": ["yes", "no"], "each": "candidates"}
    options = {"rubric": {"show": ["question"], "criteria": [right]}, "by": "candidates.system"}
    batch = create_batch(project, "judged", task="rate", datasets=list(project.datasets.all()), options=options)
    batch_launch.launch(batch)
    assert not any("newbing" in json.dumps(hit.payload) for hit in batch.hits.all())  # which would reach the page
    import_responses(batch, tmp_path / "said.jsonl")
    content = run("score_batch", "judged", "--project", project.slug, "--json").document
    [strata] = [table for table in content["tables"] if table["name"] == "strata-field"]
    cells = [dict(zip(strata["columns"], row, strict=True)) for row in strata["rows"]]
    assert {
        cell["Stratum"]: round(100 * cell["Share"]["value"], 6) for cell in cells if cell["Value"] == "yes"
    } == accuracy
