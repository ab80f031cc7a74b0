"""Review policies, second half: the actions that they intend are carried out, each once, by the verbs for it."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from annotation.flow import approving, holding, judging, ledger, noticing, relisting
from annotation.flow.refusal import Refused
from annotation.models import Assignment, Listing, PolicyOutcome, clock
from annotation.pure import hit_status, review_policies
from annotation.pure.review_policies import Extension

log = logging.getLogger(__name__)


def apply(assignment: Assignment) -> None:
    """Do at once what the policies of its HIT say of an assignment that was submitted, and of the HIT if it is full.

    To be called after the submission, outside its transaction; what is left undone, `apply_due` finds.
    """
    listing = Listing.objects.filter(hit=assignment.hit_id).first()
    if listing is None:
        return
    try:
        catch_up(listing)
    except DatabaseError:  # a lock that did not come: the answer is stored, so its worker is not troubled with it
        log.exception("the policies of HIT %s are applied later", assignment.hit_id)


def catch_up(listing: Listing) -> None:
    """Do at once whatever the policies of a HIT want done by now."""
    noticing.notice(listing.hit_id)
    carry_out(PolicyOutcome.objects.filter(listing=listing, status=judging.INTENDED).order_by("pk"))


def apply_due(*, limit: int = 200) -> int:
    """Carry out what policies intend and nobody did yet; returns how many actions. Safe to run twice."""
    return carry_out(PolicyOutcome.objects.filter(status=judging.INTENDED).order_by("pk")[:limit])


def carry_out(intended: QuerySet[PolicyOutcome]) -> int:
    """Carry out these actions, each in a transaction of its own; how many were carried out."""
    return sum(_carry_out(action.pk) for action in list(intended))


@transaction.atomic
def _carry_out(pk: int) -> bool:
    rows = PolicyOutcome.objects.select_for_update(of=("self",), no_key=True).select_related("listing__hit")
    action = rows.filter(pk=pk, status=judging.INTENDED).first()
    if action is None:
        return False
    try:
        with transaction.atomic():
            told = _do(action)
    except Refused as refusal:
        return action.move(judging.FAILED, value=str(refusal), error=_code(refusal), done_at=clock.now())
    return action.move(judging.SUCCEEDED, value=told, done_at=clock.now())


def _code(refusal: Refused) -> str:
    if isinstance(refusal, ledger.Overdrawn):
        name = "InsufficientFunds"
    elif isinstance(refusal, approving.WrongState):
        name = "InvalidAssignmentState"
    else:
        name = "InvalidHITState"
    return f"AWS.MechanicalTurk.{name}"


def _do(action: PolicyOutcome) -> str:
    """Approve, reject or extend; what came of it, in words."""
    if action.key == review_policies.EXTEND:
        return _extend(action)
    assignment = Assignment.objects.get(hit=action.listing.hit_id, public_id=action.subject_id)
    if action.key == review_policies.APPROVE:
        return "Approved" if approving.approve(assignment, text=action.text, source="policy") else "Already approved"
    return "Rejected" if approving.reject(assignment, text=action.text, source="policy") else "Already rejected"


def _extend(action: PolicyOutcome) -> str:
    """One place more, where the policy allows for one, and time for it."""
    limits = _limits(action)
    row = holding.standing(Listing.objects.filter(pk=action.listing_id)).get()
    total = row.hit.wanted + 1
    if limits is None or total > limits.most or not hit_status.may_reach(row.first_places, total):
        return f"Not extended: the HIT has {row.hit.wanted} assignments"
    relisting.add_places(row, 1)
    until = clock.now() + timedelta(seconds=limits.seconds)
    if limits.seconds and (row.hit.closes_at is None or row.hit.closes_at < until):
        relisting.expire_at(row, until)
    return f"Extended to {total} assignments"


def _limits(action: PolicyOutcome) -> Extension | None:
    if action.level == review_policies.HIT:
        return review_policies.read_plurality(action.listing.hit_policy).extension
    return review_policies.read_known_answers(action.listing.assignment_policy).extension
