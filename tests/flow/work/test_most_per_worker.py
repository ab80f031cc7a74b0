"""A batch's limit of HITs per worker: nobody gets more, whichever way they ask, and pages count with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.flow.batches import batch_drafts, batch_launch
from annotation.flow.batches.estimates import count_hits
from annotation.flow.people import consent
from annotation.flow.projects.projects import project_named
from annotation.flow.work import leases, next_assignment, open_work, prefetch, worker_batches
from annotation.models import Assignment, Batch, Project
from tests.flow import acting

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="claims count under locks")]


@pytest.fixture
def batch(project: Project, tmp_path: Path) -> Batch:
    """Ten HITs for two workers each, of which one worker may have four."""
    items = acting.dataset_of(project, tmp_path, name="items", size=10)
    return acting.launched(project, "limited", items, assignments_per_hit=2, most_per_worker=4)


@pytest.fixture
def project(db: None) -> Project:
    found = project_named()
    consent.fill_in(found, contact="Ada, ada@example.org", ethics="board 7, no. 12")
    return found


def test_a_worker_gets_as_many_hits_as_the_limit_says(batch: Batch) -> None:
    ada, ben = (acting.newcomer(batch.project, name) for name in ("ada", "ben"))
    assert len(acting.answer_all(ada, batch)) == 4
    assert acting.take(ada, batch) is None
    assert len(acting.answer_all(ben, batch)) == 4


def test_a_returned_hit_does_not_count_and_cannot_be_taken_up_beyond_the_limit(batch: Batch) -> None:
    ada = acting.newcomer(batch.project, "ada")
    returned = acting.take(ada, batch)
    assert returned is not None
    leases.return_assignment(returned)
    assert len(acting.answer_all(ada, batch)) == 4
    returned.refresh_from_db()
    assert not next_assignment.take_up(returned)


def test_a_hit_that_another_program_asks_for_is_refused_beyond_the_limit(batch: Batch) -> None:
    ada = acting.newcomer(batch.project, "ada")
    had = {hit.pk for hit in acting.answer_all(ada, batch)}
    other = batch.hits.exclude(pk__in=had).first()
    assert other is not None
    assert next_assignment.accept_hit(acting.participation_of(ada, batch), other) is None
    assert not Assignment.objects.filter(hit=other).exists()


def test_nothing_is_prefetched_beyond_the_limit(batch: Batch) -> None:
    ada = acting.newcomer(batch.project, "ada")
    acting.answer_all(ada, batch, most=2)
    acting.take(ada, batch)
    participation = acting.participation_of(ada, batch)
    assert prefetch.hold(participation) is not None
    held = next_assignment.claim(participation)  # the one under way
    assert held is not None
    acting.submit(held)
    assert acting.take(ada, batch) is not None
    assert prefetch.hold(participation) is None


def test_pages_count_up_to_the_limit(batch: Batch) -> None:
    ada = acting.newcomer(batch.project, "ada")
    participation = acting.participation_of(ada, batch)
    assert (open_work.left(participation), open_work.offered(participation)) == (4, 4)
    acting.answer_all(ada, batch, most=1)
    acting.take(ada, batch)
    [row] = worker_batches.worker_batches([ada])
    assert (row.done, row.left, row.total, row.at_least) == (1, 3, 4, False)
    acting.answer_all(ada, batch)
    [row] = worker_batches.worker_batches([ada])
    assert (row.done, row.left, row.total) == (4, 0, 4)


def test_a_launch_asks_for_as_many_workers_as_the_limit_needs(batch: Batch) -> None:
    draft = acting.draft(batch.project, "more", *batch.datasets.all(), assignments_per_hit=2, most_per_worker=3)
    plan = batch_drafts.plan(draft, count_hits(draft))
    assert plan.missing == 7  # 20 assignments, three each
    assert batch_launch.workers_missing(batch) == 5


def test_the_command_takes_the_limit(batch: Batch) -> None:
    call_command("create_batch", "third", "--task", "answer", "--dataset", "items", "--most-per-worker", "2")
    assert Batch.objects.get(slug="third").most_per_worker == 2
