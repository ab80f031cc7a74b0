"""Messages between requesters and participants of studies, passed on by the marketplace in both directions."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.flow.notifications import worker_messages
from annotation.marketplaces.base import Denied
from annotation.marketplaces.flow.connections import StudySession
from annotation.marketplaces.flow.outbox import FREE
from annotation.marketplaces.flow.payments import due_messages
from annotation.marketplaces.models import Connection, ReceivedEvent, Visit
from annotation.marketplaces.study_base import ReceivedMessage
from annotation.models import Message, Worker, clock

BACK = timedelta(hours=48)  # messages are asked for again as long; their ids are kept for longer (study_events.KEPT)
AT_ONCE = 100


def send_due(session: StudySession) -> int:
    """Send what requesters wrote to participants; returns how many. A sent message counts as read.

    The marketplace has no token for messages, so one can arrive twice if the process dies or a response is lost.
    """
    sent = 0
    for message in due_messages(session.connection).filter(FREE)[:AT_ONCE]:
        free = Message.objects.filter(FREE, pk=message.pk, read_at__isnull=True)
        if free.update(lease_until=Now() + session.patience.lease):
            sent += _pass_on(message, session)
    return sent


def _pass_on(message: Message, session: StudySession) -> bool:
    visit = Visit.objects.filter(worker=message.worker).select_related("study").order_by("-pk").first()
    if visit is None:
        return False
    text = f"{message.subject}\n\n{message.text}".strip()
    try:
        session.call(session.marketplace.message, [visit.participant], visit.study.external_id or "", text)
    except Denied as refused:
        why = f"a message to {visit.participant} was refused: {refused}"
        Connection.objects.filter(pk=session.connection.pk).update(trouble=why[:1000])
    Message.objects.filter(pk=message.pk, read_at__isnull=True).update(read_at=Now(), lease_until=None)
    return True


def fetch(session: StudySession) -> int:
    """Take in what participants wrote to the account; returns how many are new."""
    since = clock.now() - BACK
    found = session.call(lambda: list(session.marketplace.received_messages(since)))
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
    except IntegrityError:
        return False
    return True


def exchange(session: StudySession) -> int:
    """Pass messages on in both directions; returns how many. Raises MarketplaceError and MarketplacePaused."""
    passed = send_due(session) if session.marketplace.offers("message") else 0
    return passed + (fetch(session) if session.marketplace.offers("received_messages") else 0)
