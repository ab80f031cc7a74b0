"""Listeners that write outbox rows for batches on marketplaces; other batches cost no query.

Each imports what it calls, so that a command that only reads files does not load half of the engine.
"""

from annotation import events
from annotation.models import Assignment

ORDER = 300


def batch_launching(event: events.BatchLaunching) -> None:
    """Raise Refused if the batch's marketplace cannot take it."""
    from annotation.marketplaces.flow import publications, studies

    if event.batch.on_marketplace:
        (studies if studies.is_study(event.batch) else publications).prepare(event.batch)


def hits_created(event: events.HitsCreated) -> None:
    from annotation.marketplaces.flow import publications, studies

    if not event.batch.on_marketplace or studies.is_study(event.batch):
        return
    publications.intend(event.batch, event.hits)
    if event.gold_among is not None:
        publications.mingle(event.batch, event.hits, others=event.gold_among)


def batch_launched(event: events.BatchLaunched) -> None:
    from annotation.marketplaces.flow import studies, study_arms

    if event.batch.on_marketplace and studies.is_study(event.batch) and study_arms.is_launched(event.batch):
        studies.make(study_arms.lead_of(event.batch))


def standing_changed(
    event: events.BatchPaused | events.BatchResumed | events.BatchClosed | events.AssignmentsAdded,
) -> None:
    """Send the HITs' new state and number of assignments soon; a study follows its batch."""
    from annotation.marketplaces.flow import publications, studies

    if not event.batch.on_marketplace:
        return
    publications.hurry(event.batch)
    if isinstance(event, events.BatchPaused | events.BatchClosed):
        studies.follow(event.batch, studies.Goal.PAUSED)
    elif isinstance(event, events.BatchResumed):
        studies.follow(event.batch, studies.Goal.ACTIVE)


def _is_visited(assignment: Assignment) -> bool:
    return assignment.batch.on_marketplace and assignment.worker.user_id is not None


def assignment_accepted(event: events.AssignmentAccepted) -> None:
    if _is_visited(event.assignment):
        from annotation.marketplaces.flow import visits

        visits.note_accepted(event.assignment)


def response_submitted(event: events.ResponseSubmitted) -> None:
    if event.revision == 1 and _is_visited(event.assignment):
        from annotation.marketplaces.flow import visits

        visits.note_submitted(event.assignment)


def assignment_approved(event: events.AssignmentApproved) -> None:
    if _is_visited(event.assignment):
        from annotation.marketplaces.flow import visit_decisions

        visit_decisions.note_approved(event.assignment)


def assignment_rejected(event: events.AssignmentRejected) -> None:
    """Raise Refused where a marketplace pays for more than this response."""
    if _is_visited(event.assignment):
        from annotation.marketplaces.flow import visit_decisions

        visit_decisions.refuse_single(event.assignment, event.source)
