"""Webhook events of a project, each a row written in the same transaction as the change.

`Project.webhook_kinds` comes with the project: where no webhook asks for a kind, nothing is queried. No event holds a
response, gold, a name or an address; people are pseudonyms.
"""

from annotation import events
from annotation.models import Assignment, Batch, Hit
from annotation.webhooks import protocol
from annotation.webhooks.deliveries import is_subscribed, notice, queue_event

ORDER = 200


def response_submitted(event: events.ResponseSubmitted) -> None:
    project = event.assignment.batch.project
    if is_subscribed(project, protocol.SUBMISSION):
        type = "assignment.submitted" if event.revision == 1 else "assignment.revised"
        facts = {"revision": event.revision, "late": event.late, "counts": event.counts}
        queue_event(project, type, **_ids(event.assignment, event.hit), **facts)


def response_reviewed(event: events.ResponseReviewed) -> None:
    review, reviewer, project = event.review, event.reviewer, event.assignment.batch.project
    if is_subscribed(project, protocol.RESULTS):
        by = project.reviewer_pseudonym(reviewer.pk) if reviewer else None
        facts = {"revision": review.revision, "decision": review.decision, "reviewer": by}
        queue_event(project, "response.reviewed", **_ids(event.assignment, event.assignment.hit), **facts)


def assignment_approved(event: events.AssignmentApproved) -> None:
    _decided(event.assignment, "assignment.approved", source=event.source, amount=f"{event.reward.amount:.2f}")


def assignment_rejected(event: events.AssignmentRejected) -> None:
    _decided(event.assignment, "assignment.rejected", source=event.source)


def bonus_paid(event: events.BonusPaid) -> None:
    _decided(event.assignment, "bonus.paid", kind=event.payment.kind, amount=f"{event.payment.amount:.2f}")


def _decided(row: Assignment, type: str, /, **facts: str) -> None:
    project = row.batch.project
    if is_subscribed(project, protocol.PAY):
        queue_event(project, type, **_ids(row, row.hit), **facts)


def _ids(row: Assignment, hit: Hit) -> dict[str, str]:
    worker = row.batch.project.pseudonym(row.worker_id)
    return {"batch": row.batch.slug, "hit": hit.public_id, "assignment": row.public_id, "worker": worker}


def hit_changed(event: events.HitExcluded | events.HitRestored) -> None:
    batch, type = event.hit.batch, "hit.excluded" if isinstance(event, events.HitExcluded) else "hit.restored"
    queue_event(batch.project, type, batch=batch.slug, hit=event.hit.public_id)


def batch_opened(event: events.BatchLaunched | events.BatchResumed) -> None:
    _batch_moved(event.batch, "batch.opened")


def batch_paused(event: events.BatchPaused) -> None:
    _batch_moved(event.batch, "batch.paused")


def batch_closed(event: events.BatchClosed) -> None:
    if is_subscribed(event.batch.project, protocol.PROGRESS):
        notice(event.batch)  # progress comes before the close
    _batch_moved(event.batch, "batch.closed")


def _batch_moved(batch: Batch, type: str) -> None:
    queue_event(batch.project, type, batch=batch.slug, task=batch.task, hits=batch.size)


def results_dataset_created(event: events.ResultsDatasetCreated) -> None:
    batch = event.batch
    queue_event(batch.project, "dataset.created", batch=batch.slug, dataset=event.dataset.slug, items=event.items)


def job_ended(event: events.JobEnded) -> None:
    job = event.job
    queue_event(job.project, "job.ended", job=job.public_id, kind=job.kind, state=event.state)
