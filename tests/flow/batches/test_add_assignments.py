"""Topping up: one more annotation for finished HITs, however often it is interrupted and whoever looks meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.flow.batches import add_assignments
from annotation.flow.review import problem_reports
from annotation.flow.work import leases
from annotation.models import Batch, Dataset, Hit, Worker
from tests.flow.acting import answer_all, launched, newcomer, submit, take

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="numbers are given under a lock of the batch")]


def finished(project: Any, dataset: Dataset, *people: Worker, **settings: Any) -> Batch:
    """A batch that these people have finished, one assignment for each of them."""
    batch = launched(project, "done", dataset, assignments_per_hit=len(people), **settings)
    for person in people:
        answer_all(person, batch)
    assert not Hit.objects.open().exists()
    batch.refresh_from_db()
    return batch


def test_a_top_up_asks_for_one_more_of_each_finished_hit(project: Any, dataset: Any, bob: Any, carol: Any) -> None:
    batch = finished(project, dataset, bob)
    assert add_assignments.add_assignments(batch, base=batch.next_ticket) == {"hits": 4}
    assert answer_all(bob, batch) == []
    assert len(answer_all(carol, batch)) == 4
    assert set(batch.hits.values_list("wanted", "done")) == {(2, 2)}


def test_a_top_up_leaves_unfinished_and_excluded_hits_alone(project: Any, dataset: Any, bob: Any) -> None:
    batch = launched(project, "b", dataset, assignments_per_hit=1)
    done = answer_all(bob, batch, most=2)
    problem_reports.exclude(done[0], reason="broken")
    batch.refresh_from_db()
    assert add_assignments.add_assignments(batch, base=batch.next_ticket) == {"hits": 1}
    assert set(batch.hits.filter(wanted=2)) == {done[1]}


def test_a_top_up_of_disagreement_asks_only_where_answers_differ(
    project: Any, dataset: Any, bob: Any, carol: Any
) -> None:
    batch = launched(project, "b", dataset, assignments_per_hit=2)
    answer_all(bob, batch)
    differing = take(carol, batch)
    assert differing is not None
    submit(differing, {"kind": "none", "text": "", "support": [2], "facts": []})
    answer_all(carol, batch)
    batch.refresh_from_db()
    assert add_assignments.add_assignments(batch, base=batch.next_ticket, only_disagreeing=True) == {"hits": 1}
    assert list(Hit.objects.open()) == [differing.hit]


@pytest.mark.parametrize("only_disagreeing", [False, True])
def test_a_top_up_that_was_interrupted_is_finished_and_not_doubled(
    project: Any, dataset: Any, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch, only_disagreeing: bool
) -> None:
    monkeypatch.setattr(add_assignments, "CHUNK", 2)
    batch = finished(project, dataset, bob, carol)
    if only_disagreeing:
        for assignment in batch.assignments.filter(worker=carol):
            submit(assignment, {"kind": "none", "text": "", "support": [2], "facts": []}, key="1.x", base=1)
    base = batch.next_ticket

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add_assignments.add_assignments(batch, base=base, only_disagreeing=only_disagreeing, progress=stop)
    assert Hit.objects.open().count() == 2
    dan = newcomer(project, "dan")
    assert len(answer_all(dan, batch)) == 2
    assert answer_all(bob, batch) == []
    assert add_assignments.add_assignments(batch, base=base, only_disagreeing=only_disagreeing) == {"hits": 2}
    assert add_assignments.add_assignments(batch, base=base, only_disagreeing=only_disagreeing) == {"hits": 0}
    assert len(answer_all(dan, batch)) == 2
    assert set(batch.hits.values_list("wanted", "done")) == {(3, 3)}


def test_its_progress_counts_hits_and_ends_with_all(
    project: Any, dataset: Any, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add_assignments, "CHUNK", 3)
    result: list[tuple[int, int]] = []
    batch = finished(project, dataset, bob, carol)
    add_assignments.add_assignments(
        batch, base=batch.next_ticket, progress=lambda done, total: result.append((done, total))
    )
    assert result == [(3, 4), (4, 4)]


def test_whoever_looks_while_a_top_up_runs_misses_no_hit(
    project: Any, dataset: Any, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add_assignments, "CHUNK", 1)
    batch = launched(project, "b", dataset, assignments_per_hit=1, same_order=True)
    answer_all(bob, batch, most=1)
    answer_all(carol, batch)
    batch.refresh_from_db()
    add_assignments.add_assignments(
        batch, base=batch.next_ticket, progress=lambda done, total: answer_all(bob, batch, most=0 if done > 1 else 1)
    )
    assert len(answer_all(bob, batch)) == 3


def test_places_that_came_free_since_the_wish_hide_no_topped_up_hit(
    project: Any, dataset: Any, bob: Any, carol: Any
) -> None:
    batch = launched(project, "b", dataset, assignments_per_hit=1)
    answer_all(bob, batch, most=3)
    wish = Batch.objects.get(pk=batch.pk).next_ticket
    for _ in range(6):
        last = take(newcomer(project, f"w{_}"), batch)
        assert last is not None
        leases.return_assignment(last)
    answer_all(carol, batch)
    assert answer_all(carol, batch) == []
    assert add_assignments.add_assignments(batch, base=wish) == {"hits": 3}
    assert len(answer_all(carol, batch)) == 3


def test_tickets_of_a_batch_are_never_given_twice(project: Any, dataset: Any, bob: Any) -> None:
    batch = finished(project, dataset, bob)
    for number in range(5):
        batch.refresh_from_db()
        add_assignments.add_assignments(batch, base=batch.next_ticket)
        tickets = list(batch.hits.values_list("ticket", flat=True))
        batch.refresh_from_db()
        assert len(set(tickets)) == 4
        assert max(tickets) < batch.next_ticket <= 100
        answer_all(newcomer(project, f"w{number}"), batch)
