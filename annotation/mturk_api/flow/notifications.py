"""MTurk notification events (SNS/SQS) of the HIT types that ask for them: written, and posted, or fetched from a queue.

An event is written in the transaction that it reports; later it is sent, or a queue keeps it until
it is fetched. Batches that are not of the MTurk API cost no query here.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
from annotation.flow.notifications import http_delivery
from annotation.flow.notifications.safe_http import NotSent
from annotation.models import AccessKey, Assignment, Hit, Project, clock
from annotation.models.project import mturk_id
from annotation.mturk_api.models import Event, HitType, Listing, NotificationSetting
from annotation.pure.mturk import notification_events
from annotation.pure.mturk.notification_events import BadDestination

EXTERNAL = "external"  # the task of the MTurk API's batches
ACCEPTED, RETURNED, ABANDONED = "AssignmentAccepted", "AssignmentReturned", "AssignmentAbandoned"
SUBMITTED, APPROVED, REJECTED = "AssignmentSubmitted", "AssignmentApproved", "AssignmentRejected"
CREATED, EXTENDED, EXPIRED = "HITCreated", "HITExtended", "HITExpired"
REVIEWABLE, DISPOSED = "HITReviewable", "HITDisposed"
NOWHERE = "nothing is sent to topics of AWS or by e-mail; name an https address or a queue of this endpoint"


def record_event(kind: str, hit: Hit, assignment: Assignment | None = None) -> None:
    """Write an event on a HIT, or on an assignment, if its HIT type's setting asks for it."""
    batch = assignment.batch if assignment is not None else hit.batch
    if batch.task != EXTERNAL:
        return
    rows = NotificationSetting.objects.filter(hit_type__batch=batch.pk)
    for setting in rows.select_related("hit_type__project"):
        record_event_for(setting, kind, hit, assignment)


def record_event_for(setting: NotificationSetting, kind: str, hit: Hit, assignment: Assignment | None = None) -> None:
    """Like `record_event`, with the HIT type's setting."""
    if not setting.active or kind not in setting.events:
        return
    _write(
        setting.hit_type.project,
        setting,
        kind,
        HITTypeId=setting.hit_type.public_id,
        HITId=hit.public_id,
        AssignmentId=assignment.public_id if assignment is not None else "",
    )


def test(project: Project, setting: NotificationSetting, kind: str) -> Event:
    """Write a test event of that kind. Raises BadDestination if the setting sends nothing."""
    ids = {"HITTypeId": mturk_id()} if kind != notification_events.PING else {}
    if kind.startswith(("HIT", "Assignment")):
        ids["HITId"] = mturk_id()
    if kind.startswith("Assignment"):
        ids["AssignmentId"] = mturk_id()
    made = _write(project, setting, kind, **ids)
    if made is None:
        raise BadDestination(NOWHERE)
    return made


def _write(project: Project, setting: NotificationSetting, kind: str, **ids: str) -> Event | None:
    route = notification_events.route(setting.transport, setting.destination)
    if route.kind == notification_events.NOWHERE:
        return None
    now = clock.now()
    customer, account = notification_events.customer_of(project.pseudonym_key)
    content = notification_events.body(kind, now, version=setting.version, customer=customer, account=account, **ids)
    event = Event(project=project, transport=route.kind, destination=route.destination, due_at=now)
    event.content = content | {"EventDocId": event.public_id}
    event.key_id = setting.key_id
    event.save(force_insert=True)
    return event


def specify(
    *, destination: str, transport: str, version: str, kinds: Sequence[str], key: AccessKey, test: bool = False
) -> NotificationSetting:
    """An unsaved setting from a NotificationSpecification; `test`: for a test event. Raises BadDestination."""
    route = notification_events.route(transport, destination)
    if test and route.kind == notification_events.NOWHERE:
        raise BadDestination(NOWHERE)
    if version not in notification_events.VERSIONS:
        raise BadDestination(f"the version must be {' or '.join(notification_events.VERSIONS)}")
    if notification_events.PING in kinds and not test:
        raise BadDestination("Ping is for tests only")
    columns = {"destination": destination, "transport": transport, "version": version, "key": key}
    return NotificationSetting(events=list(dict.fromkeys(kinds)), **columns)


@transaction.atomic
def change(hit_type: HitType, *, wanted: NotificationSetting | None, active: bool | None) -> None:
    """Set the destination of a HIT type's events, whether they are sent, or both. Raises Refused without a setting."""
    found = NotificationSetting.objects.filter(hit_type=hit_type).first()
    if wanted is None and found is None:
        raise Refused(_("This HIT type has no notification specification yet."))
    before = found is not None and found.active
    row = wanted or found or NotificationSetting()
    row.pk, row.hit_type = found.pk if found is not None else None, hit_type
    row.active = active if active is not None else (before or found is None)
    row.save()
    if row.active and not before:
        _know_the_past(hit_type)


def _know_the_past(hit_type: HitType) -> None:
    """Mark all past events of the type's HITs as noticed, so that they are not sent."""
    own = Hit.objects.filter(pk=OuterRef("hit_id"))
    rows = Listing.objects.filter(hit__batch__hit_type=hit_type)
    rows.filter(hit__closes_at__lte=Now()).update(expiry_noticed=Subquery(own.values("closes_at")))
    over = rows.filter(reviewable(), hit_policy__isnull=True)
    over.update(reviewable_noticed=Subquery(own.annotate(mark=F("wanted") + F("done")).values("mark")))


def reviewable() -> Q:
    """Condition on listings whose HIT is reviewable; the same as `hit_status.REVIEWABLE`, for many rows."""
    return Q(hit__live=0) & (Q(hit__room__lte=0) | Q(hit__closes_at__lte=Now()) | Q(hit__excluded_at__isnull=False))


def deliver_due() -> int:
    """Post due events; returns how many succeeded. A failing address is paused for a while. Safe to run twice."""
    rows = Event.objects.filter(transport=notification_events.WEBHOOK)
    return http_delivery.deliver(rows, ["project", "destination"], _attempt)


def _attempt(event: Event) -> bool:
    sent = http_delivery.post(event.content, lambda body: (event.destination, _signature(event, body)))
    last = event.tries >= notification_events.MOST_TRIES
    wait = None if last else notification_events.wait_after(event.tries)
    http_delivery.finish(event, sent, wait)
    if wait and not sent.taken:
        later = clock.now() + wait
        same = Event.objects.filter(project=event.project_id, destination=event.destination, state=Event.State.DUE)
        same.filter(due_at__lt=later).update(due_at=later)
    return sent.taken


def _signature(event: Event, body: bytes) -> dict[str, str]:
    """The headers that sign a notification. Raises NotSent if no key can."""
    key = _key(event)
    if key is None:
        raise NotSent("the project has no access key that could sign it")
    timestamp = str(int(clock.now().timestamp()))
    return {
        "X-Hopscribe-Event": event.public_id,
        "X-Hopscribe-Timestamp": timestamp,
        "X-Hopscribe-Key": key.key_id,
        "X-Hopscribe-Signature": notification_events.signature(key.secret, timestamp, body),
    }


def _key(event: Event) -> AccessKey | None:
    """The key of the notification setting; the project's newest if that one was revoked."""
    keys = AccessKey.objects.filter(project=event.project_id, revoked_at__isnull=True)
    return keys.filter(pk=event.key_id or 0).first() or keys.order_by("-pk").first()


def _messages(project_id: int, queue: str) -> QuerySet[Event]:
    return Event.objects.filter(project=project_id, transport=notification_events.QUEUE, destination=queue)


def receive(project_id: int, queue: str, *, most: int, hidden: timedelta) -> list[Event]:
    """Messages of a queue, which are hidden from other receivers for that long."""
    rows = http_delivery.due(_messages(project_id, queue))
    return [event for event in rows[:most] if http_delivery.lease(event, hidden)]


def remove(project_id: int, queue: str, public_ids: Iterable[str]) -> int:
    """Delete messages from a queue; returns how many existed."""
    due = _messages(project_id, queue).filter(public_id__in=list(public_ids), state=Event.State.DUE)
    return due.update(state=Event.State.DELIVERED)


def waiting(project_id: int, queue: str) -> int:
    """The number of messages in a queue."""
    return _messages(project_id, queue).filter(state=Event.State.DUE).count()


def exists(project_id: int, queue: str) -> bool:
    """Whether the project sends, or sent, to a queue of that name."""
    if _messages(project_id, queue).exists():
        return True
    rows = NotificationSetting.objects.filter(hit_type__project=project_id, transport="SQS")
    return any(
        notification_events.route("SQS", address).destination == queue
        for address in rows.values_list("destination", flat=True)
    )


def forget_old() -> int:
    """Delete old events; returns how many."""
    return http_delivery.forget_old(Event.objects.all())
