"""Review policies, second half: carrying out the intended actions, each once."""

import logging
from datetime import timedelta

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from annotation.flow.errors import Refused
from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.models import Assignment, clock
from annotation.mturk_api.flow import hit_changes, hit_expiry, hit_funds, policy_checks
from annotation.mturk_api.models import Listing, PolicyOutcome
from annotation.pure.mturk import hit_status, review_policies
from annotation.pure.mturk.review_policies import Extension

log = logging.getLogger(__name__)


def apply(assignment: Assignment) -> None:
    """Carry out the policies of a submitted assignment, and of its HIT if that is full.

    Call it after the submission, outside its transaction; `apply_due` carries out actions left undone.
    """
    listing = Listing.objects.filter(hit=assignment.hit_id).first()
    if listing is None:
        return
    try:
        catch_up(listing)
    except DatabaseError:  # no lock in time: the response is stored, so the worker sees no error
        log.exception("the policies of HIT %s are applied later", assignment.hit_id)


def catch_up(listing: Listing) -> None:
    """Carry out all pending actions of a HIT's policies now."""
    hit_expiry.notice(listing.hit_id)
    carry_out(PolicyOutcome.objects.filter(listing=listing, status=policy_checks.INTENDED).order_by("pk"))


def apply_due(*, limit: int = 200) -> int:
    """Carry out pending actions; returns the number carried out. Safe to run twice."""
    return carry_out(PolicyOutcome.objects.filter(status=policy_checks.INTENDED).order_by("pk")[:limit])


def carry_out(intended: QuerySet[PolicyOutcome]) -> int:
    """Carry out these actions, each in a separate transaction; returns the number carried out."""
    return sum(_carry_out(action.pk) for action in list(intended))


@transaction.atomic
def _carry_out(pk: int) -> bool:
    # Lock: two processes may carry out the same action.
    rows = PolicyOutcome.objects.select_for_update(of=("self",), no_key=True).select_related("listing__hit")
    action = rows.filter(pk=pk, status=policy_checks.INTENDED).first()
    if action is None:
        return False
    try:
        with transaction.atomic():
            value = _do(action)
    except Refused as refusal:
        return action.move(policy_checks.FAILED, value=str(refusal), error=_code(refusal), done_at=clock.now())
    return action.move(policy_checks.SUCCEEDED, value=value, done_at=clock.now())


def _code(refusal: Refused) -> str:
    if isinstance(refusal, ledger.Overdrawn):
        name = "InsufficientFunds"
    elif isinstance(refusal, assignment_approval.WrongState):
        name = "InvalidAssignmentState"
    else:
        name = "InvalidHITState"
    return f"AWS.MechanicalTurk.{name}"


def _do(action: PolicyOutcome) -> str:
    """Approve, reject or extend; returns the result as text."""
    if action.key == review_policies.EXTEND:
        return _extend(action)
    assignment = Assignment.objects.get(hit=action.listing.hit_id, public_id=action.subject_id)
    if action.key == review_policies.APPROVE:
        done = assignment_approval.approve(assignment, text=action.text, source="policy")
        return "Approved" if done else "Already approved"
    done = assignment_approval.reject(assignment, text=action.text, source="policy")
    return "Rejected" if done else "Already rejected"


def _extend(action: PolicyOutcome) -> str:
    """Add an assignment, if the policy allows it, and time for it."""
    limits = _limits(action)
    row = hit_funds.with_hit_state(Listing.objects.filter(pk=action.listing_id)).get()
    total = row.hit.wanted + 1
    if limits is None or total > limits.most or not hit_status.may_reach(row.first_places, total):
        return f"Not extended: the HIT has {row.hit.wanted} assignments"
    hit_changes.add_assignments(row, 1)
    until = clock.now() + timedelta(seconds=limits.seconds)
    if limits.seconds and (row.hit.closes_at is None or row.hit.closes_at < until):
        hit_changes.expire_at(row, until)
    return f"Extended to {total} assignments"


def _limits(action: PolicyOutcome) -> Extension | None:
    if action.level == review_policies.HIT:
        return review_policies.read_plurality(action.listing.hit_policy or {}).extension
    return review_policies.read_known_answers(action.listing.assignment_policy or {}).extension
