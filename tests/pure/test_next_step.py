"""What waits for a requester: money and deadlines first, then by kind; only what the viewer may do."""

from __future__ import annotations

from datetime import UTC, datetime

from annotation.pure.batches.next_step import KINDS, NextStep, in_order
from annotation.pure.people import roles

ALL = frozenset(KINDS.values())
SOON, LATER = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC)


def step(kind: str, *, due: datetime | None = None, slug: str = "one") -> NextStep:
    return NextStep(kind, 1, {"slug": slug, "title": slug}, due=due)


def test_what_is_paid_soonest_comes_first_and_the_rest_by_kind() -> None:
    steps = [
        step("gold"), step("invite"), step("problem_reports"), step("approvals", due=LATER),
        step("adjudicate"), step("review", due=SOON), step("close"),
    ]  # fmt: skip
    assert [one.kind for one in in_order(steps, ALL)] == [
        "review", "approvals", "problem_reports", "adjudicate", "gold", "invite", "close"
    ]  # fmt: skip


def test_with_the_same_deadline_pay_comes_before_review_and_of_equals_the_first_given() -> None:
    steps = [step("review", due=SOON), step("approvals", due=SOON), step("gold", slug="a"), step("gold", slug="b")]
    found = in_order(steps, ALL)
    assert [(one.kind, one.of["slug"]) for one in found] == [
        ("approvals", "one"), ("review", "one"), ("gold", "a"), ("gold", "b")
    ]  # fmt: skip


def test_what_the_viewer_may_not_do_is_left_out() -> None:
    steps = [step(kind) for kind in KINDS]
    reviewer = in_order(steps, roles.acts_of(roles.REVIEWER))
    assert [one.kind for one in reviewer] == ["problem_reports", "review", "adjudicate", "gold"]
    assert in_order(steps, frozenset()) == []
