"""Each worker gets the HITs block by block, and each block in an order of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.data import response_files
from annotation.flow.reports import batch_scores
from annotation.flow.work import leases, next_assignment, open_work, prefetch
from annotation.models import Assignment, Batch, Hit, Participation, Worker
from annotation.pure.batches import queue_order
from annotation.pure.reports.report_values import table_of
from tests.flow.acting import answer_all, dataset_of, launched, newcomer, participation_of, submit, take

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="a HIT is claimed in one statement under locks")]


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_order, "BLOCK", 4)
    monkeypatch.setattr(open_work, "LOOKS", (4, 6))


@pytest.fixture
def made(project: Any, tmp_path: Path, short_blocks: None) -> Any:
    """A way to open a batch of ten HITs: blocks of four, four and two."""
    held = dataset_of(project, tmp_path, name="ten", size=10)

    def opened(name: str, **settings: Any) -> Batch:
        return launched(project, name, held, **{"assignments_per_hit": 1, "fresh_only": False} | settings)

    return opened


def order_of(worker: Worker, batch: Batch) -> list[int]:
    """The tickets of the batch in the worker's order, computed as a reader of the export would."""
    blocks = [range(4), range(4, 8), range(8, 10)]
    mine = {"seed": batch.seed, "worker": worker.pseudonym}
    return [ticket for block in blocks for ticket in queue_order.own_order(block, **mine)]


def tickets(hits: list[Hit]) -> list[int]:
    return [hit.ticket for hit in hits]


def begin(worker: Worker, batch: Batch) -> Assignment:
    assignment = take(worker, batch)
    assert assignment is not None
    return assignment


def cursor(worker: Worker, batch: Batch) -> int:
    return Participation.objects.get(worker=worker, batch=batch).cursor


def test_workers_finish_a_block_in_their_own_order_before_the_next(made: Any, bob: Any, carol: Any) -> None:
    batch = made("own", assignments_per_hit=2)
    assert tickets(answer_all(bob, batch)) == order_of(bob, batch)
    assert tickets(answer_all(carol, batch)) == order_of(carol, batch)
    assert order_of(bob, batch) != order_of(carol, batch)
    kept = Assignment.objects.filter(worker=bob).order_by("submitted_at").values_list("ticket", flat=True)
    assert list(kept) == order_of(bob, batch)


def test_the_same_order_for_all_is_that_of_the_queue(made: Any, bob: Any, carol: Any) -> None:
    batch = made("same", assignments_per_hit=2, same_order=True)
    assert tickets(answer_all(bob, batch)) == tickets(answer_all(carol, batch)) == list(range(10))


def test_hits_fill_up_one_block_after_another(made: Any, project: Any) -> None:
    batch = made("filling")
    workers = [newcomer(project, f"w{k}") for k in range(3)]
    came = [begin(workers[k % 3], batch) for k in range(3)]
    for k in range(3, 10):
        submit(came[k - 3])
        came.append(begin(workers[k % 3], batch))
    blocks = [queue_order.block_of(row.ticket or 0) for row in came]
    assert blocks == sorted(blocks)


def test_the_cursor_stays_before_a_block_until_nothing_in_it_is_left(made: Any, bob: Any) -> None:
    batch = made("cursor", assignments_per_hit=2)
    seen = []
    while assignment := take(bob, batch):
        submit(assignment)
        seen.append(cursor(bob, batch))
    assert seen == [-1, -1, -1, 3, 3, 3, 3, 7, 7, 9]


def test_the_end_of_a_queue_that_grows_is_no_end_of_a_block(made: Any, bob: Any, carol: Any) -> None:
    batch = made("growing")
    returned = begin(carol, batch)
    answer_all(bob, batch)
    leases.return_assignment(returned)  # it gets the eleventh ticket, in the third block
    assert tickets(answer_all(bob, batch)) == [10]


def test_a_block_that_others_filled_up_in_part_is_read_to_its_end(made: Any, bob: Any, carol: Any) -> None:
    """A read of four HITs begins in the first block and ends within the second."""
    batch = made("partly")
    batch.hits.filter(ticket__in=[0, 3]).update(done=1)
    came = tickets(answer_all(bob, batch))
    assert came == [ticket for ticket in order_of(bob, batch) if ticket not in (0, 3)]


@pytest.mark.parametrize("same_order", [False, True])
@pytest.mark.parametrize("with_claim", [False, True])
def test_prefetched_hits_come_in_the_order_of_those_that_are_not(
    made: Any, bob: Any, monkeypatch: pytest.MonkeyPatch, with_claim: bool, same_order: bool
) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    batch = made("prefetched", same_order=same_order)
    came = []
    while assignment := next_assignment.claim(participation_of(bob, batch)):
        came.append(assignment.ticket)
        prefetch.hold(participation_of(bob, batch))  # after a submission that held one, this only renews
        seat = participation_of(bob, batch) if with_claim else None
        submit(assignment, participation=seat, ahead=True)
    assert came == (list(range(10)) if same_order else order_of(bob, batch))
    assert cursor(bob, batch) == 9


@pytest.mark.parametrize("same_order", [False, True])
def test_each_of_two_workers_has_the_order_that_they_have_without_prefetching(
    made: Any, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch, same_order: bool
) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    came = {}
    for is_prefetched in (False, True):
        batch = made(f"two-{is_prefetched}".lower(), same_order=same_order, assignments_per_hit=2)
        Batch.objects.filter(pk=batch.pk).update(seed=1)
        batch.refresh_from_db()
        for number in range(10):
            shown = [begin(worker, batch) for worker in (bob, carol)]
            if is_prefetched:  # each while the other has one under way
                held = [prefetch.hold(participation_of(worker, batch)) for worker in (bob, carol)]
                assert all(held) or number == 9
            for assignment in shown:
                submit(assignment)
        by_worker = Assignment.objects.filter(batch=batch).order_by("submitted_at", "pk")
        came[is_prefetched] = [[row.ticket for row in by_worker if row.worker_id == w.pk] for w in (bob, carol)]
    assert came[True] == came[False]
    if same_order:
        assert came[True] == [list(range(10))] * 2


@pytest.fixture
def twins(project: Any, tmp_path: Path, short_blocks: None) -> Batch:
    """Ten HITs, each worker may have one of a group; the HITs with the first five tickets are one group."""
    held = dataset_of(project, tmp_path, name="twins", size=10)
    batch = launched(project, "twins", held, assignments_per_hit=1, meeting="one", same_order=True)
    batch.hits.filter(ticket__lt=5).update(group_key="twins")
    return batch


def test_what_a_returned_assignment_ruled_out_is_offered_although_the_next_was_prefetched(
    twins: Batch, bob: Any
) -> None:
    first = begin(bob, twins)
    held = prefetch.hold(participation_of(bob, twins))
    assert held is not None
    assert held.hit.ticket == 5
    leases.return_assignment(first)
    came = answer_all(bob, twins)
    assert sum(hit.group_key == "twins" for hit in came) == 1
    assert len(came) == 6


def test_what_is_returned_elsewhere_is_offered_although_the_next_was_prefetched(
    project: Any, twins: Batch, bob: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetch, "_is_nearly_done", lambda batch: False)
    other = launched(project, "other", *twins.datasets.all(), fresh_only=False, same_order=True)
    twins.hits.filter(ticket__lt=5).update(group_key="twins")
    other.hits.filter(ticket=0).update(group_key="twins")
    elsewhere = begin(bob, other)
    first = begin(bob, twins)
    assert first.ticket == 5
    assert prefetch.hold(participation_of(bob, twins)) is not None
    leases.return_assignment(elsewhere)
    submit(first)
    came = answer_all(bob, twins)
    assert sum(hit.group_key == "twins" for hit in came) == 1


def test_a_claim_reads_the_queue_once(project: Any, tmp_path: Path, bob: Any) -> None:
    batch = launched(project, "wide", dataset_of(project, tmp_path, name="wide", size=120), assignments_per_hit=2)
    for _number in range(110):
        participation = participation_of(bob, batch)
        with CaptureQueriesContext(connection) as captured:
            assignment = next_assignment.claim(participation)
        assert assignment is not None
        assert sum('"ruled_out"' in query["sql"] for query in captured) == 1
        assert assignment.move("submitted", submitted_at=Now(), revision=1)


def test_the_report_has_score_and_time_by_position(made: Any, bob: Any, carol: Any) -> None:
    batch = made("reported", assignments_per_hit=2)
    answer_all(bob, batch)
    answer_all(carol, batch)
    reserved = Assignment.objects.filter(worker=bob).order_by("submitted_at")[:1]
    Assignment.objects.filter(pk__in=reserved).update(ticket=None)
    content = batch_scores.score_batch(batch)
    in_block = table_of(content, "by-position-in-block") or {}
    assert [row[1] for row in in_block["rows"]] == [19, 0, 0, 0, 0]
    assert in_block["rows"][0][2]["value"] == 1.0
    in_sitting = table_of(content, "by-position-in-sitting") or {}
    assert [row[1] for row in in_sitting["rows"]] == [20, 0, 0, 0, 0]
    part = batch_scores.score_batch(batch, part=BatchPart(hops=9))
    assert part["by_position"] == []


def test_an_export_has_the_tickets(made: Any, bob: Any) -> None:
    batch = made("exported")
    answer_all(bob, batch)
    rows = sorted(response_files.responses_of(batch), key=lambda row: row["submitted_at"])
    assert [row["ticket"] for row in rows] == order_of(bob, batch)
