"""Write MTurk notification events (SNS/SQS) for the HIT types that ask for them.

An event is written in the transaction that it reports; `flow/notification_delivery` sends it, or a queue keeps it until
it is fetched. Batches that are not of the MTurk API cost no query here.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.errors import Refused
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
