"""Answers to HITs of other programs, as their pages post them: by the assignment's id alone, stored once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.flow import policies, submitting
from annotation.flow.refusal import Conflict, Refused
from annotation.models import Assignment, clock
from annotation.pure import lifecycle
from annotation.pure.frame_address import NOT_AVAILABLE
from annotation.registry import task_type

KEY = "external"  # of the one answer that an assignment gets from outside


class InPreview(Refused):
    """The page was only looked at: there is no assignment yet."""


class Unknown(Refused):
    """There is no assignment of that id that takes answers from outside."""


@dataclass(frozen=True, slots=True)
class Stored:
    """`again`: it had been submitted before. `same`: what stands is what was sent now."""

    assignment: Assignment
    again: bool = False
    same: bool = True
    late: bool = False


def submit(public_id: str, fields: Sequence[Sequence[str]]) -> Stored:
    """Store what a HIT's page posted; whoever knows the unguessable id may, once: the first answer stands.

    Raises InPreview, Unknown, and Refused with a sentence where the answer cannot be stored.
    """
    if public_id in {"", NOT_AVAILABLE}:
        raise InPreview(_("This was a preview. Accept the HIT first, then send your answer."))
    row = assignment_of(public_id)
    answer = {"fields": [list(field) for field in fields]}
    if row.state == lifecycle.SUBMITTED:
        return _again(row, answer)
    for problem in task_type(row.batch.task).check(row.hit.payload, answer):
        raise Refused(_(problem.message) % problem.values)
    taken = max(0.0, (clock.now() - row.accepted_at).total_seconds())
    try:
        receipt = submitting.submit(row, answer, key=KEY, base=0, active_seconds=min(taken, row.batch.lease_seconds))
    except Conflict:  # the same page sent it twice at once
        row.refresh_from_db()
        return _again(row, answer)
    policies.apply(row)
    return Stored(row, late=receipt.late)


def assignment_of(public_id: str) -> Assignment:
    """The assignment of that id on a HIT that came by the protocol. Raises Unknown."""
    rows = Assignment.objects.select_related("hit", "batch__project", "worker")
    known = rows.filter(public_id=public_id, hit__listing__isnull=False)
    row = known.first() if re.fullmatch(r"[\w-]{1,64}", public_id) else None
    if row is None:
        raise Unknown(_("This assignment is not known here. Open the HIT from “Your work” and send it again."))
    return row


def _again(row: Assignment, answer: dict[str, object]) -> Stored:
    current = row.current
    return Stored(row, again=True, same=current is not None and current.answer == answer, late=row.late)
