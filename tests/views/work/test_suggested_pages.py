"""A page starts with the model's suggestion where it was drawn so, marked as such; a blind page has nothing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.flow.batches import batch_launch
from annotation.flow.reports.model_predictions import store_predictions
from annotation.flow.work import next_assignment, suggestion_draws
from annotation.models import Assignment, Batch, Worker
from annotation.pure.statistics import suggestions
from tests.batches import create_batch
from tests.flow.acting import dataset_of, newcomer
from tests.flow.scored import imported
from tests.flow.suggesting import MODEL, RUBRIC, choose, consented, questions

pytestmark = pytest.mark.django_db
MARK = "A model suggested this answer."
TEXTS = [{"title": "A", "text": "One."}, {"title": "B", "text": "Two."}]
PAIRS = [
    {"id": f"i{k}", "question": f"Who is {k}?", "paragraphs": TEXTS, "answers": ["One"], "answerable": True}
    for k in range(4)
]
TASKS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]] = {
    "rate": ({"rubric": RUBRIC}, {"sound": "no"}, {"c-sound": "no"}, 'value="no"'),
    "sufficiency": ({}, {"verdict": "insufficient"}, {"verdict": "insufficient"}, 'value="insufficient"'),
    "answer": ({}, {"kind": "text", "text": "Quixotry", "support": [0]}, {}, "Quixotry"),
}


def opened(project: Any, folder: Path, task: str) -> Batch:
    consented(project)
    options, answer, _fields, _shown = TASKS[task]
    if task == "answer":
        dataset = dataset_of(project, folder, name="asked", size=4)
    else:
        dataset = imported(project, folder, "asked", PAIRS if task == "sufficiency" else questions(4))
    made = create_batch(
        project, "s", task=task, datasets=[dataset], options=options, assignments_per_hit=1, instructions="Read."
    )
    keys = dataset.items.values_list("pk", flat=True)
    store_predictions(made, MODEL, [{"item": pk, "run": 1, "answer": answer} for pk in keys])
    batch_launch.launch(choose(made))
    return made


def page_of(batch: Batch, worker: Worker) -> tuple[Client, Assignment, str]:
    client = Client()
    client.force_login(worker.user)  # type: ignore[arg-type]
    client.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})
    row = Assignment.objects.select_related("hit").get(worker=worker, state="accepted")
    return client, row, client.get(reverse("assignment", args=[row.public_id])).content.decode()


@pytest.fixture
def arm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let every draw give this arm."""
    return lambda shown: monkeypatch.setattr(suggestion_draws, "draw_suggested", lambda *_args: shown)


@pytest.mark.parametrize("task", list(TASKS))
def test_a_suggested_page_starts_with_the_answer_and_a_blind_one_with_nothing(
    task: str, project: Any, tmp_path: Path, arm: Any
) -> None:
    batch = opened(project, tmp_path, task)
    _options, answer, _fields, shown = TASKS[task]
    arm(True)
    _client, row, html = page_of(batch, newcomer(project, "sue"))
    assert row.suggested is True
    assert MARK in html
    assert MODEL not in html, "workers do not learn which model it was"
    assert 'data-action="accept-suggestion"' in html
    arm(False)
    _client, other, blind = page_of(batch, newcomer(project, "ben"))
    assert other.suggested is False
    for text in (MARK, "accept-suggestion", MODEL, "suggested"):
        assert text not in blind.partition('id="instructions-box"')[0] + blind.partition('id="keys-box"')[2], text
    if task == "answer":
        assert shown in html
        assert shown not in blind
    else:
        assert [part.partition(">")[0] for part in html.split(shown)[1:] if "checked" in part.partition(">")[0]]
        assert "checked" not in "".join(part.partition(">")[0] for part in blind.split('type="radio"')[1:])
    assert "Some items start with an answer that a model suggests." in blind, "the instructions say so to all"
    assert answer == row.suggestion


def test_what_was_entered_stays_and_is_not_replaced_by_the_suggestion(project: Any, tmp_path: Path, arm: Any) -> None:
    batch = opened(project, tmp_path, "answer")
    arm(True)
    client, row, _html = page_of(batch, newcomer(project, "sue"))
    address = reverse("assignment", args=[row.public_id])
    entered = {"kind": "text", "text": "Farrow", "support": ["0"], "version": "0", "active_seconds": "3"}
    assert client.post(f"{address}draft/", entered).status_code == 200
    html = client.get(address).content.decode()
    assert "Quixotry" not in html
    assert MARK in html
    assert client.post(f"{address}submit/", entered | {"key": "0.a", "version": "1"}).status_code in (200, 303)
    row.refresh_from_db()
    assert (row.state, row.suggested) == ("submitted", True)
    assert MARK not in client.get(address).content.decode()


def test_a_response_is_answered_with_the_next_item_in_its_own_arm(project: Any, tmp_path: Path) -> None:
    """Items share most of their page, which is rendered once: what one arm shows must not come to the other."""
    batch = opened(project, tmp_path, "rate")
    client, row, html = page_of(batch, newcomer(project, "sue"))
    for _item in range(4):
        assert (MARK in html) is bool(row.suggested)
        field = html.partition('type="radio" name="')[2].partition('"')[0]
        data = {field: "yes", "key": "0.a", "version": "0", "active_seconds": "2"}
        sent = client.post(f"{reverse('assignment', args=[row.public_id])}submit/", data, headers={"X-Release": ""})
        assert sent.status_code in (200, 303), sent.content.decode()[:500]
        html = sent.content.decode()
        following = Assignment.objects.filter(batch=batch, state="accepted").select_related("hit").first()
        if following is None:
            break
        row = following
    assert {one.suggested for one in batch.assignments.all()} == {True, False}
    assert suggestions.LEAST_ITEMS == 30
    assert next_assignment.claim(next_assignment.join_batch(row.worker, batch)) is None
