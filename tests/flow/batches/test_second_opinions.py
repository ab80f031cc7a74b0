"""Second opinions: some answers make their HIT ask for more of them, once and at the end of the queue."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from annotation.flow.batches import add_assignments
from annotation.flow.work import leases, submissions
from annotation.models import Assignment, Batch, Dataset, Hit
from annotation.tasktype import SecondOpinion
from tests.capable import grant
from tests.conftest import answer_to
from tests.flow.acting import answer_all, launched, newcomer, submit, take

pytestmark = pytest.mark.django_db
DOUBT = {"kind": "none", "text": "", "support": [2], "facts": []}


@pytest.fixture(autouse=True)
def least(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever says that there is no answer calls for a second opinion."""
    doubtful = {"none": 2}
    grant(monkeypatch, "answer", SecondOpinion, least=lambda self, payload, a: doubtful.get(a["kind"], 0))


@pytest.fixture
def single(project: Any, dataset: Dataset) -> Batch:
    """Four HITs, one assignment each."""
    return launched(project, "single", dataset, assignments_per_hit=1, same_order=True)


def taken(worker: Any, batch: Batch) -> Assignment:
    found = take(worker, batch)
    assert found is not None
    return found


def state(assignment: Assignment) -> tuple[int, int, int]:
    hit = Hit.objects.get(pk=assignment.hit_id)
    return hit.wanted, hit.live, hit.done


def test_a_doubtful_answer_is_given_to_somebody_else_and_to_nobody_twice(single: Batch, bob: Any, carol: Any) -> None:
    doubtful = taken(bob, single)
    submit(doubtful, DOUBT)
    assert state(doubtful) == (2, 0, 1)
    assert doubtful.hit not in answer_all(bob, single)
    assert answer_all(carol, single) == [doubtful.hit]
    assert state(doubtful) == (2, 0, 2)


def test_the_hit_goes_to_the_end_of_the_queue_where_nobody_passed_it(single: Batch, bob: Any, carol: Any) -> None:
    doubtful = taken(bob, single)
    passing = taken(carol, single)  # carol's cursor is beyond the first HIT now
    assert passing.hit.ticket > doubtful.hit.ticket
    submit(passing)
    submit(doubtful, DOUBT)
    assert Hit.objects.get(pk=doubtful.hit_id).ticket == 4
    assert answer_all(carol, single)[-1] == doubtful.hit


def test_an_answer_without_doubt_changes_nothing(single: Batch, bob: Any) -> None:
    plain = taken(bob, single)
    submit(plain)
    assert state(plain) == (1, 0, 1)
    single.refresh_from_db()
    assert single.next_ticket == 4


def test_a_hit_that_asks_for_enough_already_keeps_its_place(batch: Batch, bob: Any) -> None:
    doubtful = taken(bob, batch)
    submit(doubtful, DOUBT)
    assert state(doubtful) == (2, 0, 1)
    assert Hit.objects.get(pk=doubtful.hit_id).ticket == doubtful.hit.ticket


def test_sending_it_again_asks_nobody_again(single: Batch, bob: Any, carol: Any) -> None:
    doubtful = taken(bob, single)
    submit(doubtful, DOUBT)
    single.refresh_from_db()
    before = single.next_ticket
    submit(doubtful, DOUBT)
    second = next(h for h in [taken(carol, single)] if h)
    while second.hit_id != doubtful.hit_id:
        submit(second)
        second = taken(carol, single)
    submit(second, DOUBT)
    submit(doubtful, DOUBT)
    single.refresh_from_db()
    assert state(doubtful) == (2, 0, 2)
    assert single.next_ticket == before


def test_a_change_to_doubt_asks_and_a_change_back_takes_nothing_back(single: Batch, bob: Any) -> None:
    row = taken(bob, single)
    submit(row)
    submit(row, DOUBT, key="1.form", base=1)
    assert state(row) == (2, 0, 1)
    submit(row, answer_to(row), key="2.form", base=2)
    assert state(row) == (2, 0, 1)


def test_a_late_doubt_is_itself_the_second_opinion(single: Batch, bob: Any, carol: Any) -> None:
    late = taken(bob, single)
    Assignment.objects.filter(pk=late.pk).update(lease_until=Now() - timedelta(hours=1))
    assert leases.expire_due() == 1
    answer_all(carol, single)
    assert state(late) == (1, 0, 1)
    late.refresh_from_db()
    receipt = submit(late, DOUBT)
    assert (receipt.late, receipt.counts) == (True, True)
    assert state(late) == (2, 0, 2)


def test_two_doubts_at_once_ask_once(single: Batch, bob: Any, carol: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another submission raises the HIT between the look at it and its change."""
    doubtful = taken(bob, single)
    draw = leases.next_ticket

    def overtaken(hit_id: int) -> int:
        monkeypatch.setattr(leases, "next_ticket", draw)
        submissions.raise_wanted(hit_id, 2)
        assert Hit.objects.get(pk=hit_id).wanted == 2
        return draw(hit_id)

    monkeypatch.setattr(leases, "next_ticket", overtaken)
    submit(doubtful, DOUBT)
    assert state(doubtful) == (2, 0, 1)
    assert Hit.objects.get(pk=doubtful.hit_id).ticket == 4


def test_a_top_up_stands_above_a_second_opinion(single: Batch, bob: Any, project: Any) -> None:
    row = taken(bob, single)
    submit(row)
    for _ in range(2):
        single.refresh_from_db()
        add_assignments.add_assignments(single, base=single.next_ticket)
        answer_all(newcomer(project, f"n{single.next_ticket}"), single)
    assert state(row) == (3, 0, 3)
    submit(row, DOUBT, key="1.form", base=1)
    assert state(row) == (3, 0, 3)
