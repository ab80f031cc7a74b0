"""Listeners that keep HITs of the MTurk API up to date; other batches cost no query."""

from annotation import events
from annotation.models import Assignment, Batch
from annotation.mturk_api.flow import hit_funds, notifications, policy_checks
from annotation.mturk_api.flow.notifications import EXTERNAL

ORDER = 100  # first, because it locks listings, which come before the accounts in the lock order


def _is_of_mturk_api(row: Assignment | Batch) -> bool:
    return (row.batch if isinstance(row, Assignment) else row).task == EXTERNAL


def assignment_accepted(event: events.AssignmentAccepted) -> None:
    notifications.record_event(notifications.ACCEPTED, event.hit, event.assignment)


def assignment_returned(event: events.AssignmentReturned) -> None:
    row = event.assignment
    if _is_of_mturk_api(row):
        hit_funds.settled(row.hit_id)
        notifications.record_event(notifications.ABANDONED if event.expired else notifications.RETURNED, row.hit, row)


def response_submitted(event: events.ResponseSubmitted) -> None:
    row = event.assignment
    if not _is_of_mturk_api(row) or event.revision > 1:
        return
    if event.late and (not event.counts or row.batch.state == Batch.State.CLOSED):
        hit_funds.settled(row.hit_id)  # the assignment had no money set aside
    notifications.record_event(notifications.SUBMITTED, event.hit, row)
    policy_checks.judge(row)


def pay_decision_begun(event: events.PayDecisionBegun) -> None:
    if _is_of_mturk_api(event.assignment):
        hit_funds.lock(event.assignment.hit_id)  # the listing before the accounts, which the decision locks


def assignment_approved(event: events.AssignmentApproved) -> None:
    notifications.record_event(notifications.APPROVED, event.assignment.hit, event.assignment)


def assignment_rejected(event: events.AssignmentRejected) -> None:
    notifications.record_event(notifications.REJECTED, event.assignment.hit, event.assignment)


def pay_decided(event: events.PayDecided) -> None:
    if _is_of_mturk_api(event.assignment):
        hit_funds.settled(event.assignment.hit_id, spent=event.spent)


def hit_excluded(event: events.HitExcluded) -> None:
    if _is_of_mturk_api(event.hit.batch):
        hit_funds.settled(event.hit.pk)


def hit_restored(event: events.HitRestored) -> None:
    """Set aside the cost of its assignments again. Raises Overdrawn, which undoes the restoring."""
    if _is_of_mturk_api(event.hit.batch):
        hit_funds.settle(event.hit.pk)


def batch_closed(event: events.BatchClosed) -> None:
    if _is_of_mturk_api(event.batch):
        hit_funds.end_all(event.batch)
