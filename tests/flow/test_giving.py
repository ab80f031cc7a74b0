"""Chosen HITs for chosen workers: first in line, one answer more, paid for when given."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.flow import assigning, batching, flagging, giving, ledger, reserving
from annotation.flow.refusal import Refused
from annotation.models import Batch, Given, Hit, Worker
from tests.flow.acting import answer_all, dataset_of, draft, launched, newcomer, seat_of, submit, take
from tests.flow.paying import paid_batch


@pytest.fixture
def batch(project: Any, tmp_path: Path) -> Batch:
    held = dataset_of(project, tmp_path, name="towers", size=6)
    return launched(project, "study", held, assignments_per_hit=1)


def in_queue(batch: Batch) -> list[Hit]:
    return list(batch.hits.order_by("ticket"))


def test_what_is_given_comes_first_and_is_one_answer_more(batch: Batch, bob: Worker, carol: Worker) -> None:
    hits = in_queue(batch)
    chosen = [hits[4], hits[2]]
    assert giving.give(batch, chosen, [bob]).given == 2
    assert [hit.pk for hit in answer_all(bob, batch)] == [
        hit.pk for hit in [*chosen, hits[0], hits[1], hits[3], hits[5]]
    ]
    assert {hit.pk for hit in answer_all(carol, batch)} == {hit.pk for hit in chosen}, (
        "their own places are still there"
    )
    assert [(hit.wanted, hit.done) for hit in in_queue(batch)] == [(1, 1), (1, 1), (2, 2), (1, 1), (2, 2), (1, 1)]
    assert giving.states(list(giving.rows(batch))) == {row.pk: "submitted" for row in Given.objects.all()}


def test_a_full_hit_can_be_given_and_what_is_given_back_is_everybody_s(
    batch: Batch, bob: Worker, carol: Worker
) -> None:
    for worker in (bob, carol):
        answer_all(worker, batch)
    late = newcomer(batch.project, "dan")
    (hit,) = in_queue(batch)[:1]
    assert assigning.left(seat_of(late, batch)) == 0
    outcome = giving.give(batch, [hit], [late, bob])
    assert (outcome.given, dict(outcome.skipped)) == (1, {giving.HAD: 1})
    assert assigning.left(seat_of(late, batch)) == 1
    row = take(late, batch)
    assert row.hit == hit
    assigning.give_back(row)
    hit.refresh_from_db()
    assert (hit.wanted, hit.live, hit.done, hit.room) == (2, 0, 1, 1)
    assert take(newcomer(batch.project, "eve"), batch).hit == hit
    assert take(late, batch) is None


def test_what_cannot_be_theirs_is_skipped_and_taken_back_is_gone(batch: Batch, bob: Worker) -> None:
    hits = in_queue(batch)
    flagging.void(hits[1], reason="unclear")
    submit(take(bob, batch))
    outcome = giving.give(batch, in_queue(batch), [bob])
    assert (outcome.given, dict(outcome.skipped)) == (4, {giving.HAD: 1, giving.VOIDED: 1})
    assert giving.give(batch, hits[2:4], [bob]).skipped == {giving.ALREADY: 2}
    under_way = take(bob, batch)
    keys = [row.pk for row in giving.rows(batch)]
    assert giving.take_back(batch, keys) == 3, "all but the one that is under way"
    assert giving.states(list(giving.rows(batch))) == {under_way.hit.given.get().pk: "accepted"}
    Batch.objects.get(pk=batch.pk).move("closed")
    with pytest.raises(Refused):
        giving.give(batch, hits[4:], [bob])
    with pytest.raises(Refused):
        giving.give(draft(batch.project, "later", *batch.datasets.all()), hits[4:], [bob])


def test_only_what_is_given_out_here_can_be_given(batch: Batch, project: Any, tmp_path: Path) -> None:
    assert giving.allowed(batch)
    assert not giving.allowed(draft(project, "rough", dataset_of(project, tmp_path, name="rough", size=2)))
    batching.close(batch)
    assert not giving.allowed(batch)


def test_money_lies_ready_for_what_is_given(project: Any, bob: Worker, carol: Worker, tmp_path: Path) -> None:
    held = dataset_of(project, tmp_path, name="towers", size=2)
    batch = paid_batch(project, held, budget="1.20")
    each = reserving.cost(batch, Decimal("0.25"), assignments=1)
    before = reserving.held(batch)
    hits = in_queue(batch)
    giving.give(batch, hits[:1], [bob])
    assert reserving.held(batch) - before == each
    with pytest.raises(ledger.Overdrawn):
        giving.give(batch, hits, [carol, newcomer(project, "dan")])
    assert Given.objects.count() == 1
    row = take(bob, batch)
    batch = Batch.objects.get(pk=batch.pk)
    assert reserving.needed(batch) == reserving.held(batch), "taken, it costs what it was to cost"
    submit(row)
    giving.give(batch, hits[1:], [carol])
    giving.take_back(batch, list(Given.objects.values_list("pk", flat=True)))
    assert reserving.held(batch) - before == each
    batching.close(batch)
    assert reserving.held(batch) == each, "the answer that waits for a decision"


def test_a_batch_without_given_hits_asks_the_database_nothing_more(batch: Batch, bob: Worker, carol: Worker) -> None:
    def claims(worker: Worker) -> int:
        seat = seat_of(worker, batch)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assigning.claim(seat)
        return sum("given" in query["sql"].replace("gives", "") for query in asked.captured_queries)

    assert claims(bob) == 0
    giving.give(batch, in_queue(batch)[3:4], [carol])
    assert claims(carol) > 0


def test_the_pages_give_take_back_and_tell(client: Any, alice: Any, batch: Batch, bob: Worker) -> None:
    client.force_login(alice)
    base = "/projects/wells/batches/study/"
    assert "Give all 6 of this list to…" in client.get(f"{base}hits/").content.decode()
    hit = in_queue(batch)[5]
    url = f"{base}give/?hit={hit.public_id}"
    assert "Bob" in client.get(url).content.decode()
    assert client.post(url, {"to": "x"}).status_code == 422
    assert client.post(url, {"to": bob.pk}).status_code == 303
    assert "waits for them" in client.get(f"{base}give/").content.decode()
    client.post(f"{base}take-back/", {"given": Given.objects.get().pk})
    assert not Given.objects.exists()
    client.post(f"{base}give/?all=1&q=year+2", {"to": bob.pk})
    assert "year 2" in str(take(bob, batch).hit.item)
    assert "in work" in client.get(f"{base}give/").content.decode()
