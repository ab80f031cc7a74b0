"""A launch stops at items whose gold workers cannot enter with the page's controls, and says the ways out."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.flow.batches import batch_launch, hidden_gold
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.data.derivation import derive_dataset
from annotation.flow.errors import Refused
from annotation.flow.reports import batch_scores
from annotation.models import Batch, Dataset
from tests.api.calling import caller
from tests.conftest import records
from tests.flow.acting import draft, launched, newcomer, submit, take
from tests.views.batches.test_launch import form
from tests.views.console import work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def computed(project: Any, tmp_path: Path) -> Dataset:
    """Six items: two whose answer stands in a paragraph, and four with a number that has to be computed."""
    rows = records(6)
    for k, row in enumerate(rows[2:]):
        row["answers"] = [str(40 + k)]
    path = tmp_path / "computed.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_dataset(project, path, format="jsonl", name="computed")
    return project.datasets.get(slug="computed")


def test_the_launch_counts_such_items_shows_three_and_names_the_ways_out(project: Any, computed: Dataset) -> None:
    made = draft(project, "b", computed)
    with pytest.raises(Refused) as refused:
        batch_launch.launch(made)
    said = str(refused.value)
    assert said.startswith("Workers cannot enter the gold answers of 4 items, such as ")
    assert sum(f"“{40 + k}” (well-{2 + k})" in said for k in range(4)) == 3
    assert "Set “Answers in workers’ own words” to “yes”" in said
    made.refresh_from_db()
    assert (made.state, made.hits.count()) == (Batch.State.DRAFT, 0)


def test_they_are_left_out_where_the_option_says_so(project: Any, computed: Dataset) -> None:
    made = draft(project, "b", computed, options={"own_words": "leave_out"})
    found = batch_launch.launch(made)
    assert (found["hits"], found["skipped"]) == (2, 4)


def test_own_words_are_taken_and_are_right(project: Any, computed: Dataset) -> None:
    made = launched(project, "b", computed, options={"own_words": "allow"}, assignments_per_hit=1)
    ann = newcomer(project, "ann")
    while assignment := take(ann, made):
        gold = assignment.hit.item.example.answers[0]
        span = next((k for k, p in enumerate(assignment.hit.payload["paragraphs"]) if gold in p["text"]), None)
        given = {"text": gold, "support": [0, 1]}
        assert submit(assignment, batch_launch.task_type("answer").complete(assignment.hit.payload, given))
        assert assignment.hit.payload["controls"]["own_words"] or span is not None
    assert batch_scores.score_batch(made)["datasets"]["computed"]["answer"]["human_score"]["em"]["value"] == 1


def test_a_launch_asks_once_whether_a_derived_dataset_is_altered(
    project: Any, dataset: Dataset, django_assert_num_queries: Any
) -> None:
    derive_dataset(dataset, how="withhold", name="withheld", seed=1, options={"keep": 1})
    item = project.datasets.get(slug="withheld").items.first()
    found = hidden_gold.GoldEntry("answer")
    with django_assert_num_queries(1):
        for _item in range(3):
            found.look(item, {}, item.example)


def test_contexts_that_lack_the_answer_on_purpose_are_launched(project: Any, dataset: Dataset) -> None:
    derive_dataset(dataset, how="withhold", name="withheld", seed=1, options={"keep": 1})
    made = draft(project, "b", project.datasets.get(slug="withheld"))
    assert batch_launch.launch(made)["hits"] == 4


def test_yes_and_no_need_their_buttons(project: Any, tmp_path: Path) -> None:
    row = records(1)[0] | {"answers": ["yes"]}
    path = tmp_path / "spoken.jsonl"
    path.write_text(json.dumps(row) + "\n")
    import_dataset(project, path, format="jsonl", name="spoken")
    spoken = project.datasets.get(slug="spoken")
    with pytest.raises(Refused, match="gold answer of 1 item: “yes” \\(well-0\\)"):
        batch_launch.launch(draft(project, "without", spoken, options={"yes_no": False}))
    assert batch_launch.launch(draft(project, "with", spoken))["hits"] == 1


def test_page_command_and_api_say_the_same(client: Any, project: Any, alice: Any, computed: Dataset) -> None:
    said = "Workers cannot enter the gold answers of 4 items, such as “4"
    client.force_login(alice)
    terms = form(computed, name="paged", launch="1", sample="")
    page = client.post(reverse("batch-new", args=["wells"]), terms)
    assert (page.status_code, said in unescape(page.content.decode())) == (422, True)
    assert (
        client.post(reverse("batch-new", args=["wells"]), terms | {"option-own_words": "leave_out"}).status_code == 303
    )

    with pytest.raises(CommandError, match=said):
        call_command("create_batch", "commanded", "--task", "answer", "--dataset", "computed", "--project", "wells")

    api = caller(alice)
    assert api.post("batches/", title="Asked", task="answer", datasets=["computed"]).status_code == 201
    job = api.post("batches/asked/launch/").json()["id"]
    work_off()
    result = api.get(f"jobs/{job}/").json()
    assert result["state"] == "failed"
    assert result["error"].startswith(said)
