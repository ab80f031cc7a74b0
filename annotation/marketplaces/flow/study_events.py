"""Events that a marketplace sends about studies: subscriptions to them, and what is done when one comes.

An event only says where to look: what happened is always read from the marketplace, so a forged, repeated, late or
lost event changes nothing but when.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from annotation.marketplaces.base import Denied, MarketplaceError
from annotation.marketplaces.flow.connections import MarketplacePaused, Patience, StudySession
from annotation.marketplaces.kinds import study_kind
from annotation.marketplaces.models import Connection, EventSubscription, PanelStudy, ReceivedEvent
from annotation.marketplaces.study_base import StudyEvent
from annotation.models import clock
from annotation.models.sealed import Unsealable

EVENTS = ("submission.status.change", "study.status.change")
KEPT = timedelta(hours=72)  # ids of events: deliveries are repeated for 48 hours
AHEAD = timedelta(minutes=5)  # by which the marketplace's clock may go before ours
CHECK_EVERY = timedelta(hours=1)


def events_url(connection: Connection) -> str:
    """Where the marketplace sends events."""
    return f"{settings.PUBLIC_URL}/marketplaces/{connection.pk}/events/"


def receive(connection: Connection, headers: Mapping[str, str], body: bytes) -> bool:
    """Take an event in: its study is read again soon; False if it came before. Raises Denied if it is forged."""
    event = _verified(connection, headers, body)
    now = clock.now()
    if not now - KEPT < event.at < now + AHEAD:
        raise Denied("The event is too old.")
    try:
        with transaction.atomic():
            ReceivedEvent.objects.create(connection=connection, external_id=event.id[:64])
            _studies(connection, event).update(synced_at=None)
    except IntegrityError:  # sent before: whoever sends webhooks sends one again where our answer got lost
        return False
    return True


def _verified(connection: Connection, headers: Mapping[str, str], body: bytes) -> StudyEvent:
    for secret in set(EventSubscription.objects.filter(connection=connection).values_list("secret", flat=True)):
        with suppress(Denied):
            return study_kind(connection.kind).verify(secret, headers, body)
    raise Denied("The signature is wrong.")


def _studies(connection: Connection, event: StudyEvent) -> QuerySet[PanelStudy]:
    """The study that an event is about; all under way for a submission that is not known here."""
    rows = PanelStudy.objects.filter(connection=connection)
    named = rows.filter(Q(external_id=event.resource_id) | Q(visits__external_id=event.resource_id))
    found = named if named.exists() else rows.filter(goal=PanelStudy.Goal.ACTIVE)
    return rows.filter(pk__in=list(found.values_list("pk", flat=True)))


def keep_subscribed(session: StudySession) -> int:
    """Subscribe to what is missing there or was disabled; returns how many subscriptions were made."""
    connection, made = session.connection, 0
    url = events_url(connection)
    there = [row for row in session.call(lambda: list(session.marketplace.subscriptions())) if row.url == url]
    for event in EVENTS:
        known = EventSubscription.objects.filter(connection=connection, event=event).first()
        alive = [row for row in there if row.event == event and row.enabled]
        if known is not None and any(row.external_id == known.external_id for row in alive):
            continue
        for row in [row for row in there if row.event == event]:
            session.call(session.marketplace.unsubscribe, row.external_id)
        new = session.call(session.marketplace.subscribe, event, url)
        kept = {"external_id": new.external_id, "secret": new.secret, "renewed": known.renewed + 1 if known else 0}
        EventSubscription.objects.update_or_create(connection=connection, event=event, defaults=kept)
        made += 1
    EventSubscription.objects.filter(connection=connection).update(checked_at=Now())
    return made


def sweep() -> int:
    """Check the subscriptions of marketplaces with studies under way, and forget old ids of events."""
    ReceivedEvent.objects.filter(received_at__lt=Now() - KEPT).delete()
    under_way = Connection.objects.filter(panel_studies__goal__in=["active", "paused"]).exclude(rests_until__gt=Now())
    checked = EventSubscription.objects.filter(checked_at__gt=Now() - CHECK_EVERY).values("connection")
    made = 0
    for connection in under_way.exclude(pk__in=checked).distinct():
        if not study_kind(connection.kind).offers("subscribe"):
            continue
        with suppress(
            MarketplacePaused, Unsealable, MarketplaceError
        ):  # the connection's row has the error; next time again
            made += keep_subscribed(StudySession(connection, patience=Patience()))
    return made
