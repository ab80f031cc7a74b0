"""Feedback to workers: sent, acknowledged once, withdrawn while nobody has read it."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.errors import Refused
from annotation.flow.review import review_decisions, worker_feedback
from annotation.flow.review.review_decisions import Decision
from annotation.models import Batch, Feedback
from annotation.registry import task_type
from tests.flow.compositions import compose, compose_batch


@pytest.fixture
def compositions(project: Any, dataset: Any) -> Batch:
    return compose_batch(project, dataset)


def test_feedback_waits_until_its_worker_has_read_it(compositions: Batch, bob: Any, carol: Any, alice: Any) -> None:
    row = compose(bob, compositions)
    result = worker_feedback.feedback(bob, compositions, text=" Fewer words. ", author=alice, assignment=row)
    assert (result.text, result.assignment, result.author) == ("Fewer words.", row, alice)
    assert worker_feedback.first_waiting(bob) == result
    assert worker_feedback.first_waiting(carol) is None
    assert worker_feedback.acknowledge(result)
    assert not worker_feedback.acknowledge(result)
    assert worker_feedback.first_waiting(bob) is None


def test_feedback_without_words_is_refused(compositions: Batch, bob: Any) -> None:
    with pytest.raises(Refused):
        worker_feedback.feedback(bob, compositions, text=" \n", author=None)


def test_feedback_can_be_withdrawn_until_it_is_read(compositions: Batch, bob: Any) -> None:
    first, second = (worker_feedback.feedback(bob, compositions, text=text, author=None) for text in ("One.", "Two."))
    worker_feedback.acknowledge(second)
    assert worker_feedback.withdraw(first)
    assert not worker_feedback.withdraw(second)
    assert list(Feedback.objects.all()) == [second]


def test_feedback_begins_from_the_tasks_snippets_and_the_projects_last_words(compositions: Batch, bob: Any) -> None:
    snippets = list(task_type("compose").snippets)
    for k in range(12):
        worker_feedback.feedback(bob, compositions, text=f"Note {k}", author=None)
    worker_feedback.feedback(bob, compositions, text="Note 11", author=None)
    worker_feedback.feedback(bob, compositions, text=snippets[0], author=None)
    found = worker_feedback.suggestions(compositions)
    assert found[: len(snippets)] == snippets
    assert found[len(snippets) :] == [f"Note {k}" for k in range(11, 2, -1)]


def test_reasons_given_before_are_offered_again(compositions: Batch, bob: Any) -> None:
    row = compose(bob, compositions)
    for reason in ("Two questions.", "Not English."):
        review_decisions.decide(row, 1, Decision("discarded", {}, reason=reason), reviewer=None)
    assert worker_feedback.messages_before(compositions, "discarded") == ["Not English.", "Two questions."]
    assert "Two questions." not in worker_feedback.messages_before(compositions, "returned")
