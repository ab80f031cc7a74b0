"""The end of an assignment that was not submitted: returned, or its lease expired; and extending a lease.

Its HIT can then be claimed again. The lock order is that of `next_assignment`.
"""

from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Greatest, Now

from annotation.events import AssignmentReturned, emit
from annotation.models import Assignment, Batch, Hit, Participation, PrefetchedHit
from annotation.pure.batches import lifecycle


@transaction.atomic
def return_assignment(assignment: Assignment, *, to: str = lifecycle.RETURNED, only_if_over: bool = False) -> bool:
    """Release the assignment and keep its draft; False if it was no longer under way."""
    guards = [Q(lease_until__lt=Now())] if only_if_over else []
    if not assignment.move(to, *guards, counts=False, ended_at=Greatest(Now(), F("accepted_at"))):
        return False
    _look_again(assignment)
    reopen_hit(assignment.hit_id, live=F("live") - 1)
    emit(AssignmentReturned(assignment, expired=to != lifecycle.RETURNED))
    return True


def _look_again(returned: Assignment) -> None:
    """Let the worker be offered what the assignment ruled out.

    Cursors in other batches passed it; in its own batch only that of a prefetched HIT did.
    """
    mine = Participation.objects.filter(worker=returned.worker_id)
    # Lock all, always in the same order: a HIT prefetched at the same time must not move a cursor beyond them later.
    list(mine.select_for_update(of=("self",), no_key=True).order_by("pk").values_list("pk"))
    mine.exclude(batch=returned.batch_id).update(cursor=-1)
    PrefetchedHit.objects.filter(worker=returned.worker_id).update(cursor=-1)


def reopen_hit(hit_id: int, **changes: object) -> None:
    """Let a HIT take another assignment, and move it to the end of its queue."""
    ticket = next_ticket(hit_id)
    Hit.objects.filter(pk=hit_id).update(ticket=ticket, **changes)


def next_ticket(hit_id: int) -> int:
    """Take the next ticket, the end of the queue, of the HIT's batch."""
    batch_id = Hit.objects.values_list("batch_id", flat=True).get(pk=hit_id)
    Batch.objects.filter(pk=batch_id).update(next_ticket=F("next_ticket") + 1)
    return Batch.objects.values_list("next_ticket", flat=True).get(pk=batch_id) - 1


def extend(assignment: Assignment) -> bool:
    """Extend a lease once by its full length from now; False if it was extended before or is over."""
    row = Assignment.objects.filter(pk=assignment.pk, state=lifecycle.ACCEPTED, extended=False)
    return bool(row.update(extended=True, lease_until=assignment.batch.lease_end))


def overdue() -> QuerySet[Assignment]:
    """Assignments under way whose lease is over by the database's clock."""
    return Assignment.objects.filter(state=lifecycle.ACCEPTED, lease_until__lt=Now())


def expire_due(*, limit: int = 500, **filters: Any) -> int:
    """Expire overdue leases by the database's clock; returns how many. A sweep: safe to run anywhere and twice.

    `filters` narrow the assignments.
    """
    due = overdue().filter(**filters).select_related("batch")
    return sum(
        return_assignment(a, to=lifecycle.EXPIRED, only_if_over=True) for a in due.order_by("lease_until")[:limit]
    )
