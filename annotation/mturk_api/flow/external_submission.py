"""Responses to HITs of the MTurk API, posted by their pages and authenticated by the assignment's id, stored once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict, Refused
from annotation.flow.work import submissions
from annotation.models import Assignment, clock
from annotation.mturk_api.flow import policy_actions
from annotation.pure.batches import lifecycle
from annotation.pure.mturk.mturk_xml import NOT_AVAILABLE
from annotation.registry import task_type

KEY = "external"  # of the only response that such an assignment gets


class InPreview(Refused):
    """The page was only a preview, without an assignment."""


class Unknown(Refused):
    """There is no assignment with that id from the MTurk API."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Result of a submission. `again`: it was submitted before. `same`: the stored response equals this one.

    `returned`: the worker had returned the assignment.
    """

    assignment: Assignment
    again: bool = False
    same: bool = True
    late: bool = False
    returned: bool = False


def submit(public_id: str, fields: Sequence[Sequence[str]]) -> Stored:
    """Store the fields posted by a HIT's page. The unguessable id authorises this once: the first response counts.

    Raises InPreview, Unknown, and Refused with a sentence if the response cannot be stored.
    """
    if public_id in {"", NOT_AVAILABLE}:
        raise InPreview(_("This was a preview. Accept the HIT first, then submit your response."))
    row = assignment_of(public_id)
    answer = {"fields": [list(field) for field in fields]}
    if row.state == lifecycle.SUBMITTED:
        return _again(row, answer)
    for problem in task_type(row.batch.task).check(row.hit.payload, answer):
        raise Refused(_(problem.message) % problem.values)
    taken = max(0.0, (clock.now() - row.accepted_at).total_seconds())
    try:
        receipt = submissions.submit(row, answer, key=KEY, base=0, active_seconds=min(taken, row.batch.lease_seconds))
    except Conflict:  # the page sent it twice at the same time
        row.refresh_from_db()
        return _again(row, answer)
    policy_actions.apply(row)
    return Stored(row, late=receipt.late, returned=row.state == lifecycle.RETURNED)


def assignment_of(public_id: str) -> Assignment:
    """The assignment with that id on a HIT of the MTurk API. Raises Unknown."""
    rows = Assignment.objects.select_related("hit", "batch__project", "worker")
    known = rows.filter(public_id=public_id, hit__listing__isnull=False)
    row = known.first() if re.fullmatch(r"[\w-]{1,64}", public_id) else None
    if row is None:
        raise Unknown(_("This assignment is unknown. Open the HIT from “Your work” and submit it again."))
    return row


def _again(row: Assignment, answer: dict[str, Any]) -> Stored:
    current = row.current
    return Stored(row, again=True, same=current is not None and current.answer == answer, late=row.late)
