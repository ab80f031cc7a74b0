"""Practice: unpaid exercises between the guide and the first HIT, answered at once and kept nowhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from annotation.flow.batches import batch_launch, practice_progress
from annotation.flow.work import next_assignment
from annotation.models import Assignment, Batch, Participation, WorkerResponse
from annotation.pure.data.example import Example
from annotation.registry import task_type, task_types
from annotation.tasktype import Remark
from tests.batches import create_batch
from tests.conftest import records
from tests.flow.acting import take
from tests.marketplaces.test_frame import fields

TOWER = {"kind": "text", "text": "Tower 0", "support": ["0", "1"]}


def items() -> tuple[Example, ...]:
    """Two items of which the second has gold of its own, and between them one that nobody can be asked about."""
    first, second = (Example.from_json(record) for record in records(2))
    return first, Example.from_json(records(1)[0] | {"id": "empty", "question": " "}), second


class PractisedAnswer(type(task_type("answer"))):  # type: ignore[misc]
    """The task `answer` with something to say about practice."""

    kind = "answer"

    def feedback(self, payload: Any, answer: Any, gold: Example) -> list[Remark]:
        right = answer["text"] in gold.answers
        return [Remark(right, "You wrote “%(text)s”." if right else "It is %(text)s.", {"text": gold.answers[0]})]


@pytest.fixture(autouse=True)
def with_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice_progress, "practice", lambda *_: items())
    monkeypatch.setitem(task_types(), "answer", PractisedAnswer())


@pytest.fixture
def site(client: Any, bob: Any, batch: Batch) -> Any:
    """Bob's browser, the guide read."""
    client.force_login(bob.user)
    client.post(reverse("batch-instructions", args=[batch.pk]), {"version": "1"})
    return client


def exercise(batch: Batch, number: int, name: str = "practice") -> str:
    return reverse(name, args=[batch.pk, number])


def practised(batch: Batch) -> int:
    return Participation.objects.get(batch=batch).practised


def test_after_the_instructions_comes_practice_and_after_practice_the_first_hit(
    client: Any, bob: Any, batch: Batch
) -> None:
    client.force_login(bob.user)
    response = client.post(reverse("batch-instructions", args=[batch.pk]), {"version": "1"})
    assert response.url == exercise(batch, 1)
    assert client.post(exercise(batch, 1, "practice-done")).url == exercise(batch, 2)
    assert not Assignment.objects.exists()
    assert "/assignments/" in client.post(exercise(batch, 2, "practice-done")).url
    assert practised(batch) == 2


def test_who_had_a_hit_before_there_was_practice_goes_on_with_the_next(client: Any, bob: Any, batch: Batch) -> None:
    row = take(bob, batch)
    assert row is not None
    client.force_login(bob.user)
    response = client.post(reverse("submit", args=[row.public_id]), fields(row))
    assert "/assignments/" in response.url
    assert row.public_id not in response.url


def test_the_page_says_that_it_is_practice_and_offers_nothing_to_return_or_report(site: Any, batch: Batch) -> None:
    html = site.get(exercise(batch, 1)).content.decode()
    assert re.search(r"Practice</span>\s*<div class=\"work-progress\">\s*<span[^>]*>\s*1 of 2", html)
    assert "not paid" in html
    for missing in ("return-box", "problem-report-box", "data-lease-until"):
        assert missing not in html
    assert 'data-draft-url=""' in html


def test_a_complete_answer_gets_its_remarks_and_stays_on_the_page(site: Any, batch: Batch) -> None:
    right = site.post(exercise(batch, 1), TOWER)
    assert right.status_code == 200
    assert right.context["frame"]["remarks"] == [{"good": True, "message": "You wrote “Tower 0”."}]
    assert right.context["draft"]["text"] == "Tower 0"
    assert exercise(batch, 1, "practice-done") in right.content.decode()
    wrong = site.post(exercise(batch, 1), TOWER | {"text": "Farrow"})
    assert wrong.context["frame"]["remarks"] == [{"good": False, "message": "It is Tower 0."}]
    assert practised(batch) == 0


def test_an_incomplete_answer_is_refused_with_what_is_missing_and_nothing_typed_is_lost(
    site: Any, batch: Batch
) -> None:
    response = site.post(exercise(batch, 1), {"kind": "text", "text": "Tower 0"})
    assert response.status_code == 422
    assert response.context["problems"]
    assert response.context["frame"]["remarks"] is None
    assert response.context["draft"]["text"] == "Tower 0"


def test_practice_keeps_no_answer_and_takes_no_place(site: Any, batch: Batch) -> None:
    site.post(exercise(batch, 1), TOWER)
    assert not Assignment.objects.exists()
    assert not WorkerResponse.objects.exists()
    assert set(batch.hits.values_list("live", "done", "wanted")) == {(0, 0, 2)}


def test_going_on_twice_skips_no_exercise(site: Any, batch: Batch) -> None:
    assert [site.post(exercise(batch, 1, "practice-done")).url for _ in range(2)] == [exercise(batch, 2)] * 2
    assert practised(batch) == 1


def test_nobody_jumps_ahead(site: Any, batch: Batch) -> None:
    assert site.get(exercise(batch, 2)).url == exercise(batch, 1)
    assert site.post(exercise(batch, 2, "practice-done")).url == exercise(batch, 1)
    assert practised(batch) == 0


def test_the_instructions_comes_before_practice(client: Any, bob: Any, batch: Batch) -> None:
    client.force_login(bob.user)
    assert client.get(exercise(batch, 1)).url == reverse("batch-instructions", args=[batch.pk])


def test_an_exercise_is_shown_in_the_same_order_each_time_and_its_fragments_too(site: Any, batch: Batch) -> None:
    orders = {str(site.get(exercise(batch, 1)).context["payload"]["order"]) for _ in range(3)}
    assert len(orders) == 1
    base = site.get(exercise(batch, 1)).context["frame"]["live_url"]
    assert site.get(f"{base}search/?q=tower").status_code == 200
    assert site.get(f"{base}other/").status_code == 404


def test_what_cannot_be_asked_about_is_passed_over_and_beyond_the_last_there_is_nothing(
    site: Any, batch: Batch
) -> None:
    assert [e.example.id for e in practice_progress.exercises(batch)] == ["well-0", "well-1"]
    assert site.get(exercise(batch, 3)).status_code == 404
    assert site.get(exercise(batch, 0)).status_code == 404


def test_practice_can_be_done_again_from_the_instructions(site: Any, batch: Batch) -> None:
    for number in (1, 2):
        site.post(exercise(batch, number, "practice-done"))
    assert exercise(batch, 1) in site.get(reverse("batch-instructions", args=[batch.pk])).content.decode()
    assert site.get(exercise(batch, 1)).status_code == 200
    assert site.post(exercise(batch, 1, "practice-done")).url == exercise(batch, 2)
    assert practised(batch) == 2


def test_who_practised_the_task_in_another_batch_goes_straight_to_work(
    site: Any, batch: Batch, bob: Any, project: Any, dataset: Any
) -> None:
    for number in (1, 2):
        site.post(exercise(batch, number, "practice-done"))
    other = create_batch(project, "more", task="answer", datasets=[dataset], instructions="", fresh_only=False)
    batch_launch.launch(other)
    assert practice_progress.next_exercise(next_assignment.join_batch(bob, other)) is None
    assert Participation.objects.get(batch=other).practised == 2


def test_a_closed_batch_has_no_practice(site: Any, batch: Batch) -> None:
    batch_launch.close(batch)
    assert site.get(exercise(batch, 1)).url == reverse("batch-done", args=[batch.pk])


def test_the_gold_of_practice_is_not_on_its_page(site: Any, batch: Batch) -> None:
    html = site.get(exercise(batch, 1)).content.decode()
    assert "Which tower stands beside #1?" not in html
    assert "well-0" not in html


def test_who_practised_with_other_options_practises_again(
    site: Any, batch: Batch, bob: Any, project: Any, dataset: Any
) -> None:
    for number in (1, 2):
        site.post(exercise(batch, number, "practice-done"))
    kept = {"options": {"support": False}, "fresh_only": False}
    other = create_batch(project, "more", task="answer", datasets=[dataset], instructions="", **kept)
    batch_launch.launch(other)
    assert practice_progress.next_exercise(next_assignment.join_batch(bob, other)) == 1
