"""Roles of a project and their permissions, in this one place."""

from typing import Final

OWNER: Final = "owner"
REQUESTER: Final = "requester"
REVIEWER: Final = "reviewer"
ANNOTATOR: Final = "worker"  # as an invite says it: a Worker is no member

MEMBERS: Final = (OWNER, REQUESTER, REVIEWER)  # by permissions, most first

SEE: Final = "see"  # datasets, batches, HITs, people's answers under pseudonyms, reports, and files of them
REVIEW: Final = "review"  # judge answers, adjudicate, decide on gold in doubt and on reports of problems
RUN: Final = "run"  # import, derive, make, launch, pause, close and remove; the log and the bin
PAY: Final = "pay"  # approve, reject, pay and pay out, within the budget
PEOPLE: Final = "people"  # invite annotators, let them work or not, grant qualifications
OWN: Final = "own"  # settings, money in and out, keys, marketplaces, members; erasure

ACTS: Final[dict[str, frozenset[str]]] = {
    SEE: frozenset({OWNER, REQUESTER, REVIEWER}),
    REVIEW: frozenset({OWNER, REQUESTER, REVIEWER}),
    RUN: frozenset({OWNER, REQUESTER}),
    PAY: frozenset({OWNER, REQUESTER}),
    PEOPLE: frozenset({OWNER, REQUESTER}),
    OWN: frozenset({OWNER}),
}


def may(role: str | None, act: str) -> bool:
    """Whether a role may do an act; the role is None for a non-member. Raises KeyError for an unknown act."""
    return role in ACTS[act]


def acts_of(role: str | None) -> frozenset[str]:
    """Everything that a member of that role may do."""
    return frozenset(act for act, roles in ACTS.items() if role in roles)


def who_may(act: str) -> frozenset[str]:
    """The roles that may do it. Raises KeyError for an unknown act."""
    return ACTS[act]


def may_invite(role: str | None, invited: str) -> bool:
    """Whether a member with `role` may invite others as `invited`: annotators need PEOPLE, members OWN."""
    return may(role, PEOPLE if invited == ANNOTATOR else OWN)
