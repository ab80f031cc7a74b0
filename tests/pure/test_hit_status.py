"""HITStatus as a function of counters and times: what may follow what, whatever the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.mturk.hit_status import HitCounts, may_reach, payable, status

FEW = st.integers(0, 5)
STANDS = st.builds(HitCounts, FEW, FEW, FEW, st.booleans(), st.booleans(), st.booleans()).filter(
    lambda stand: stand.live + stand.done <= stand.wanted
)


@pytest.mark.parametrize(
    ("stand", "result"),
    [
        (HitCounts(2, 0, 0, expired=False), "Assignable"),
        (HitCounts(2, 1, 0, expired=False), "Assignable"),
        (HitCounts(2, 1, 1, expired=False), "Unassignable"),
        (HitCounts(2, 0, 2, expired=False), "Reviewable"),
        (HitCounts(2, 0, 0, expired=True), "Reviewable"),
        (HitCounts(2, 1, 0, expired=True), "Unassignable"),
        (HitCounts(2, 0, 2, expired=False, reviewing=True), "Reviewing"),
        (HitCounts(2, 0, 1, expired=False, reviewing=True), "Assignable"),
        (HitCounts(2, 0, 2, expired=True, deleted=True), "Disposed"),
    ],
)
def test_the_states_of_the_documentation(stand: HitCounts, result: str) -> None:
    assert status(stand) == result


@given(STANDS)
def test_somebody_can_get_it_exactly_when_it_is_assignable(stand: HitCounts) -> None:
    free = stand.available and not stand.expired and not stand.deleted
    assert (status(stand) == "Assignable") == bool(free)


@given(STANDS)
def test_nobody_is_at_work_on_what_can_be_reviewed_and_nobody_can_be(stand: HitCounts) -> None:
    over = status(stand) in {"Reviewable", "Reviewing"}
    assert over == (not stand.deleted and not stand.live and (stand.expired or not stand.available))


@given(STANDS)
def test_time_never_makes_a_hit_assignable_and_an_extension_never_reviewable(stand: HitCounts) -> None:
    later = replace(stand, expired=True)
    assert status(later) != "Assignable"
    wider = replace(stand, wanted=stand.wanted + 1, expired=False)
    assert status(wider) == ("Disposed" if stand.deleted else "Assignable")


@given(STANDS, FEW)
def test_money_lies_ready_for_whoever_may_still_be_paid(stand: HitCounts, undecided: int) -> None:
    least = stand.live + undecided
    assert payable(stand, undecided) == least + (stand.available if status(stand) == "Assignable" else 0)


@pytest.mark.parametrize(("first", "total", "may"), [(1, 9, True), (9, 10, False), (10, 11, True), (1, 10, False)])
def test_the_higher_fee_is_not_reached_by_extending(first: int, total: int, may: bool) -> None:
    assert may_reach(first, total) == may
