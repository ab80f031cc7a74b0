"""What a history could have met: every move of every state machine, every fault at every kind of statement and call."""

from __future__ import annotations

from tests.simulation import moves, prolific
from tests.simulation.outside import LUCK
from tests.simulation.outside import REFUSED as NO
from tests.simulation.run import Result
from tests.simulation.scheduler import DONE, STATEMENTS
from tests.simulation.turns import DIES, FILLS_UP, REFUSED, SLEEPS, VANISHES

CALLS = (
    "ApproveAssignment",
    "CreateAdditionalAssignmentsForHIT",
    "CreateHITType",
    "CreateHITWithHITType",
    "GET hooks/subscriptions/",
    "GET studies/",
    "GET studies/{id}/",
    "GET submissions/",
    "GET submissions/{id}/",
    "GetHIT",
    "ListAssignmentsForHIT",
    "ListHITs",
    "PATCH studies/{id}/",
    "POST studies/",
    "POST studies/{id}/transition/",
    "POST submissions/bonus-payments/",
    "POST submissions/bulk-approve/",
    "POST submissions/{id}/request-return/",
    "POST submissions/{id}/transition/",
    prolific.PAY,
    "RejectAssignment",
    "SendBonus",
    "UpdateExpirationForHIT",
    "model",
    "webhook",
)
OWN = {"BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "DELETE"}  # only in transactions, or what begins them
# What no history meets, and why.
WHY_NOT = {
    f"{SLEEPS} at {at}": "the database ends a transaction that hangs: it counts as a death" for at in OWN - {"BEGIN"}
}


def never_met(result: Result) -> list[str]:
    """What was not met and has no reason."""
    faults = [f"{fault} at {at}" for fault in (DIES, REFUSED, SLEEPS, VANISHES, FILLS_UP) for at in sorted(STATEMENTS)]
    dead = [f"{DIES} at {when} {call}" for when in ("calling", "after") for call in CALLS] + [f"{DIES} at {DONE}"]
    replies = [f"{call}: {luck}" for call in CALLS for luck in LUCK]
    of_mturk = [call for call in CALLS if call[0].isupper() and " " not in call]
    replies += [f"{call}: {NO}" for call in (*of_mturk, *sorted(prolific.CAN_BE_DENIED))]
    replies += [prolific.says(instead) for instead in prolific.INSTEAD]
    met = {**result.met, **result.moved}
    return [one for one in (*moves.known(), *faults, *dead, *replies) if one not in met and one not in WHY_NOT]
