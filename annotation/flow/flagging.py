"""Reports that something is wrong with an item, and what the requester decides on them."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from annotation.flow import attempts, holding, recording, reserving, webhook_events
from annotation.flow.assigning import free_place, give_back
from annotation.models import Assignment, Batch, Flag, Hit

REASONS = ["unclear", "wrong_context", "several_answers", "no_answer", "broken", "harmful", "other"]


@transaction.atomic
def flag(assignment: Assignment, *, reason: str, text: str) -> Flag:
    """Note what the worker reports and, where the assignment is under way, free its place."""
    noted = Flag.objects.create(assignment=assignment, reason=reason, text=text)
    give_back(assignment)
    return noted


@transaction.atomic
def void(hit: Hit, *, reason: str) -> bool:
    """Take a HIT out of the scores and off the queue; False when it was out already. Its answers stay.

    What was set aside for its empty places goes back to the budget.
    """
    voided = Hit.objects.filter(pk=hit.pk, voided_at__isnull=True)
    done = voided.update(voided_at=Now(), void_reason=reason)
    flags = Flag.objects.filter(assignment__hit=hit, state=Flag.State.OPEN)
    flags.update(state=Flag.State.VOIDED, decided_at=Now())
    if done:
        attempts.recount(hit)
        reserving.covered(hit.batch)
        holding.settled(hit.pk)
        recording.record("voided", hit, reason=reason)
        webhook_events.voided(hit)
    return bool(done)


@transaction.atomic
def restore(hit: Hit) -> bool:
    """Undo `void`: the HIT counts again and, if it has room, is offered again; its reports are open again.

    Raises Overdrawn where the budget does not cover its places.
    """
    Batch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)  # before the HIT: the lock order of assigning
    restored = Hit.objects.filter(pk=hit.pk, voided_at__isnull=False).update(voided_at=None, void_reason="")
    if restored:
        flags = Flag.objects.filter(assignment__hit=hit, state=Flag.State.VOIDED)
        flags.update(state=Flag.State.OPEN, decided_at=None)
        free_place(hit.pk)
        attempts.recount(hit)
        reserving.level(hit.batch)
        holding.settle(hit.pk)
        recording.record("restored", hit)
        webhook_events.voided(hit, back=True)
    return bool(restored)


def keep(noted: Flag) -> bool:
    """Close a report and leave the item as it is; False when it was decided before."""
    row = Flag.objects.filter(pk=noted.pk, state=Flag.State.OPEN)
    return bool(row.update(state=Flag.State.KEPT, decided_at=Now()))


@transaction.atomic
def reopen(noted: Flag) -> bool:
    """Undo the decision on a report, whichever it was; False when it is open."""
    kept = Flag.objects.filter(pk=noted.pk, state=Flag.State.KEPT)
    if kept.update(state=Flag.State.OPEN, decided_at=None):
        return True
    voided = Flag.objects.filter(pk=noted.pk, state=Flag.State.VOIDED).exists()
    return voided and restore(noted.assignment.hit)
