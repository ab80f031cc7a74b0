"""Reading studies from their marketplaces: their submissions are taken in, groups brought into step, books compared.

It works alone; events of the marketplace only let it run earlier.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.data.item_writer import no_progress
from annotation.flow.errors import Refused
from annotation.flow.notifications import worker_messages
from annotation.marketplaces.base import MarketplaceError, TryAgain
from annotation.marketplaces.flow import bonuses, differences, groups, visit_decisions, visit_states
from annotation.marketplaces.flow.connections import MarketplacePaused, Patience, StudySession, awake, reached
from annotation.marketplaces.flow.differences import FoundDifference
from annotation.marketplaces.flow.payments import send_messages
from annotation.marketplaces.models import Connection, Difference, PanelStudy, ReceivedEvent, Visit, VisitBonus
from annotation.marketplaces.study_base import ReceivedMessage, Status
from annotation.models import Assignment, Batch, Message, Worker, clock
from annotation.models.sealed import Unsealable

OFTEN, SELDOM = timedelta(minutes=1), timedelta(minutes=15)  # between two reads: of studies wanted active, of others
WATCHED = timedelta(days=60)  # a stopped study is read no more after that


def due(connection: Connection | None = None) -> QuerySet[PanelStudy]:
    """Studies on their marketplaces that were not read for a while."""
    rows = PanelStudy.objects.filter(external_id__isnull=False).exclude(standing__in=["draft", ""])
    rows = rows.filter(connection=connection) if connection else rows
    # a full study has stopped there, while its last participants still work
    old = Q(synced_at__isnull=True) | Q(goal=PanelStudy.Goal.ACTIVE, synced_at__lt=Now() - OFTEN)
    old |= Q(synced_at__lt=Now() - SELDOM, created_at__gt=Now() - WATCHED)
    return rows.filter(old).select_related("batch__project", "connection")


def sync(study: PanelStudy, session: StudySession, *, deep: bool = False) -> int:
    """Read a study with its submissions; returns how many differences are open. Safe to run twice.

    `deep`: also read every paid submission by itself, for its bonuses. Raises MarketplaceError and MarketplacePaused.
    """
    begun_at = PanelStudy.objects.filter(pk=study.pk).values_list(Now(), flat=True).get()
    theirs = session.call(session.marketplace.study, study.external_id)
    found = _take_in_all(study, session)
    study.refresh_from_db()
    found += differences.of_study(study, theirs)
    for row in bonuses.unclear(study.batch):
        bonuses.look_again(row, session)
    found += differences.unclear_bonuses(study)
    differences.record(study, found, kinds=differences.OF_LISTS)
    if deep:
        differences.record(study, list(_read_bonuses(study, session)), kinds=differences.OF_BONUSES)
    state = {"places": theirs.places, "taken": theirs.taken, "cost": str(theirs.cost or "")}
    PanelStudy.objects.filter(pk=study.pk).update(
        synced_at=begun_at, standing=theirs.status, remote=study.remote | state
    )
    groups.align(study.batch, session)
    return differences.open_ones(study).count()


def _take_in_all(study: PanelStudy, session: StudySession) -> list[FoundDifference]:
    """Take in every submission that is not settled; returns the differences that stay."""
    listed = session.call(lambda: list(session.marketplace.submissions(study.external_id or "")))
    known = {visit.external_id: visit for visit in Visit.objects.filter(study=study)}
    settled = visit_states.settled(study)
    parts = {name for name, visit in known.items() if visit.decision == Visit.Decision.PART and visit.sent_at}
    for place, theirs in enumerate(listed):  # Prolific's description of its list has no such status
        if theirs.external_id in parts and theirs.status != Status.PARTLY_APPROVED:
            listed[place] = session.call(session.marketplace.submission, theirs.external_id)
    for theirs in listed:
        if settled.get(theirs.external_id) == theirs.status:
            continue
        if visit := known.get(theirs.external_id):
            visit_states.take_in(visit, theirs)
    visit_decisions.send_again(study)
    back = Visit.objects.filter(study=study, remote_state=Status.AWAITING, decision="")
    rows = Assignment.objects.filter(visited__visit__in=back, approval="approved").select_related("visited")
    for row in {row.visited.visit_id: row for row in rows}.values():
        with suppress(Refused):  # the budget does not cover the rest
            visit_decisions.note_approved(row)  # again, as the visit may have been under way then
    known = {visit.external_id: visit for visit in Visit.objects.filter(study=study)}
    return [one for theirs in listed for one in differences.of_submission(study, theirs, known.get(theirs.external_id))]


def _read_bonuses(study: PanelStudy, session: StudySession) -> Iterator[FoundDifference]:
    rows = Visit.objects.filter(study=study, remote_state__in=["approved", "partly_approved"])
    for visit in rows.prefetch_related("bonuses"):
        theirs = session.call(session.marketplace.submission, visit.external_id)
        yield from differences.of_bonuses(visit, theirs.bonuses)


def sync_due(connection: Connection, *, patience: Patience | None = None, seconds: float = 3600) -> int:
    """Read the due studies of a marketplace, for at most `seconds`; returns how many. Safe to run twice."""
    read, end = 0, time.monotonic() + seconds
    with suppress(MarketplacePaused, Unsealable):
        session = StudySession(connection, patience=patience or Patience())
        for study in due(connection).order_by("synced_at"):
            if time.monotonic() > end:
                break
            with suppress(MarketplaceError):  # the connection's row has the error, and the next run tries again
                sync(study, session)
                read += 1
        if read:
            with suppress(MarketplaceError):
                exchange(session)
    return read


def catch_up(batch: Batch, *, progress: Callable[[int, int], None] = no_progress) -> dict[str, Any]:
    """Read the batch's study now, with all bonuses, and send what is due; raises Refused if nothing answers."""
    study = PanelStudy.objects.select_related("batch__project", "connection").get(batch=batch)
    with reached(study.connection):
        session = StudySession(study.connection, patience=Patience())
        bonuses.send_due(study.connection, seconds=60)
        left = sync(study, session, deep=True)
    progress(1, 1)
    return {"differences": left, **bonuses.counts(batch)}


def decide_bonus(row: VisitBonus, *, was_paid: bool) -> bool:
    """Record what a person found about an unclear bonus, if the marketplace still lists what they saw.

    False if it was decided before. Raises Refused, deciding nothing, if the list has changed or cannot be read.
    """
    study = row.visit.study
    with reached(study.connection):
        has_changed = bonuses.look_again(row, StudySession(study.connection, patience=Patience()))
    if has_changed:
        differences.record(study, list(differences.unclear_bonuses(study)), kinds=[Difference.Kind.BONUS_UNCLEAR])
        raise Refused(_("The list of bonuses on the marketplace has changed. Check it again before you decide."))
    return bonuses.decide(row, was_paid=was_paid)


def sweep(*, seconds: float = 10.0) -> int:
    """Read due studies on every marketplace, for at most `seconds` each."""
    return sum(sync_due(connection, seconds=seconds) for connection in awake(due().values("connection")))


BACK = timedelta(hours=48)  # messages are asked for again as long; their ids are kept for longer (study_events.KEPT)


def _send(session: StudySession, message: Message, participant: str) -> None:
    visit = Visit.objects.filter(worker=message.worker).select_related("study").order_by("-pk").first()
    if visit is None:
        raise TryAgain("a message belongs to a study, and they have not visited one yet")
    text = f"{message.subject}\n\n{message.text}".strip()
    session.call(session.marketplace.message, [participant], visit.study.external_id or "", text)


def fetch(session: StudySession) -> int:
    """Take in what participants wrote to the account; returns how many are new."""
    found = session.call(lambda: list(session.marketplace.received_messages(clock.now() - BACK)))
    return sum(_take_in(one, session.connection) for one in found)


def _take_in(one: ReceivedMessage, connection: Connection) -> bool:
    """Store a message of a participant whom we know, once; others are read on the marketplace."""
    name = f"{connection.pk}:{one.participant}"
    worker = Worker.objects.filter(project=connection.project_id, external_id=name).first()
    if worker is None or not one.text.strip():
        return False
    try:
        with transaction.atomic():
            ReceivedEvent.objects.create(connection=connection, external_id=f"m:{one.external_id}"[:64])
            worker_messages.send(worker, "", one.text, author=worker.user, from_worker=True)
    except IntegrityError:  # taken before: what is asked for overlaps with the time before
        return False
    return True


def exchange(session: StudySession) -> int:
    """Pass messages on in both directions; returns how many. Raises MarketplaceError and MarketplacePaused."""
    passed = send_messages(session, partial(_send, session)) if session.marketplace.offers("message") else 0
    return passed + (fetch(session) if session.marketplace.offers("received_messages") else 0)
