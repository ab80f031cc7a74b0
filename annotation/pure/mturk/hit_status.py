"""In which state a HIT of MTurk's protocol is: a function of its counters and times, never stored.

Sources: MTurk's developer guide on HIT states, ListReviewableHITs and DeleteHIT; what clients were seen to rely on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

ASSIGNABLE: Final = "Assignable"
UNASSIGNABLE: Final = "Unassignable"
REVIEWABLE: Final = "Reviewable"
REVIEWING: Final = "Reviewing"
DISPOSED: Final = "Disposed"

KEPT: Final = timedelta(days=120)  # after its expiration a HIT that waits for nothing is deleted by itself
MANY: Final = 10  # assignments from which the higher fee holds: nobody gets there by extending


@dataclass(frozen=True, slots=True)
class Stand:
    """What is known of a HIT: places asked for, under way and submitted; its time; what its requester did."""

    wanted: int
    live: int
    done: int
    expired: bool
    reviewing: bool = False
    deleted: bool = False

    @property
    def available(self) -> int:
        """Places that nobody has or had. They stay after the HIT has expired, though nobody gets them."""
        return max(0, self.wanted - self.live - self.done)


def status(stand: Stand) -> str:
    """HITStatus: Assignable, Unassignable, Reviewable, Reviewing or Disposed."""
    if stand.deleted:
        return DISPOSED
    if not stand.expired and stand.available:
        return ASSIGNABLE
    if stand.live:
        return UNASSIGNABLE
    return REVIEWING if stand.reviewing else REVIEWABLE


def payable(stand: Stand, undecided: int) -> int:
    """For how many assignments money must lie ready; `undecided` are submitted and neither paid nor rejected."""
    places = stand.available if not (stand.expired or stand.deleted) else 0
    return places + stand.live + undecided


def may_reach(first: int, total: int) -> bool:
    """Whether a HIT created with `first` assignments may come to ask for `total`."""
    return first >= MANY or total < MANY
