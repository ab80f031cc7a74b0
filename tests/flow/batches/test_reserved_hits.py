"""Chosen HITs for chosen workers: first in line, one more assignment, paid for when assigned."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches import batch_launch, reserved_hits
from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds, ledger
from annotation.flow.review import problem_reports
from annotation.flow.work import leases, next_assignment, open_work
from annotation.models import Batch, Hit, ReservedHit, Worker
from tests.flow.acting import answer_all, dataset_of, draft, launched, newcomer, participation_of, submit, take
from tests.flow.paying import paid_batch

pytestmark = pytest.mark.postgresql(reason="which HIT is whose is a subquery and a partial constraint")


@pytest.fixture
def batch(project: Any, tmp_path: Path) -> Batch:
    held = dataset_of(project, tmp_path, name="towers", size=6)
    return launched(project, "study", held, assignments_per_hit=1, same_order=True)


def in_queue(batch: Batch) -> list[Hit]:
    return list(batch.hits.order_by("ticket"))


def test_what_is_given_comes_first_and_is_one_answer_more(batch: Batch, bob: Worker, carol: Worker) -> None:
    hits = in_queue(batch)
    chosen = [hits[4], hits[2]]
    assert reserved_hits.reserve(batch, chosen, [bob]).reserved == 2
    assert [hit.pk for hit in answer_all(bob, batch)] == [
        hit.pk for hit in [*chosen, hits[0], hits[1], hits[3], hits[5]]
    ]
    assert {hit.pk for hit in answer_all(carol, batch)} == {hit.pk for hit in chosen}, (
        "their own places are still there"
    )
    assert [(hit.wanted, hit.done) for hit in in_queue(batch)] == [(1, 1), (1, 1), (2, 2), (1, 1), (2, 2), (1, 1)]
    assert reserved_hits.states(list(reserved_hits.rows(batch))) == {
        row.pk: "submitted" for row in ReservedHit.objects.all()
    }


def test_a_full_hit_can_be_given_and_what_is_given_back_is_everybody_s(
    batch: Batch, bob: Worker, carol: Worker
) -> None:
    for worker in (bob, carol):
        answer_all(worker, batch)
    late = newcomer(batch.project, "dan")
    (hit,) = in_queue(batch)[:1]
    assert open_work.left(participation_of(late, batch)) == 0
    outcome = reserved_hits.reserve(batch, [hit], [late, bob])
    assert (outcome.reserved, dict(outcome.skipped)) == (1, {reserved_hits.HAD: 1})
    assert open_work.left(participation_of(late, batch)) == 1
    row = take(late, batch)
    assert row.hit == hit
    leases.return_assignment(row)
    hit.refresh_from_db()
    assert (hit.wanted, hit.live, hit.done, hit.room) == (2, 0, 1, 1)
    assert take(newcomer(batch.project, "eve"), batch).hit == hit
    assert take(late, batch) is None


def test_what_cannot_be_theirs_is_skipped_and_taken_back_is_gone(batch: Batch, bob: Worker) -> None:
    hits = in_queue(batch)
    problem_reports.exclude(hits[1], reason="unclear")
    submit(take(bob, batch))
    outcome = reserved_hits.reserve(batch, in_queue(batch), [bob])
    assert (outcome.reserved, dict(outcome.skipped)) == (4, {reserved_hits.HAD: 1, reserved_hits.EXCLUDED: 1})
    assert reserved_hits.reserve(batch, hits[2:4], [bob]).skipped == {reserved_hits.ALREADY: 2}
    under_way = take(bob, batch)
    keys = [row.pk for row in reserved_hits.rows(batch)]
    assert reserved_hits.release(batch, keys) == 3, "all but the one that is under way"
    assert reserved_hits.states(list(reserved_hits.rows(batch))) == {under_way.hit.reservations.get().pk: "accepted"}
    Batch.objects.get(pk=batch.pk).move("closed")
    with pytest.raises(Refused):
        reserved_hits.reserve(batch, hits[4:], [bob])
    with pytest.raises(Refused):
        reserved_hits.reserve(draft(batch.project, "later", *batch.datasets.all()), hits[4:], [bob])


def test_only_what_is_given_out_here_can_be_given(batch: Batch, project: Any, tmp_path: Path) -> None:
    assert reserved_hits.allowed(batch)
    assert not reserved_hits.allowed(draft(project, "rough", dataset_of(project, tmp_path, name="rough", size=2)))
    batch_launch.close(batch)
    assert not reserved_hits.allowed(batch)


def test_money_lies_ready_for_what_is_given(project: Any, bob: Worker, carol: Worker, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=2)
    batch = paid_batch(project, held, budget="1.20")
    each = batch_funds.cost(batch, Decimal("0.25"), assignments=1)
    before = batch_funds.held(batch)
    hits = in_queue(batch)
    reserved_hits.reserve(batch, hits[:1], [bob])
    assert batch_funds.held(batch) - before == each
    with pytest.raises(ledger.Overdrawn):
        reserved_hits.reserve(batch, hits, [carol, newcomer(project, "dan")])
    assert ReservedHit.objects.count() == 1
    row = take(bob, batch)
    batch = Batch.objects.get(pk=batch.pk)
    assert batch_funds.needed(batch) == batch_funds.held(batch), "taken, it costs what it was to cost"
    submit(row)
    reserved_hits.reserve(batch, hits[1:], [carol])
    reserved_hits.release(batch, list(ReservedHit.objects.values_list("pk", flat=True)))
    assert batch_funds.held(batch) - before == each
    batch_launch.close(batch)
    assert batch_funds.held(batch) == each, "the answer that waits for a decision"


def test_a_batch_without_given_hits_asks_the_database_nothing_more(batch: Batch, bob: Worker, carol: Worker) -> None:
    def claims(worker: Worker) -> int:
        participation = participation_of(worker, batch)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            next_assignment.claim(participation)
        return sum("reservedhit" in query["sql"] for query in asked.captured_queries)

    assert claims(bob) == 0
    reserved_hits.reserve(batch, in_queue(batch)[3:4], [carol])
    assert claims(carol) > 0


def test_the_pages_give_take_back_and_tell(client: Any, alice: Any, batch: Batch, bob: Worker) -> None:
    client.force_login(alice)
    base = "/projects/wells/batches/study/"
    assert "Assign all 6 listed HITs…" in client.get(f"{base}hits/?assign=1").content.decode()
    hit = in_queue(batch)[5]
    url = f"{base}reserve/?hit={hit.public_id}"
    assert "Bob" in client.get(url).content.decode()
    assert client.post(url, {"to": "x"}).status_code == 422
    assert client.post(url, {"to": bob.pk}).status_code == 303
    assert "not started" in client.get(f"{base}reserve/").content.decode()
    client.post(f"{base}release/", {"reserved": ReservedHit.objects.get().pk})
    assert not ReservedHit.objects.exists()
    client.post(f"{base}reserve/?all=1&q=year+2", {"to": bob.pk})
    assert "year 2" in str(take(bob, batch).hit.item)
    assert "in progress" in client.get(f"{base}reserve/").content.decode()
