"""Publishing HITs on a marketplace, each exactly once, even after crashes.

A row is the intent to publish. It is leased, and the time of its first attempt committed, before anything is sent.
While the marketplace remembers tokens, retries send the same token; later they first look for the HIT, twice, with
enough time between.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from annotation.flow.data.item_writer import no_progress
from annotation.marketplaces.base import AlreadyThere, TryAgain
from annotation.marketplaces.flow import connections, hit_terms, outbox
from annotation.marketplaces.flow.connections import HitSession, MarketplacePaused, Patience
from annotation.marketplaces.models import Connection, Publication
from annotation.models import Batch, Hit, clock
from annotation.models.sealed import Unsealable

OPEN_FOR = timedelta(days=30)  # until a HIT expires, by default
FIRST_SYNC = timedelta(seconds=30)
State = Publication.State
OnProgress = Callable[[int, int], None]


def prepare(batch: Batch) -> None:
    """Prepare the launch of a batch on a marketplace. Raises Refused if it cannot be launched.

    Marketplaces pay automatically at some time: after a week unless the requester set another time.
    """
    connections.refuse_closed(batch.marketplace.connection)
    hit_terms.refuse_crowded(batch)
    if batch.auto_approval is None:
        Batch.objects.filter(pk=batch.pk).update(auto_approval=hit_terms.WEEK)
        batch.auto_approval = hit_terms.WEEK


def intend(batch: Batch, hits: Sequence[Hit]) -> None:
    """Write publications for these stored HITs; nothing is sent before the batch opens."""
    installation, now = connections.installation_id(batch.project), clock.now()
    Publication.objects.bulk_create(
        Publication(
            hit=hit,
            connection_id=batch.marketplace.connection_id,
            annotation=f"{installation}:{hit.public_id}",
            reward=hit.promised,
            wanted=hit.wanted,
            closes_at=hit.closes_at or now + OPEN_FOR,
            due_at=now + timedelta(microseconds=place),  # sent in this order
        )
        for place, hit in enumerate(hits)
    )


def mingle(batch: Batch, checks: Sequence[Hit], *, others: int) -> None:
    """Mix hidden gold at seeded positions among the `others` HITs that were written before."""
    after = {check.pk: Random(f"{batch.seed}/{check.ticket}").randrange(others) for check in checks}
    ahead = of_batch(batch).filter(hit__check_item=False, hit__ticket__in=set(after.values()))
    times = dict(ahead.values_list("hit__ticket", "due_at"))
    rows = list(Publication.objects.filter(hit__in=after))
    for row in rows:
        row.due_at = times[after[row.hit_id]]
    Publication.objects.bulk_update(rows, ["due_at"])


def of_batch(batch: Batch) -> QuerySet[Publication]:
    return Publication.objects.filter(hit__batch=batch)


def counts(batch: Batch) -> dict[str, int]:
    """{"waiting", "sending", "published", "failed", "all"}: the batch's publications by state."""
    by_state = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    return of_batch(batch).aggregate(all=Count("pk"), **by_state)


def due(connection: Connection) -> QuerySet[Publication]:
    """Due publications of open batches that are not leased."""
    rows = Publication.objects.unsent().filter(outbox.FREE, connection=connection, due_at__lte=Now())
    return rows.filter(hit__batch__state=Batch.State.OPEN)


def take(connection: Connection, *, patience: Patience, batch: Batch | None = None) -> Publication | None:
    """Lease a due publication and commit that before any call; `now` is then the database's time."""
    rows = due(connection).filter(hit__batch=batch) if batch else due(connection)
    related, unsent = ("hit__batch__project", "connection"), Publication.objects.unsent()
    taken: Publication | None = outbox.take(rows.order_by("due_at", "pk"), unsent, *related, patience=patience)
    return taken


def send_due(
    connection: Connection,
    *,
    batch: Batch | None = None,
    progress: OnProgress = no_progress,
    patience: Patience | None = None,
    seconds: float = 3600,
) -> int:
    """Publish due HITs, of one batch or all, for at most `seconds`; returns the number published. Safe to run twice.

    A marketplace that fails too often ends the run; the rest is sent after its pause.
    """
    patience, end, sent = patience or Patience(), time.monotonic() + seconds, 0
    with suppress(MarketplacePaused, Unsealable):
        session = HitSession(connection, patience=patience)
        while time.monotonic() < end and (found := take(connection, patience=patience, batch=batch)):
            sent += attempt(found, session)
            if batch is not None:
                standing = counts(batch)
                progress(standing["published"], standing["all"])
    return sent


def attempt(publication: Publication, session: HitSession) -> bool:
    """One attempt to publish a leased publication; True if it succeeded."""
    ensure, note = partial(_ensure_there, publication, session), partial(adopt, publication)
    return outbox.attempt(publication, session, ensure, note)


def adopt(publication: Publication, external_id: str, **more: Any) -> bool:
    """Record the HIT's id on the marketplace; False if it is recorded already."""
    stamps = {"external_id": external_id, "error": "", "lease_until": None, "due_at": Now() + FIRST_SYNC, **more}
    since = (State.WAITING, State.SENDING, State.FAILED)
    return publication.move(State.PUBLISHED, since=since, **stamps)


def _ensure_there(publication: Publication, session: HitSession) -> str:
    type_id = _type_of(publication, session)
    look = partial(_found_by_annotation, publication, session)
    if found := outbox.look_where_forgotten(publication, session, look):
        return found
    Publication.objects.filter(pk=publication.pk).update(last_try_at=Now(), external_type=type_id)
    seconds = (publication.closes_at - publication.now).total_seconds()  # type: ignore[attr-defined]  # `now` by outbox.take
    try:
        return session.call(session.marketplace.publish, hit_terms.offer_of(publication, type_id, seconds=seconds))
    except AlreadyThere as there:
        if there.external_id:
            return there.external_id
        raise TryAgain(str(there)) from None


def _type_of(publication: Publication, session: HitSession) -> str:
    hit = publication.hit
    same = (hit.batch_id, publication.reward, hit.reward)
    if same not in session.types:
        session.types[same] = session.call(session.marketplace.ensure_type, hit_terms.terms_of(publication, session))
    return session.types[same]


def _found_by_annotation(publication: Publication, session: HitSession, since: datetime) -> str:
    """Search all HITs there, once for all publications that a listing of this age serves."""
    seen = session.seen
    earliest = max(since, publication.missed_at + session.patience.lag) if publication.missed_at else since
    if seen is None or seen[0] < earliest:
        rows = session.call(lambda: list(session.marketplace.list_hits()))
        seen = (publication.now, {row.annotation: row.external_id for row in rows})  # type: ignore[attr-defined]  # `now` by outbox.take
        session.seen = seen
    return seen[1].get(publication.annotation, "")


def try_again(batch: Batch) -> int:
    """Retry publications that failed for good, once the cause is fixed; returns how many."""
    return of_batch(batch).filter(state=State.FAILED).update(state=State.WAITING, tries=0, due_at=Now(), error="")


def hurry(batch: Batch) -> None:
    """Send changes of the batch's HITs (open or closed, assignments) soon."""
    of_batch(batch).filter(state=State.PUBLISHED).update(due_at=Now())


def sweep(*, seconds: float = 10.0) -> int:
    """Publish due HITs on every marketplace, for at most `seconds` each."""
    waiting = Publication.objects.unsent().filter(due_at__lte=Now()).values("connection")
    return sum(send_due(connection, seconds=seconds) for connection in connections.awake(waiting))
