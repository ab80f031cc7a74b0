"""What a launch leaves behind where it cannot be and nobody saved a draft before: nothing."""

from __future__ import annotations

from django.db import transaction

from annotation.flow import attempts, recording
from annotation.models import Batch, QualificationType


@transaction.atomic
def withdraw(batch: Batch) -> bool:
    """Remove a draft that was only made to be launched, and a qualification that was made with it; False otherwise."""
    found = Batch.objects.select_for_update(no_key=True).filter(pk=batch.pk, state=Batch.State.DRAFT).first()
    if found is None:
        return False
    round = attempts.round_of(found)
    recording.record("removed", found)
    Batch.objects.filter(pk=found.pk).delete()
    if round is not None:
        _withdraw_type(round.grants, found)
    return True


def _withdraw_type(type: QualificationType, batch: Batch) -> None:
    used = type.rounds.exists() or type.qualifications.exists() or type.requests.exists()
    if type.created_at >= batch.created_at and not used:
        recording.record("removed", type)
        type.delete()
