"""Allowed state transitions of assignments and batches, in this one place."""

from typing import Final

ACCEPTED: Final = "accepted"
SUBMITTED: Final = "submitted"
RETURNED: Final = "returned"
EXPIRED: Final = "expired"

ASSIGNMENT_MOVES: Final[dict[str, frozenset[str]]] = {
    ACCEPTED: frozenset({SUBMITTED, RETURNED, EXPIRED}),
    RETURNED: frozenset({ACCEPTED, SUBMITTED}),
    EXPIRED: frozenset({ACCEPTED, SUBMITTED}),
    SUBMITTED: frozenset(),
}

DRAFT: Final = "draft"
LAUNCHING: Final = "launching"
OPEN: Final = "open"
PAUSED: Final = "paused"
CLOSED: Final = "closed"

BATCH_MOVES: Final[dict[str, frozenset[str]]] = {
    DRAFT: frozenset({LAUNCHING}),
    LAUNCHING: frozenset({OPEN, DRAFT}),
    OPEN: frozenset({PAUSED, CLOSED}),
    PAUSED: frozenset({OPEN, CLOSED}),
    CLOSED: frozenset({OPEN}),
}


def origins(moves: dict[str, frozenset[str]], to: str) -> frozenset[str]:
    """The states from which `to` can be reached in one move; raises ValueError for an unknown state."""
    if to not in moves:
        raise ValueError(f"unknown state {to!r}")
    return frozenset(state for state, targets in moves.items() if to in targets)
