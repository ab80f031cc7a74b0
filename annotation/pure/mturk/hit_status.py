"""HITStatus of the MTurk protocol, computed from counters and times, never stored.

Sources: MTurk's developer guide on HIT states, ListReviewableHITs and DeleteHIT; what clients were seen to rely on.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

ASSIGNABLE: Final = "Assignable"
UNASSIGNABLE: Final = "Unassignable"
REVIEWABLE: Final = "Reviewable"
REVIEWING: Final = "Reviewing"
DISPOSED: Final = "Disposed"

KEPT: Final = timedelta(days=120)  # after its expiration a HIT that waits for nothing is deleted by itself
MANY: Final = 10  # number of assignments from which the higher fee applies; extending a HIT may not cross it


@dataclass(frozen=True, slots=True)
class HitCounts:
    """A HIT's counters of assignments (wanted, live, done), and whether it expired, is in review or deleted."""

    wanted: int
    live: int
    done: int
    expired: bool
    reviewing: bool = False
    deleted: bool = False

    @property
    def available(self) -> int:
        """Assignments never accepted. They still count after the HIT has expired."""
        return max(0, self.wanted - self.live - self.done)


def status(stand: HitCounts) -> str:
    """HITStatus: Assignable, Unassignable, Reviewable, Reviewing or Disposed."""
    if stand.deleted:
        return DISPOSED
    if not stand.expired and stand.available:
        return ASSIGNABLE
    if stand.live:
        return UNASSIGNABLE
    return REVIEWING if stand.reviewing else REVIEWABLE


def payable(stand: HitCounts, undecided: int) -> int:
    """The number of assignments to reserve funds for; `undecided` are submitted, neither paid nor rejected."""
    places = stand.available if not (stand.expired or stand.deleted) else 0
    return places + stand.live + undecided


def may_reach(first: int, total: int) -> bool:
    """Whether a HIT created with `first` assignments may be extended to `total`."""
    return first >= MANY or total < MANY
