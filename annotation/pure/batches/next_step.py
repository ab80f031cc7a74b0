"""What a requester does next with a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from annotation.pure.batches import lifecycle
from annotation.pure.people import roles

# steps in the order in which they are proposed, with the permission that each needs
STEPS: Final = {
    "resume": roles.RUN,
    "invite": roles.PEOPLE,
    "problem_reports": roles.REVIEW,
    "review": roles.REVIEW,
    "approvals": roles.PAY,
    "adjudicate": roles.REVIEW,
    "gold": roles.REVIEW,
    "close": roles.RUN,
    "create_dataset": roles.RUN,
}


@dataclass(frozen=True, slots=True)
class Situation:
    """A launched batch: its state, workers that are missing, numbers of open decisions, whether places are open."""

    state: str
    missing_workers: int
    problem_reports: int
    review: int
    approvals: int
    adjudicate: int
    gold: int
    has_open_places: bool


def next_step(situation: Situation, may: frozenset[str]) -> tuple[str, int]:
    """The first due step of STEPS that the viewer may take, and how many items wait; ("", 0) if none."""
    is_open, closed = situation.state == lifecycle.OPEN, situation.state == lifecycle.CLOSED
    numbers = {
        "resume": int(situation.state == lifecycle.PAUSED),
        "invite": situation.missing_workers if is_open else 0,
        "problem_reports": situation.problem_reports,
        "review": situation.review,
        "approvals": situation.approvals,
        "adjudicate": situation.adjudicate,
        "gold": situation.gold,
        "close": int(is_open and not situation.has_open_places),
        "create_dataset": int(closed),
    }
    return next(((step, numbers[step]) for step, act in STEPS.items() if numbers[step] and act in may), ("", 0))


def first_step(situations: Sequence[Situation], may: frozenset[str]) -> tuple[int, str, int]:
    """The most pressing next step of several batches: the position of its batch, the step, its number.

    (0, "", 0) if there is nothing to do in any of them.
    """
    order = list(STEPS)
    found = [(k, *next_step(situation, may)) for k, situation in enumerate(situations)]
    return min((each for each in found if each[1]), key=lambda each: order.index(each[1]), default=(0, "", 0))
