"""The flow of people and responses of a batch, and its figures before and after exclusion."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from annotation.flow.reports import batch_scores
from annotation.flow.reports.participation import participation
from annotation.flow.review import problem_reports, response_erasure
from annotation.flow.work import leases
from annotation.models import Assignment, clock
from annotation.pure.reports.participation_flow import PEOPLE, RESPONSES
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
    response_erasure.erase(Assignment.objects.filter(pk=second.pk))
    found = check(batch)
    assert found[RESPONSES][1:] == [["submitted", 2, [["erased", "", 1], ["hit", "Two wells", 1]]], ["counted", 0, []]]
    assert found[PEOPLE][2] == ["answered", 1, [["several", "", 1]]]
