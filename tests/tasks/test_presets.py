"""The presets of `rate`: each rubric fits its six records, is described, found by all doors, and run whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.reports import batch_scores
from annotation.models import Batch, Project
from annotation.pure.ratings.rubric import parse
from annotation.registry import presets
from annotation.tasktype import capabilities
from tasks.rate.task import TASK
from tests.flow.acting import newcomer, submit, take
from tests.management.conftest import Run, run
from tests.views.batches.test_launch import form

pytestmark = pytest.mark.django_db
__all__ = ["run"]
FILES = presets("rate")
DOCS = Path(__file__).resolve().parents[2] / "docs/rubrics.md"


def imported(project: Project, name: str) -> Any:
    import_dataset(project, FILES[name].with_name("items.jsonl"), format="jsonl", name=name)
    return project.datasets.get(slug=name)


@pytest.mark.parametrize("name", FILES)
def test_a_preset_is_described_with_its_source_and_the_fields_of_its_records(name: str) -> None:
    page = FILES[name].with_name("README.md").read_text()
    assert re.match(rf"# `{name}`: .+\n", page)
    assert re.search(r"^\*\*Sources?\*\*: ", page, re.M)
    rubric = parse(json.loads(FILES[name].read_text()))
    fields = {field.partition(".")[0] for field in rubric.fields}
    wanted = {"answers" if field == "answer" else field for field in fields}
    described = set(re.findall(r"`(\w+)`", page.partition("| a record has |")[2].partition("**Source")[0]))
    assert wanted <= described, wanted - described
    assert f"](../tasks/rate/presets/{name}/README.md)" in DOCS.read_text()


@pytest.mark.parametrize("name", FILES)
def test_a_preset_is_run_whole(name: str, project: Project, run: Run) -> None:
    dataset = imported(project, name)
    said = run("rubric", name, "--dataset", name, "--project", "wells", "--json").document
    assert (said["rated"], said["left_out"]) == (6, {})
    made = run("create_batch", name, "--task", "rate", "--rubric", name, "--dataset", name, "--project", "wells")
    assert made.code == 0, made.err
    batch = Batch.objects.get(slug=name)
    assert batch.options["rubric"] == json.loads(FILES[name].read_text())
    rng = Random(name)
    for k in range(2 * batch.assignments_per_hit):
        worker = newcomer(project, f"w{k}")
        while row := take(worker, batch):
            answer = capabilities.imitate(TASK, row.hit.payload, row.hit.item.example, rng, right=True)
            assert not TASK.check(row.hit.payload, answer)
            submit(row, answer)
    assert batch.hits.filter(done=batch.assignments_per_hit).count() == dataset.size == 6
    rubric = parse(batch.options["rubric"])
    [criteria] = [each for each in batch_scores.score_batch(batch)["tables"] if each["name"] == "criteria"]
    assert [row[0] for row in criteria["rows"]] == [criterion.name for criterion in rubric.criteria]


def test_a_preset_is_chosen_on_the_page_of_a_new_batch(client: Any, alice: Any, project: Project) -> None:
    client.force_login(alice)
    asked = form(imported(project, "relevance"), task="rate", **{"option-rubric": "", "again": "preset:relevance"})
    shown = client.post(reverse("batch-consequences", args=["wells"]), asked).content.decode()
    assert "How relevant is this passage to the question?" in shown
    assert [f'<option value="preset:{name}">' in shown for name in FILES] == [True] * len(FILES)
    odd = client.post(reverse("batch-consequences", args=["wells"]), asked | {"again": "preset:../../secret"})
    assert odd.status_code == 200
    assert "How relevant is this passage to the question?" not in odd.content.decode()
