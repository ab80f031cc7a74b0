"""What workers do with HITs of the MTurk API, by the verbs that their pages call."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.flow.work import next_assignment
from annotation.models import Assignment, Hit, User, Worker
from annotation.mturk_api.flow import external_submission

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>https://lab.example/task?x=1&amp;y=2</ExternalURL>'
    "<FrameHeight>0</FrameHeight></ExternalQuestion>"
)
TERMS: dict[str, Any] = {
    "Title": "Say what you see",
    "Description": "One picture, one word.",
    "Reward": "0.25",
    "AssignmentDurationInSeconds": 600,
}
HIT = TERMS | {"LifetimeInSeconds": 3600, "Question": QUESTION}


def worker(project: Any, name: str) -> Worker:
    """Somebody who has an account and agreed to the project's consent text."""
    user = User.objects.create_user(name, password="a long enough phrase")
    return Worker.objects.create(project=project, user=user, consented_version=1)


def accept(worker: Worker, hit_id: str) -> Assignment | None:
    """The worker's assignment on the HIT, if there is room."""
    hit = Hit.objects.select_related("batch").get(public_id=hit_id)
    return next_assignment.accept_hit(next_assignment.join_batch(worker, hit.batch), hit)


def submit(row: Assignment, **fields: str) -> Assignment:
    """Post the HIT's form."""
    external_submission.submit(row.public_id, list(fields.items()))
    row.refresh_from_db()
    return row


def work(worker: Worker, hit_id: str, **fields: str) -> Assignment:
    """Accept and submit."""
    row = accept(worker, hit_id)
    assert row is not None
    return submit(row, **(fields or {"word": "well"}))


def pass_time(seconds: float) -> None:
    """Let everything be so much older. The database's clock cannot be set, so what it is held against moves."""
    from django.db.models import F

    from annotation.mturk_api.models import Listing

    by = timedelta(seconds=seconds)
    Hit.objects.filter(closes_at__isnull=False).update(closes_at=F("closes_at") - by)
    Listing.objects.update(created_at=F("created_at") - by)
    Listing.objects.filter(due_at__isnull=False).update(due_at=F("due_at") - by)
    Assignment.objects.update(lease_until=F("lease_until") - by, accepted_at=F("accepted_at") - by)
    for name in ("submitted_at", "approved_at", "rejected_at", "auto_approve_at"):
        Assignment.objects.filter(**{f"{name}__isnull": False}).update(**{name: F(name) - by})


def later(seconds: float) -> Any:
    return timezone.now() + timedelta(seconds=seconds)
