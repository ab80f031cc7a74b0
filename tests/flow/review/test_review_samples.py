"""Which answers a requester reads, and how far each worker's are read."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.batches import batch_launch
from annotation.flow.data.dataset_import import import_dataset
from annotation.flow.errors import Refused
from annotation.flow.review import review_decisions, review_samples
from annotation.flow.review.review_decisions import Decision
from annotation.models import Batch
from tests.batches import create_batch
from tests.conftest import write_records
from tests.flow.compositions import change, compose, compose_batch

pytestmark = pytest.mark.postgresql(reason="draws are numbered under a lock of the batch")

ACCEPT = Decision("accepted", {})


@pytest.fixture
def many(project: Any, tmp_path: Any) -> Any:
    import_dataset(project, write_records(tmp_path / "many.jsonl", 12), format="jsonl", name="many")
    return project.datasets.get(slug="many")


@pytest.fixture
def worked(project: Any, many: Any, bob: Any, carol: Any) -> Batch:
    """Bob composed ten times, Carol six times."""
    made = compose_batch(project, many)
    for worker, times in ((bob, 10), (carol, 6)):
        for _ in range(times):
            compose(worker, made)
    return made


def order(batch: Batch) -> list[int]:
    return [place.pk for place in review_samples.queue(batch)]


def test_a_draw_takes_so_many_of_everyone_worker_by_worker(worked: Batch, bob: Any, carol: Any, alice: Any) -> None:
    made = review_samples.draw(worked, size=4, seed=7, user=alice)
    workers = [place.worker for place in review_samples.queue(worked)]
    assert sorted(workers) == sorted([bob.pk] * 4 + [carol.pk] * 4)
    assert workers in ([bob.pk] * 4 + [carol.pk] * 4, [carol.pk] * 4 + [bob.pk] * 4)
    assert (made.number, made.size, made.seed, made.created_by) == (1, 4, 7, alice)


def test_the_same_seed_draws_the_same(worked: Batch) -> None:
    found = set()
    for seed in (7, 7, 8):
        made = review_samples.draw(worked, size=4, seed=seed)
        found.add(tuple(order(worked)))
        made.delete()
    assert len(found) == 2


def test_what_is_drawn_of_one_worker_does_not_depend_on_the_others(worked: Batch, bob: Any) -> None:
    made = review_samples.draw(worked, size=4, seed=7)
    of_bob = [place.pk for place in review_samples.queue(worked, worker=bob.pk)]
    made.delete()
    review_samples.draw(worked, size=4, seed=7, worker=bob)
    assert order(worked) == of_bob


def test_each_draw_takes_new_ones_until_nothing_is_left(worked: Batch) -> None:
    for _ in range(3):
        review_samples.draw(worked, size=4)
    assert len(order(worked)) == len(set(order(worked))) == 16
    with pytest.raises(Refused, match="All submitted responses have been drawn already"):
        review_samples.draw(worked)


@pytest.mark.parametrize("size", [0, -1, 501])
def test_odd_sizes_are_refused(worked: Batch, size: int) -> None:
    with pytest.raises(Refused, match="between 1 and 500"):
        review_samples.draw(worked, size=size)


def test_what_was_decided_without_being_drawn_is_not_drawn_again(worked: Batch, bob: Any) -> None:
    row = worked.assignments.filter(worker=bob).first()
    review_decisions.decide(row, 1, ACCEPT, reviewer=None)
    review_samples.draw(worked, size=100)
    assert worked.review_samples.get().assignments.count() == 15
    assert order(worked)[-1] == row.pk


def test_the_next_to_read_comes_after_this_one_and_round_again(worked: Batch) -> None:
    review_samples.draw(worked, size=2)
    first, second, third, last = review_samples.queue(worked)
    review_decisions.decide(worked.assignments.get(pk=second.pk), 1, ACCEPT, reviewer=None)
    places = review_samples.queue(worked)
    assert review_samples.next_waiting(places, first.public_id) == third
    assert review_samples.next_waiting(places, last.public_id) == first
    assert review_samples.next_waiting(places, "") == first
    assert review_samples.next_waiting([first], first.public_id) is None


def test_coverage_counts_what_is_read_of_what_was_drawn(worked: Batch, bob: Any, carol: Any) -> None:
    review_samples.draw(worked, size=4)
    decisions = [ACCEPT, Decision("discarded", {}, reason="No."), Decision("returned", {}, reason="Repair it.")]
    rows = [worked.assignments.get(pk=place.pk) for place in review_samples.queue(worked, worker=bob.pk)]
    for row, wish in zip(rows, decisions, strict=False):
        review_decisions.decide(row, 1, wish, reviewer=None)
    change(rows[2], "Which tower is it?")
    of_carol, of_bob = review_samples.coverage(worked)
    assert (of_carol.worker, of_carol.submitted, of_carol.drawn, of_carol.read, of_carol.left) == (carol, 6, 4, 0, 2)
    assert (of_bob.submitted, of_bob.drawn, of_bob.read, of_bob.taken) == (10, 4, 2, 1)
    assert of_bob.states == {"accepted": 1, "discarded": 1, "repaired": 1, "unread": 1}


def test_coverage_since_an_earlier_batch_counts_both(worked: Batch, project: Any, many: Any, bob: Any) -> None:
    later = compose_batch(project, many, "later")
    other_task = create_batch(project, "answers", task="answer", datasets=[many], instructions="Read.")
    batch_launch.launch(other_task)
    compose(bob, later)
    for batch, size in ((worked, 3), (later, 9)):
        review_samples.draw(batch, size=size, worker=bob)
    review_decisions.decide(worked.assignments.get(pk=order(worked)[0]), 1, ACCEPT, reviewer=None)
    review_decisions.decide(later.assignments.get(), 1, ACCEPT, reviewer=None)
    assert review_samples.earlier(later) == [worked]
    (row,) = review_samples.coverage(later, since=worked)
    assert (row.read, row.drawn, row.submitted) == (1, 1, 1)
    assert (row.read_since, row.drawn_since, row.submitted_since) == (2, 4, 11)
    (alone,) = review_samples.coverage(later)
    assert (alone.read_since, alone.drawn_since, alone.submitted_since) == (1, 1, 1)
