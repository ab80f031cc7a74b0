"""The review state of a response, from the decisions on its revisions."""

from collections.abc import Sequence
from typing import Final

ACCEPTED: Final = "accepted"
EDITED: Final = "edited"
RETURNED: Final = "returned"
DISCARDED: Final = "discarded"
REOPENED: Final = "reopened"

UNREAD: Final = "unread"  # nobody decided on it, or the decision was undone
REPAIRED: Final = "repaired"  # it was returned, and the worker sent it again
CHANGED: Final = "changed"  # it was decided otherwise, and the worker changed it since

DECIDED: Final = frozenset({ACCEPTED, EDITED, RETURNED, DISCARDED})
WAITING: Final = frozenset({UNREAD, REPAIRED, CHANGED})
REFUSED: Final = frozenset({RETURNED, DISCARDED})  # excluded from aggregated responses
TAKEN: Final = frozenset({ACCEPTED, EDITED})


def state_of(decisions: Sequence[tuple[int, str]], revision: int) -> str:
    """One of DECIDED or WAITING, from (revision, decision) in the order in which they were made.

    A decision holds for the reviewed revision only: a later revision waits for review.
    """
    last = _last(decisions, revision, revision)
    if last in DECIDED:
        return last
    before = _last(decisions, 1, revision - 1)
    if before == RETURNED:
        return REPAIRED
    return CHANGED if before in DECIDED else UNREAD


def _last(decisions: Sequence[tuple[int, str]], first: int, final: int) -> str:
    matching = [decision for revision, decision in decisions if first <= revision <= final]
    return matching[-1] if matching else ""
