"""The demo's times: sittings of three days instead of seconds, in the same order, with nothing else changed."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db.models import F

from annotation.demo import timeline
from annotation.flow.batches import batch_progress
from annotation.flow.review import problem_reports
from annotation.models import Assignment, ProblemReport, clock
from tests.flow.acting import answer_all, dataset_of, launched, submit, take

pytestmark = [pytest.mark.app("demo"), pytest.mark.django_db]

WEEK = 7 * 24 * 3600


@pytest.fixture
def study(project: Any, bob: Any, carol: Any, tmp_path: Any) -> Any:
    """A batch with automatic approval; bob answered 19 HITs and reported one, carol answered 3 and is at work."""
    large = dataset_of(project, tmp_path, name="large", size=20)
    study = launched(project, "study", large, assignments_per_hit=2, auto_approval=WEEK)
    reported = take(bob, study)
    assert reported is not None
    problem_reports.report_problem(reported, reason="unclear", text="")
    answer_all(bob, study)
    for _number in range(3):
        assignment = take(carol, study)
        assert assignment is not None
        submit(assignment)
    take(carol, study)
    return study


def order(worker: Any) -> list[int]:
    rows = Assignment.objects.submitted().filter(worker=worker)
    return list(rows.order_by("submitted_at").values_list("pk", flat=True))


def test_work_becomes_sittings_of_three_days_in_its_order(project: Any, study: Any, bob: Any, carol: Any) -> None:
    before, counted = {worker: order(worker) for worker in (bob, carol)}, batch_progress.counts_of(study)
    timeline.spread(project, [study], ["bob", "carol"])
    assert {worker: order(worker) for worker in (bob, carol)} == before
    assert batch_progress.counts_of(study) == counted
    hours = [count for _hour, count in batch_progress.by_hour(study) if count]
    assert len(hours) >= 3
    rows = list(Assignment.objects.submitted().filter(worker=bob).order_by("submitted_at"))
    assert timedelta(hours=12) < rows[-1].submitted_at - rows[0].submitted_at < timedelta(days=3)  # type: ignore[operator]
    assert rows[-1].submitted_at < clock.now()  # type: ignore[operator]
    assert all(earlier.submitted_at < later.accepted_at for earlier, later in pairwise(rows))  # type: ignore[operator]
    study.refresh_from_db()
    assert study.launched_at < bob.participations.get().created_at < rows[0].accepted_at


def test_what_is_due_stays_due_as_long_after_the_submission(project: Any, study: Any) -> None:
    timeline.spread(project, [study], ["bob", "carol"])
    for row in Assignment.objects.submitted():
        assert row.submitted_at is not None
        assert row.auto_approve_at is not None
        assert abs(row.auto_approve_at - row.submitted_at - timedelta(seconds=WEEK)) < timedelta(milliseconds=5)
        assert row.submitted_at - row.accepted_at >= timedelta(seconds=row.active_seconds)
    report = ProblemReport.objects.get()
    assert report.created_at == report.assignment.ended_at


def test_work_under_way_and_other_people_keep_their_times(project: Any, study: Any, bob: Any, carol: Any) -> None:
    under_way = Assignment.objects.get(worker=carol, state="accepted")
    others = dict(Assignment.objects.filter(worker=carol).values_list("pk", "accepted_at"))
    timeline.spread(project, [study], ["bob"])
    assert dict(Assignment.objects.filter(worker=carol).values_list("pk", "accepted_at")) == others
    timeline.spread(project, [study], ["carol"])
    assert Assignment.objects.get(pk=under_way.pk).accepted_at == under_way.accepted_at
    assert Assignment.objects.filter(worker=carol, accepted_at__lt=F("submitted_at")).count() == 3
