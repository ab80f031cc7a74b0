"""Closed-book batches of `answer`: no paragraphs and no support, and every text about the task says so."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.urls import reverse

from annotation import registry
from annotation.flow.batches import batch_launch, practice_progress
from annotation.flow.data import dataset_import
from annotation.flow.reports.batch_scores import score_batch
from annotation.flow.reports.methods_facts import facts_of
from annotation.flow.review import response_import
from annotation.flow.work import next_assignment
from annotation.models import Assignment, Batch, Dataset, Item, WorkerResponse
from annotation.pure.data.example import Example
from annotation.pure.reports import methods
from annotation.pure.reports.report_values import tables_of
from annotation.registry import default_instructions
from annotation.tasktype import capabilities
from annotation.views.reports.report_display import in_words
from tests.api.calling import caller
from tests.batches import create_batch
from tests.conftest import records
from tests.tasks.html_form import read_form
from tests.views.batches.test_launch import form

CLOSED = {"context": "none", "no_answer": True}
QUESTION = "Answer the question from what you know"


@pytest.fixture
def closed(project: Any, dataset: Dataset) -> Batch:
    made = create_batch(project, "closed", task="answer", datasets=[dataset], options=CLOSED, assignments_per_hit=2)
    batch_launch.launch(made)
    return made


def begun(worker: Any, batch: Batch) -> Assignment:
    participation = next_assignment.join_batch(worker, batch)
    next_assignment.read_instructions(participation, version=1)
    participation.refresh_from_db()
    found = next_assignment.claim(participation)
    assert found
    return found


def page_of(client: Any, worker: Any, assignment: Assignment) -> str:
    client.force_login(worker.user)
    return str(client.get(f"/assignments/{assignment.public_id}/").content.decode())


def submit(client: Any, html: str, **given: str) -> int:
    action, fields = read_form(html)
    return int(client.post(action, {**fields, **given}).status_code)


def test_the_page_has_no_paragraph_and_asks_for_no_support(client: Any, bob: Any, closed: Batch) -> None:
    html = page_of(client, bob, begun(bob, closed))
    for missing in ('id="paragraphs"', 'id="search"', 'name="support"', "Farrow", "js/answer.js"):
        assert missing not in html
    assert "I do not know" in html
    assert "js/closed_book.js" in html


def test_any_text_is_an_answer_and_none_is_no_answer(client: Any, bob: Any, closed: Batch) -> None:
    assignment = begun(bob, closed)
    html = page_of(client, bob, assignment)
    assert submit(client, html, kind="text", text="") == 422
    assert submit(client, html, kind="text", text="  the tall Tower\r\n0 ") == 303
    kept = WorkerResponse.objects.get(assignment=assignment).answer
    assert (kept["kind"], kept["text"], kept["support"]) == ("typed", "the tall Tower\n0", [])


def test_instructions_question_and_practice_are_those_of_the_variant(
    bob: Any, closed: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation.views.work.task_frame import batch_frame

    assert closed.instructions.text == default_instructions("answer", "closed_book")
    assert "do not look anything up" in closed.instructions.text
    assert batch_frame(closed, closed.instructions, closed.hits.all()[0].payload)["task_question"].startswith(QUESTION)
    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    exercises = practice_progress.exercises(closed)
    assert [exercise.payload["paragraphs"] for exercise in exercises] == [[]] * 4


def test_practice_with_paragraphs_is_no_practice_without(
    bob: Any, batch: Batch, closed: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_progress, "practice", registry.practice)
    one, other = (next_assignment.join_batch(bob, each) for each in (batch, closed))
    while number := practice_progress.next_exercise(one):
        assert practice_progress.finish(one, number)
    assert practice_progress.next_exercise(other) == 1


def test_records_without_paragraphs_are_asked_closed_book_by_default(project: Any, tmp_path: Path) -> None:
    record = {"id": "a", "question": "Who painted it?", "paragraphs": [], "answers": ["Ana Brook"]}
    file = tmp_path / "frames.jsonl"
    file.write_text("".join(json.dumps(record | {"id": f"a{k}"}) + "\n" for k in range(2)))
    dataset_import.import_dataset(project, file, format="jsonl", name="frames")
    dataset = Dataset.objects.get(slug="frames")
    made = create_batch(project, "frames", task="answer", datasets=[dataset])
    assert made.options["context"] == "none"
    assert made.options["no_answer"] is True
    assert made.expected_seconds == 30
    assert batch_launch.launch(made)["hits"] == 2


def test_report_and_methods_say_closed_book_and_have_no_support(
    closed: Batch, dataset: Dataset, tmp_path: Path
) -> None:
    lines = [
        {"dataset": "wells", "item": k, "worker": worker, "answer": {"text": text}}
        for k, item in enumerate(Item.objects.filter(dataset=dataset))
        for worker, text in (("ada", item.example.answers[0]), ("ben", ""))
    ]
    file = tmp_path / "responses.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    response_import.import_responses(closed, file)
    report = score_batch(closed)
    assert report["closed_book"] is True
    [study] = report["datasets"].values()
    assert study["answer"]["average"]["em"]["value"] == 0.5
    assert study["support"]["human_score"]["f1"]["value"] is None
    tables = [table for table in tables_of(report) if not table["name"].startswith("musique-")]  # the paper's own
    heads = [words for table in tables for words in (*table["columns"], *dict(table.get("spans", [])))]
    assert "Answer F1" in heads
    assert not [words for words in heads if "upport" in words]  # nobody was asked
    assert "Closed-book: workers saw no paragraphs" in in_words(report)
    assert QUESTION in methods.in_words(facts_of(closed, report))


def test_support_that_was_given_elsewhere_is_left_out(closed: Batch, tmp_path: Path) -> None:
    """A model's predictions on the same items may name it."""
    file = tmp_path / "responses.jsonl"
    line = {"dataset": "wells", "item": 0, "worker": "ada", "answer": {"text": "Tower 0", "support": [0, "Well 0"]}}
    file.write_text(json.dumps(line) + "\n")
    response_import.import_responses(closed, file)
    kept = WorkerResponse.objects.get().answer
    assert (kept["kind"], kept["text"], kept["support"]) == ("typed", "Tower 0", [])


@pytest.mark.parametrize("words", [[], ["Tower 7"]])
def test_what_workers_knew_replaces_the_answer_and_leaves_the_labels_of_the_context(words: list[str]) -> None:
    """Not knowing changes nothing: it does not make a question unanswerable."""
    task = registry.task_type("answer")
    example = Example.from_json(records(1)[0])
    payload = task.prepare(example, task.options(CLOSED), Random(1))
    assert payload
    answers = [task.complete(payload, {"text": word}) for word in words or [""]]
    made = task.export(example, task.aggregate(payload, answers))
    assert [(one.answers, one.supports, one.answerable) for one in made] == [
        ((word, "Tower 0"), example.supports, None) for word in words
    ]


def test_common_knowledge_puts_no_gold_in_doubt() -> None:
    task, example = registry.task_type("answer"), Example.from_json(records(1)[0])
    payload = task.prepare(example, task.options(CLOSED), Random(1))
    assert payload
    wrong = task.complete(payload, {"text": "a barn"})
    assert capabilities.doubt(task, payload, [wrong] * 3, example) is None


def test_the_launching_page_changes_untouched_instructions_with_the_option(
    client: Any, alice: Any, dataset: Dataset
) -> None:
    client.force_login(alice)
    usual, closed = default_instructions("answer"), default_instructions("answer", "closed_book")
    posted = form(dataset, instructions=usual, proposed_for=f"answer.{dataset.pk}", **{"option-context": "none"})
    html = client.post(reverse("batch-consequences", args=["wells"]), posted).content.decode()
    assert "do not look anything up" in html
    own = client.post(reverse("batch-consequences", args=["wells"]), posted | {"instructions": "My own."})
    assert "do not look anything up" not in own.content.decode()
    client.post(reverse("batch-new", args=["wells"]), posted)
    made = Batch.objects.get()
    assert (made.options["context"], made.instructions.text) == ("none", closed)
    back = posted | {"instructions": closed, "option-context": "shown"}
    client.post(reverse("batch-edit", args=["wells", made.slug]), back | {"name": made.slug})
    made.refresh_from_db()
    assert (made.options["context"], made.instructions.text) == ("shown", usual)


def test_the_api_gives_a_closed_book_draft_its_instructions(alice: Any, dataset: Dataset) -> None:
    api, closed = caller(alice), default_instructions("answer", "closed_book")
    made = api.post("batches/", title="Closed", task="answer", datasets=["wells"], options={"context": "none"})
    assert made.status_code == 201, made.content
    assert made.json()["instructions"]["text"] == closed
    changed = api.patch("batches/closed/", options={"context": "shown"}).json()
    assert changed["instructions"]["text"] == default_instructions("answer")
