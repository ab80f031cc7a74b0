"""The flow of people and responses of a batch, and its figures before and after exclusion."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from annotation.flow.people import worker_erasure
from annotation.flow.reports import batch_scores
from annotation.flow.reports.participation import participation
from annotation.flow.review import assignment_approval, problem_reports
from annotation.flow.work import leases
from annotation.models import Assignment, clock
from annotation.pure.reports.participation_flow import PEOPLE, RESPONSES, flow_tables
from annotation.pure.reports.tables import note_of
from tests.flow.paying import paid_batch, worked
from tests.views.console import answer, take

pytestmark = pytest.mark.django_db


def check(batch: Any) -> dict[str, Any]:
    """The batch's flow, of which every step is the one before without its losses."""
    found = participation(batch)
    for name in (PEOPLE, RESPONSES):
        for (_step, count, losses), (_next, rest, _its) in pairwise(found[name]):
            assert count - sum(number for *_why, number in losses) == rest, found[name]
    report = batch_scores.score_batch(batch)
    assert report["flow"] == found
    assert found[RESPONSES][-1][1] == report["counts"]["responses"]
    assert found[PEOPLE][-1][1] == report["counts"]["workers"]
    return found


def test_the_flow_adds_up_and_ends_at_what_figures_count_in_every_state(batch: Any, bob: Any, carol: Any) -> None:
    assert check(batch)[RESPONSES][0][1] == 0
    first, second = answer(bob, batch), answer(bob, batch)
    check(batch)
    left = take(bob, batch)
    assert check(batch)[RESPONSES][0] == ["accepted", 3, [["accepted", "", 1]]]
    leases.return_assignment(left)
    late = take(carol, batch)
    Assignment.objects.filter(pk=late.pk).update(lease_until=clock.now() - timedelta(hours=1))
    leases.expire_due()
    found = check(batch)
    assert found[RESPONSES][0] == ["accepted", 4, [["expired", "", 1], ["returned", "", 1]]]
    assert found[PEOPLE] == [
        ["came", 2, []],
        ["began", 2, [["expired", "", 1]]],
        ["answered", 1, []],
        ["counted", 1, []],
    ]
    problem_reports.exclude(first.hit, reason="Two wells")
    assert check(batch)[RESPONSES][1] == ["submitted", 2, [["hit", "Two wells", 1]]]
    worker_erasure.erase(Assignment.objects.filter(pk=second.pk))
    found = check(batch)
    assert found[RESPONSES][1:] == [["submitted", 2, [["erased", "", 1], ["hit", "Two wells", 1]]], ["counted", 0, []]]
    assert found[PEOPLE][2] == ["answered", 1, [["several", "", 1]]]


def test_the_flow_tells_what_was_rejected_since_its_report_too(project: Any, dataset: Any, bob: Any) -> None:
    batch = paid_batch(project, dataset)
    first, _second = worked(bob, batch), worked(bob, batch)
    assert participation(batch)["others"] == {"paused": 0, "withdrew": 0, "rejected": 0, "unpaid": 2}
    batch_scores.score_batch(batch)
    assert assignment_approval.reject(first, text="Not read.")
    kept = batch_scores.cached_report(batch)
    assert kept is not None
    notes = {one["name"]: note_of(one) for one in flow_tables(kept["flow"])}
    assert "Rejected and not paid, but counted: 1. Not paid or decided on yet, but counted: 1." in notes[RESPONSES]
    assert "Rejected" not in notes[PEOPLE]
