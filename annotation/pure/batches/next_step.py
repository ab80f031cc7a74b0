"""What waits for a requester, in a batch or in a project, and in which order it presses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from annotation.pure.people import roles

# kinds in the order in which they press, with the permission that each needs
KINDS: Final = {
    "approvals": roles.PAY,
    "problem_reports": roles.REVIEW,
    "messages": roles.PEOPLE,
    "requests": roles.PEOPLE,
    "review": roles.REVIEW,
    "adjudicate": roles.REVIEW,
    "gold": roles.REVIEW,
    "resume": roles.RUN,
    "invite": roles.PEOPLE,
    "close": roles.RUN,
    "create_dataset": roles.RUN,
}


@dataclass(frozen=True, slots=True)
class NextStep:
    """A number of things of one kind that wait; `of`: slug and title of the batch or qualification they belong to.

    For messages the key of their writer, or "" if there are several, and the writers' pseudonyms.
    """

    kind: str  # one of KINDS
    count: int
    of: Mapping[str, Any]
    due: datetime | None = None  # when the first of them is approved and paid automatically
    since: datetime | None = None  # since when the first of them waits, if known


def in_order(steps: Iterable[NextStep], may: Iterable[str]) -> list[NextStep]:
    """Those that the viewer may take: what has a deadline first, soonest first, then by kind, else as given."""
    order = list(KINDS)
    mine = [step for step in steps if KINDS[step.kind] in may]
    return sorted(mine, key=lambda step: (not step.due, step.due and step.due.timestamp(), order.index(step.kind)))
