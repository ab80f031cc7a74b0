"""What a requester does next with a batch: the most pressing thing that they may do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from annotation.pure.batches import lifecycle
from annotation.pure.batches.next_step import STEPS, Situation, first_step, next_step

ALL = frozenset(STEPS.values())
BUSY = Situation(
    state=lifecycle.OPEN,
    missing_workers=2,
    problem_reports=1,
    review=8,
    approvals=4,
    adjudicate=3,
    gold=5,
    has_open_places=False,
)
QUIET = Situation(lifecycle.OPEN, 0, 0, 0, 0, 0, 0, has_open_places=True)


def test_steps_come_in_the_order_in_which_they_press() -> None:
    proposed, now = [], BUSY
    for field in ("missing_workers", "problem_reports", "review", "approvals", "adjudicate", "gold"):
        proposed.append(next_step(now, ALL))
        now = replace(now, **{field: 0})
    assert proposed == [
        ("invite", 2), ("problem_reports", 1), ("review", 8), ("approvals", 4), ("adjudicate", 3), ("gold", 5)
    ]  # fmt: skip
    assert next_step(now, ALL) == ("close", 1)


@pytest.mark.parametrize(
    ("state", "step"),
    [
        (lifecycle.OPEN, ""),
        (lifecycle.PAUSED, "resume"),
        (lifecycle.CLOSED, "create_dataset"),
        (lifecycle.LAUNCHING, ""),
    ],
)
def test_a_batch_without_open_decisions_is_moved_on_by_its_state(state: str, step: str) -> None:
    assert next_step(replace(QUIET, state=state), ALL)[0] == step


def test_nobody_is_invited_to_a_closed_batch() -> None:
    assert next_step(replace(QUIET, state=lifecycle.CLOSED, missing_workers=2), ALL)[0] == "create_dataset"


def test_what_the_viewer_may_not_do_is_left_out() -> None:
    assert next_step(BUSY, frozenset({STEPS["review"]})) == ("problem_reports", 1)
    assert next_step(BUSY, frozenset({STEPS["approvals"]})) == ("approvals", 4)
    assert next_step(BUSY, frozenset()) == ("", 0)


def test_of_several_batches_the_most_pressing_step_comes_first_and_of_equals_the_first_batch() -> None:
    adjudicate, review = replace(QUIET, adjudicate=3), replace(QUIET, review=2)
    assert first_step([QUIET, adjudicate, review, review], ALL) == (2, "review", 2)
    assert first_step([QUIET, QUIET], ALL) == (0, "", 0)
    assert first_step([], ALL) == (0, "", 0)
    assert first_step([adjudicate, review], frozenset()) == (0, "", 0)
