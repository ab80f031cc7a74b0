"""Synchronisation of our rows with a marketplace's reports on our HITs, in both directions.

The marketplace is polled, more often while something happens; its reports are authoritative for its side.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.batches import hidden_gold
from annotation.flow.data.item_writer import no_progress
from annotation.flow.errors import Refused
from annotation.flow.money.ledger import Overdrawn
from annotation.flow.review import assignment_approval
from annotation.marketplaces.base import Denied, Gone, HitStatus, MarketplaceError, TryAgain, Work, as_json
from annotation.marketplaces.flow import connections, hit_terms, publications
from annotation.marketplaces.flow.connections import HitSession, MarketplacePaused, Patience, installation_id, reached
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.models import Arrival, Connection, Publication, connection_of
from annotation.models import Assignment, Batch, Payment, WorkerBlock, clock
from annotation.models.sealed import Unsealable
from annotation.pure.people import requirements

SHORTEST, LONGEST = 30.0, 900.0  # seconds between two look-ups of a HIT
MANY = 20  # HITs from which one listing of all takes less time than a look-up each
LATE = timedelta(minutes=10)  # after its deadline an assignment that is not submitted there never will be
NEAR = 60.0  # seconds by which two closing times may differ and count as equal
AT_ONCE = datetime(1970, 1, 2, tzinfo=UTC)
ONLY_THERE, ONLY_HERE, ANOTHER = "only_there", "only_here", "another_worker"
APPROVED_THERE, REJECTED_THERE = "approved_there", "rejected_there"
# Problems that a look-up sets and clears.
SYNC_PROBLEMS = {ONLY_THERE, ONLY_HERE, ANOTHER, APPROVED_THERE, REJECTED_THERE}


@dataclass
class SyncResult:
    """The result of a run. `orphans`: HITs on the marketplace with our mark that have no row here."""

    looked: int = 0
    adopted: int = 0
    troubles: int = 0
    orphans: list[dict[str, str]] = field(default_factory=list)


def due(connection: Connection) -> QuerySet[Publication]:
    """Published HITs that are due for a look-up."""
    published = Publication.objects.filter(FREE, connection=connection, state=Publication.State.PUBLISHED)
    return published.filter(due_at__lte=Now()).select_related("hit__batch", "connection")


def sync_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> SyncResult:
    """Look up due HITs, for at most `seconds`. Safe to run twice."""
    found, end = SyncResult(), time.monotonic() + seconds
    # Errors that end it early are stored in the connection's row, and the next run continues.
    with suppress(MarketplacePaused, Unsealable, TryAgain):
        session = HitSession(connection, patience=patience or Patience())
        rows = list(due(connection).order_by("due_at")[:1000])
        states = _listed(session) if len(rows) > MANY else {}
        for publication in rows:
            if time.monotonic() > end:
                break
            found.looked += look_up(publication, session, states.get(publication.external_id or ""))
        for batch in {row.hit.batch for row in rows}:
            _qualify(batch, session)
    found.troubles = troubles(connection).count()
    return found


def _listed(session: HitSession) -> dict[str, HitStatus]:
    """The status of every HIT there, by id; {} if listing is refused: each is then looked up by itself."""
    try:
        return {one.external_id: one for one in session.call(lambda: list(session.marketplace.list_hits()))}
    except Denied:
        return {}


def _qualify(batch: Batch, session: HitSession) -> None:
    """Update qualifications there, if the batch requires one of ours or excludes somebody."""
    if not session.marketplace.offers("grant"):
        return
    has_own = any(one["type"] not in requirements.SYSTEM for one in batch.requirements)
    if has_own or hidden_gold.may_pause(batch) or WorkerBlock.objects.filter(worker__project=batch.project_id).exists():
        hit_terms.grant_there(batch, session)


def look_up(publication: Publication, session: HitSession, standing: HitStatus | None = None) -> bool:
    """Look up one HIT: its state, its submissions, and required changes. True if that succeeded."""
    free = Publication.objects.filter(FREE, pk=publication.pk)
    if not free.update(lease_until=Now() + session.patience.lease):
        return False  # another process is looking
    try:
        standing = standing or session.call(session.marketplace.look, publication.external_id or "")
        moved = _take_in(publication, standing, session)
        moved |= _aim(publication, standing, session)
    except Gone as gone:
        stamps: dict[str, Any] = {"due_at": None, "error": str(gone), "remote": {"status": "Disposed"}}
    except MarketplaceError as failed:
        wait = session.patience.delay(4, session.rng)
        stamps = {"due_at": Now() + wait, "error": str(failed)[:1000]}
    except MarketplacePaused:
        Publication.objects.filter(pk=publication.pk).update(lease_until=None)
        raise
    else:
        wait_seconds = _wait(publication, moved=moved)
        stamps = {"remote": as_json(standing) | {"wait": wait_seconds}, "error": "", "synced_at": Now()}
        stamps["due_at"] = None if _is_over(standing) else Now() + timedelta(seconds=wait_seconds)
    Publication.objects.filter(pk=publication.pk).update(lease_until=None, **stamps)
    return not stamps["error"]


def _is_over(standing: HitStatus) -> bool:
    """Whether only our own actions can still change a HIT: it is over or full, and everything is decided."""
    over = standing.expires_at is not None and standing.expires_at <= clock.now()
    left = standing.available if over else 0
    return standing.pending == 0 and standing.completed + left >= standing.places


def _wait(publication: Publication, *, moved: bool) -> float:
    """Half a minute after a change, then twice as long each time, up to a quarter of an hour."""
    before = float(publication.remote.get("wait", SHORTEST / 2))
    return SHORTEST if moved else min(LONGEST, max(SHORTEST, 2 * before))


def _take_in(publication: Publication, standing: HitStatus, session: HitSession) -> bool:
    """Read the HIT's assignments if they may have changed; True if there was news."""
    arrivals = list(publication.arrivals.select_related("assignment__batch"))
    known = [one for one in arrivals if one.remote_state]
    decided = [one for one in known if one.remote_state != "Submitted"]
    quiet = standing.places - standing.pending - standing.available == len(known) and standing.completed == len(decided)
    awaited = any(not one.remote_state and (one.posted_at or one.is_answered) for one in arrivals)
    if quiet and not awaited:
        return False
    moved = False
    for work in session.call(lambda: list(session.marketplace.assignments(publication.external_id or ""))):
        moved |= take_in(publication, work)
    _miss(arrivals)
    return moved


def take_in(publication: Publication, work: Work) -> bool:
    """Compare one assignment there with ours; True if it was news."""
    key = {"connection": publication.connection, "external_assignment": work.external_id}
    arrival, new = Arrival.objects.get_or_create(
        **key, external_worker=work.worker, defaults={"publication": publication, "submit_to": ""}
    )
    trouble = _trouble(arrival, work)
    kept = {"answer": work.answer} if trouble == ONLY_THERE else {}
    times = {"submitted": work.submitted_at, "auto_approval": work.auto_approval_at, "decided": work.decided_at}
    stamps_there = {name: at.timestamp() for name, at in times.items() if at}
    stamps = {"remote_state": work.state, "remote": arrival.remote | stamps_there | kept, "synced_at": Now()}
    if trouble or arrival.trouble in SYNC_PROBLEMS:
        stamps["trouble"] = trouble
    Arrival.objects.filter(pk=arrival.pk).update(**stamps)
    return new or arrival.remote_state != work.state


def _trouble(arrival: Arrival, work: Work) -> str:
    if not arrival.is_answered:
        same = Arrival.objects.filter(
            connection=arrival.connection_id, external_assignment=work.external_id, assignment__state="submitted"
        )
        return ANOTHER if same.exclude(pk=arrival.pk).exists() else ONLY_THERE
    if work.state == "Approved":
        return _approved_there(arrival.work)
    return REJECTED_THERE if work.state == "Rejected" and arrival.work.approval != "rejected" else ""


def _approved_there(row: Assignment) -> str:
    """It was paid there, automatically or by hand: approve it here, without sending its reward again."""
    if row.approval == Assignment.Approved.REJECTED:
        return APPROVED_THERE
    try:
        assignment_approval.approve(row, source="auto")
    except Overdrawn:
        return APPROVED_THERE
    for reward in Payment.objects.filter(assignment=row, kind=Payment.Kind.REWARD):
        reward.move(Payment.State.PAID, since=(Payment.State.DUE, Payment.State.FAILED), paid_at=Now(), error="")
    return ""


def _miss(arrivals: Iterable[Arrival]) -> None:
    """Mark arrivals with a response here that was never submitted there, once it cannot be any more."""
    for one in arrivals:
        if not one.is_answered or one.trouble:
            continue
        end = one.arrived_at + timedelta(seconds=one.work.batch.lease_seconds) + LATE
        if clock.now() > end:
            Arrival.objects.filter(pk=one.pk, remote_state="").update(trouble=ONLY_HERE)


def _aim(publication: Publication, standing: HitStatus, session: HitSession) -> bool:
    """Change the HIT's assignments and expiry there to our values; True if they differed. Idempotent."""
    hit = publication.hit
    given_out = hit.batch.state == Batch.State.OPEN and hit.excluded_at is None and not hidden_gold.is_over(hit)
    wanted = max(publication.wanted, hit.wanted)
    now = clock.now()
    until = publication.closes_at if given_out else now
    there = standing.expires_at or now
    if more := given_out and until > now and wanted > standing.places:
        token = hit_terms.token_for("places", publication.annotation, wanted)
        session.call(session.marketplace.extend, standing.external_id, wanted, token=token)
    if other := abs((max(until, now) - max(there, now)).total_seconds()) > NEAR:
        when = until if until > now else AT_ONCE
        session.call(session.marketplace.expire, standing.external_id, when)
    return more or other


def troubles(connection: Connection, *, batch: Batch | None = None) -> QuerySet[Arrival]:
    """Arrivals with problems that somebody must look at, newest first."""
    rows = Arrival.objects.filter(connection=connection).exclude(trouble="")
    rows = rows.filter(publication__hit__batch=batch) if batch else rows
    return rows.select_related("assignment", "publication__hit").order_by("-pk")


def search(connection: Connection, *, patience: Patience | None = None) -> SyncResult:
    """Search all HITs on the marketplace: adopt ours without a known id, list orphans. Raises MarketplaceError."""
    session, found = HitSession(connection, patience=patience or Patience()), SyncResult()
    mark = installation_id(connection.project) + ":"
    for standing in session.call(lambda: list(session.marketplace.list_hits())):
        if not standing.annotation.startswith(mark):
            continue
        row = Publication.objects.filter(annotation=standing.annotation).first()
        if row is None or row.external_id not in {None, standing.external_id}:
            found.orphans.append({"id": standing.external_id, "title": standing.title, "status": standing.status})
        elif row.external_id is None:
            found.adopted += publications.adopt(row, standing.external_id)
        found.looked += 1
    return found


def catch_up(batch: Batch, *, progress: Callable[[int, int], None] = no_progress) -> dict[str, Any]:
    """Look up every HIT of the batch now, and search for orphans; returns the result as JSON.

    Raises Refused if the marketplace does not answer.
    """
    connection = connection_of(batch)
    if connection is None:
        raise Refused(_("This batch is not on a marketplace."))
    with reached(connection):
        found = search(connection)
        publications.hurry(batch)
        counts = sync_due(connection)
    progress(counts.looked, counts.looked)
    return {
        "looked": counts.looked,
        "adopted": found.adopted,
        "troubles": troubles(connection, batch=batch).count(),
        "orphans": found.orphans,
    }


def end_stray(batch: Batch, external_id: str) -> bool:
    """End an orphan on the batch's marketplace, a HIT with our mark that we do not know; False if it is not one.

    Raises Refused if the marketplace does not answer.
    """
    connection = connection_of(batch)
    if connection is None or not external_id.isalnum():
        return False
    with reached(connection):
        session = HitSession(connection, patience=Patience())
        standing = session.call(session.marketplace.look, external_id)
        is_own = standing.annotation.startswith(installation_id(connection.project) + ":")
        if not is_own or Publication.objects.filter(connection=connection, external_id=external_id).exists():
            return False
        session.call(session.marketplace.expire, external_id, AT_ONCE)
    return True


def keep_open(batch: Batch, until: datetime) -> int:
    """Change when the batch's HITs expire; returns how many it concerns."""
    publications.hurry(batch)
    return publications.of_batch(batch).update(closes_at=until)


def sweep(*, seconds: float = 10.0) -> int:
    """Look up due HITs on every marketplace, for at most `seconds` each; returns the number of HITs."""
    waiting = Publication.objects.filter(state=Publication.State.PUBLISHED, due_at__lte=Now()).values("connection")
    return sum(sync_due(connection, seconds=seconds).looked for connection in connections.awake(waiting))
