"""HITs to adjudicate and gold in doubt are kept, and worked out again after every change."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.flow.people import worker_erasure
from annotation.flow.review import adjudication, conclusions, gold_in_doubt, review_decisions
from annotation.flow.review.review_decisions import Decision
from annotation.models import Batch, Hit
from tests.conftest import answer_to
from tests.flow import acting
from tests.replaying import replayed


@pytest.fixture
def batch(project: Any, dataset: Any, bob: Any, carol: Any) -> Batch:
    """Two workers disagree on every HIT."""

    def make() -> Batch:
        made = acting.launched(project, "doubtful", dataset, assignments_per_hit=2)
        acting.answer_all(bob, made)
        while row := acting.take(carol, made):
            acting.submit(row, answer_to(row) | {"kind": "typed", "text": f"somewhere else {row.pk}"})
        return made

    return replayed("conclusions", make, project, dataset, bob, carol)


def kept(batch: Batch) -> list[int]:
    """What a page lists without working anything out."""
    return [hit.pk for hit in adjudication.waiting(batch)]


def test_a_sweep_works_out_what_changed_and_then_has_nothing_to_do(batch: Batch) -> None:
    assert (kept(batch), conclusions.changed(batch).count()) == ([], batch.size)
    conclusions.catch_up_all()
    assert (len(kept(batch)), conclusions.changed(batch).count()) == (batch.size, 0)
    with CaptureQueriesContext(connection) as queries:
        conclusions.catch_up_all()
    assert len(queries) == 1


@pytest.mark.parametrize("name", ["adjudicate", "gold"])
def test_the_pages_read_no_response_once_that_is_done(batch: Batch, alice: Any, name: str) -> None:
    conclusions.catch_up_all()
    desk = Client()
    desk.force_login(alice)
    with CaptureQueriesContext(connection) as queries:
        assert desk.get(reverse(name, args=[batch.project.slug, batch.slug])).status_code == 200
    assert not [each["sql"] for each in queries if "annotation_workerresponse" in each["sql"]]


def test_a_page_works_out_some_and_says_that_there_are_more_until_a_sweep(
    batch: Batch, alice: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(conclusions, "AT_ONCE", batch.size - 1)
    desk, address = Client(), reverse("adjudicate", args=[batch.project.slug, batch.slug])
    desk.force_login(alice)
    first = desk.get(address)
    conclusions.catch_up_all()
    second = desk.get(address)
    assert [reply.context["page"].paginator.count for reply in (first, second)] == [batch.size - 1, batch.size]
    assert [b"within minutes" in reply.content for reply in (first, second)] == [True, False]


def test_every_change_is_worked_out_again(batch: Batch, bob: Any, carol: Any) -> None:
    conclusions.catch_up(batch)
    hit = Hit.objects.get(pk=kept(batch)[0])
    of_bob, of_carol = (hit.assignments.get(worker=worker) for worker in (bob, carol))
    review_decisions.decide(of_carol, 1, Decision("discarded", {}, reason="A guess."), reviewer=None)
    assert conclusions.changed(batch).get() == hit
    conclusions.catch_up(batch)
    assert hit.pk not in kept(batch)
    review_decisions.undo(of_carol, reviewer=None)
    conclusions.catch_up(batch)
    assert hit.pk in kept(batch)
    acting.submit(of_carol, of_bob.current.answer, base=1, key="1.again")
    conclusions.catch_up(batch)
    assert hit.pk not in kept(batch)
    worker_erasure.erase(hit.assignments.filter(worker=carol))
    assert conclusions.changed(batch).get() == hit


def test_a_change_that_comes_meanwhile_is_not_lost(batch: Batch, monkeypatch: Any) -> None:
    read = review_decisions.responses_with_reviews_of

    def overtaken(hits: list[Hit]) -> Any:
        found = read(hits)
        Hit.objects.filter(pk=hits[0].pk).note_change()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(review_decisions, "responses_with_reviews_of", overtaken)
        conclusions.catch_up(batch)
    assert (conclusions.changed(batch).count(), len(kept(batch))) == (1, batch.size - 1)


def test_doubted_gold_is_kept_too(project: Any, dataset: Any) -> None:
    made = acting.launched(project, "against-gold", dataset, assignments_per_hit=3)
    for k in range(2):
        worker = acting.newcomer(project, f"reader-{k}")
        while row := acting.take(worker, made):
            acting.submit(row, answer_to(row) | {"kind": "typed", "text": "Tarne"})
    assert not gold_in_doubt.hits_in_doubt(made).exists()
    conclusions.catch_up_all()
    assert gold_in_doubt.undecided(made).count() == made.size
    assert not adjudication.waiting(made).exists()  # a third response is expected
