"""Listeners that write outbox rows for batches on marketplaces; other batches cost no query."""

from annotation import events
from annotation.marketplaces.flow import publications

ORDER = 300  # last


def register() -> None:
    events.listen(events.BatchLaunching, batch_launching, order=ORDER)
    events.listen(events.HitsCreated, hits_created, order=ORDER)
    events.listen(events.BatchPaused, standing_changed, order=ORDER)
    events.listen(events.BatchResumed, standing_changed, order=ORDER)
    events.listen(events.BatchClosed, standing_changed, order=ORDER)
    events.listen(events.AssignmentsAdded, standing_changed, order=ORDER)


def batch_launching(event: events.BatchLaunching) -> None:
    """Raise Refused if the batch's marketplace cannot take it."""
    if event.batch.on_marketplace:
        publications.prepare(event.batch)


def hits_created(event: events.HitsCreated) -> None:
    if not event.batch.on_marketplace:
        return
    publications.intend(event.batch, event.hits)
    if event.gold_among is not None:
        publications.mingle(event.batch, event.hits, others=event.gold_among)


def standing_changed(
    event: events.BatchPaused | events.BatchResumed | events.BatchClosed | events.AssignmentsAdded,
) -> None:
    """Send the HITs' new state and number of assignments soon."""
    if event.batch.on_marketplace:
        publications.hurry(event.batch)
