"""Cleaning up after a refused launch of a draft that was only created for it."""

from __future__ import annotations

from django.db import transaction

from annotation.flow.people import round_attempts
from annotation.flow.projects import audit_log
from annotation.models import Batch, QualificationType


@transaction.atomic
def withdraw(batch: Batch) -> bool:
    """Delete a draft that was only created to be launched, and a qualification created with it; False otherwise."""
    # Lock: another process may be launching the draft.
    found = Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, state=Batch.State.DRAFT).first()
    if found is None:
        return False
    round = round_attempts.round_of(found)
    audit_log.record("removed", found)
    Batch.objects.filter(pk=found.pk).delete()
    if round is not None:
        _withdraw_type(round.grants, found)
    return True


def _withdraw_type(type: QualificationType, batch: Batch) -> None:
    used = type.rounds.exists() or type.qualifications.exists() or type.requests.exists()
    if type.created_at >= batch.created_at and not used:
        audit_log.record("removed", type)
        type.delete()
