"""Qualification types, grants and requests, and which qualifications a worker holds or lacks."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation import models
from annotation.flow.errors import Conflict, Refused
from annotation.flow.projects import audit_log
from annotation.models import Qualification, QualificationRequest, QualificationType, User, Worker, WorkerBlock, clock
from annotation.pure.batches import lifecycle
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Held, Lack, Locale

LONGEST_XML = 65_535  # bytes of a test or an answer key
State, Request = Qualification.State, QualificationRequest.State


class NameTaken(Refused):
    """The project has a qualification type of that name."""


class TooSoon(Refused):
    """The worker may not request the qualification again, or not yet. `again_at`: when they may; None: never."""

    def __init__(self, text: str, again_at: Any = None) -> None:
        self.again_at = again_at
        super().__init__(text)


def types_of(project: models.Project) -> QuerySet[QualificationType]:
    """The project's types that were not deleted, oldest first."""
    return project.qualification_types.filter(deleted_at__isnull=True).order_by("created_at", "pk")


def create_type(project: models.Project, name: str, *, description: str, **terms: Any) -> QualificationType:
    """Create a type; `terms` are its other columns. Raises NameTaken, and Refused for contradictory terms."""
    made = QualificationType(project=project, name=name.strip(), description=description, **terms)
    _check_terms(made)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
            audit_log.record("created", made)
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        text = _("This project already has a qualification named %(name)s. Choose another name.")
        raise NameTaken(text % {"name": made.name}) from None
    return made


@transaction.atomic
def update_type(type: QualificationType, **terms: Any) -> QualificationType:
    """Change terms: description, keywords, status, retry_seconds, test, answer_key, …. Raises Refused.

    Repeated requests, once allowed, cannot be forbidden again, because workers rely on them.
    """
    # Lock: the terms must fit together, and two requests may each change one of them.
    row = QualificationType.objects.select_for_update(no_key=True).filter(pk=type.pk, deleted_at__isnull=True).first()
    if row is None:
        raise Refused(_("This qualification is inactive."))
    if row.retry_seconds is not None and terms.get("retry_seconds", 0) is None:
        raise Refused(_("Workers may retry this qualification. The retry can be delayed, but not withdrawn."))
    for name, value in terms.items():
        setattr(row, name, value)
    _check_terms(row)
    row.save(update_fields=list(terms))
    audit_log.record("settings changed", row)
    return row


def _check_terms(type: QualificationType) -> None:
    if not type.name:
        raise Refused(_("Give the qualification a name."))
    if type.test and type.auto_granted:
        raise Refused(_("A qualification is either granted automatically or has a test, not both."))
    if type.test and not type.test_seconds:
        raise Refused(_("Give a time limit for the test."))
    if type.answer_key and not type.test:
        raise Refused(_("An answer key requires a test."))
    if max(len(type.test.encode()), len(type.answer_key.encode())) > LONGEST_XML:
        raise Refused(_("The test or its answer key is too long: at most 65,535 bytes each."))
    _check_value(type.auto_value)


def _check_value(value: int) -> None:
    if not requirements.SMALLEST <= value <= requirements.LARGEST:
        raise Refused(_("%(value)s is not a score: use a whole number of at most ten digits.") % {"value": value})


@transaction.atomic
def delete_type(type: QualificationType) -> bool:
    """Delete a type: it no longer counts as held, its name becomes free, open requests are rejected.

    False if it was deleted before.
    """
    rows = QualificationType.objects.filter(pk=type.pk, deleted_at__isnull=True)
    if not rows.update(deleted_at=Now(), status=QualificationType.Status.INACTIVE):
        return False
    requests = QualificationRequest.objects.filter(type=type, state__in=[Request.TESTING, Request.PENDING])
    requests.update(state=Request.REJECTED, decided_at=Now())
    audit_log.record("removed", type)
    return True


def restore_type(type: QualificationType) -> bool:
    """Restore a deleted type with all scores; it cannot be requested until that is set again.

    False if it is not deleted. Raises NameTaken if another type has its name by now.
    """
    try:
        with transaction.atomic():
            rows = QualificationType.objects.filter(pk=type.pk, deleted_at__isnull=False)
            if not rows.update(deleted_at=None):
                return False
            audit_log.record("restored", type)
            return True
    except IntegrityError:  # the constraint decides, because two may take the name at the same moment
        text = _("Another qualification is now named %(name)s. Delete that one first.")
        raise NameTaken(text % {"name": type.name}) from None


@transaction.atomic
def grant(
    type: QualificationType, worker: Worker, value: int, *, source: str, reason: str = "", user: User | None = None
) -> Qualification:
    """Grant the worker the score `value`, replacing any former one; every change is recorded.

    `source`: hand, file, rule, round, test, auto, wire. An open request stays open. Raises Refused.
    """
    _check_value(value)
    if type.deleted_at is not None or worker.project_id != type.project_id:
        raise Refused(_("This qualification is inactive or belongs to another project."))
    fresh = {"value": value, "granted_at": clock.now()}
    # Lock: the history must list the changes in the order in which they were made.
    row, new = Qualification.objects.select_for_update(of=("self",), no_key=True).get_or_create(
        type=type, worker=worker, defaults=fresh
    )
    if not new and (row.value, row.state) == (value, State.GRANTED):
        return row
    if not new:
        Qualification.objects.filter(pk=row.pk).update(state=State.GRANTED, **fresh)
        row.refresh_from_db(fields=["state", *fresh])
    _note(row, source, reason, user)
    return row


@transaction.atomic
def revoke(
    type: QualificationType, worker: Worker, *, source: str = "hand", reason: str = "", user: User | None = None
) -> bool:
    """Revoke the qualification from the worker; False if they did not hold it."""
    row = Qualification.objects.filter(type=type, worker=worker, state=State.GRANTED).first()
    if row is None or not Qualification.objects.filter(pk=row.pk, state=State.GRANTED).update(state=State.REVOKED):
        return False
    row.refresh_from_db(fields=["state"])
    _note(row, source, reason, user)
    return True


def _note(row: Qualification, source: str, reason: str, user: User | None) -> None:
    models.QualificationChange.objects.create(
        qualification=row, value=row.value, state=row.state, source=source, reason=reason, author=user
    )
    if source not in {"test", "auto"}:  # a grant by hand, so it belongs into the log
        audit_log.record(row.state.lower(), row.worker, qualification=row.type.name, value=row.value)


def held(worker: Worker, *, types: Collection[str] | None = None) -> dict[str, Held]:
    """The worker's qualifications by the type's public id, including MTurk's computed ones; only `types`, if given."""
    rows = Qualification.objects.filter(worker=worker, state=State.GRANTED, type__deleted_at__isnull=True)
    if types is not None:
        rows = rows.filter(type__public_id__in=types)
    values = {type: Held(value) for type, value in rows.values_list("type__public_id", "value")}
    values |= own_statements(worker)
    if types is None or {requirements.APPROVED_COUNT, requirements.APPROVED_SHARE} & set(types):
        values |= _reckoned(worker)
    return values if types is None else {type: what for type, what in values.items() if type in types}


def own_statements(worker: Worker) -> dict[str, Held]:
    """Statements of the worker as qualifications: of age, and the country if known."""
    values = {requirements.ADULT: Held(int(worker.adult))}
    if worker.country:
        values[requirements.LOCALE] = Held(locale=Locale(worker.country, worker.subdivision))
    return values


def _reckoned(worker: Worker) -> dict[str, Held]:
    counts = worker.assignments.filter(state=lifecycle.SUBMITTED).aggregate(
        submitted=Count("pk"),
        approved=Count("pk", filter=Q(approval="approved")),
        rejected=Count("pk", filter=Q(approval="rejected")),
    )
    share = Held(requirements.share_approved(**counts))
    return {requirements.APPROVED_COUNT: Held(counts["approved"]), requirements.APPROVED_SHARE: share}


def lacks(worker: Worker, batch: models.Batch, *, act: str = "accept") -> list[Lack]:
    """Requirements of the batch for `act` (discover, preview, accept) that the worker does not meet."""
    if not batch.requirements:
        return []
    required = [one for one in requirements.read_all(batch.requirements) if one.guards(act)]
    return requirements.lacks(required, held(worker, types={one.type for one in required}), act) if required else []


@transaction.atomic
def begin_test(type: QualificationType, worker: Worker) -> QualificationRequest:
    """Begin the type's test, or continue the attempt under way; its time runs from `started_at`. Raises Refused."""
    under_way = _open(type, worker)
    if under_way is not None and under_way.state == Request.TESTING:
        return under_way
    _may_ask(type, worker, under_way)
    return QualificationRequest.objects.create(type=type, worker=worker, state=Request.TESTING, test=type.test)


@transaction.atomic
def request(
    type: QualificationType, worker: Worker, *, answer: str = "", value: int | None = None
) -> QualificationRequest:
    """Request a qualification: granted at once if the type grants automatically, else it waits for a requester.

    `answer` is the test's (QuestionFormAnswers XML), `value` its score by the answer key, with which it is granted.
    Raises TooSoon, Conflict if a request is open already, Refused if it cannot be requested.
    """
    row = _open(type, worker)
    if type.test and not answer:
        raise Refused(_("This qualification has a test. Take it first."))
    values = {"answer": answer, "value": value, "submitted_at": clock.now()}
    if row is not None and row.state == Request.TESTING:
        row.move(Request.PENDING, since=(Request.TESTING,), **values)
        row.refresh_from_db()
    else:
        _may_ask(type, worker, row)
        row = QualificationRequest.objects.create(type=type, worker=worker, test=type.test, **values)
    if type.auto_granted:
        accept_request(row, value=type.auto_value, source="auto")
    elif value is not None:
        accept_request(row, value=value, source="test")
    return row


def _open(type: QualificationType, worker: Worker) -> QualificationRequest | None:
    # lock: two requests at once could both find none open
    Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)
    rows = QualificationRequest.objects.filter(type=type, worker=worker)
    return rows.filter(state__in=[Request.TESTING, Request.PENDING]).first()


def _may_ask(type: QualificationType, worker: Worker, under_way: QualificationRequest | None) -> None:
    if under_way is not None:
        raise Conflict(_("You have requested this qualification. The requester has not decided yet."))
    if not requestable(type) or not worker.active or is_blocked(worker):
        raise Refused(_("This qualification cannot be requested right now."))
    requests = QualificationRequest.objects.filter(type=type, worker=worker)
    again_at = next_try(type, worker, requests.order_by("-started_at", "-pk").first())
    if again_at is None:
        raise TooSoon(_("This qualification can be requested only once, and you have done so."))
    if again_at > clock.now():
        local = timezone.localtime(again_at).strftime("%Y-%m-%d %H:%M %Z")
        raise TooSoon(_("You can request this qualification again on %(time)s.") % {"time": local}, again_at)


def requestable(type: QualificationType) -> bool:
    """Whether workers can request the qualification: active and not deleted."""
    return type.status == QualificationType.Status.ACTIVE and type.deleted_at is None


def next_try(type: QualificationType, worker: Worker, last: QualificationRequest | None) -> Any:
    """The time from which the worker may request it, whose last request was `last`; None: never again."""
    if last is None:
        return worker.created_at
    if type.retry_seconds is None:
        return None
    return (last.submitted_at or last.started_at) + timedelta(seconds=type.retry_seconds)


@transaction.atomic
def accept_request(
    row: QualificationRequest, *, value: int | None = None, source: str = "hand", user: User | None = None
) -> Qualification:
    """Grant a request with `value`, or the test's score, or 1. Raises Conflict if it was decided before."""
    score = value if value is not None else (row.value if row.value is not None else 1)
    if not row.move(Request.GRANTED, since=(Request.PENDING,), value=score, decided_at=Now()):
        raise Conflict(_("This request has already been decided."))
    return grant(row.type, row.worker, score, source=source, user=user)


def reject_request(row: QualificationRequest, *, reason: str = "") -> None:
    """Reject a request, with a reason for the worker. Raises Conflict if it was decided before."""
    if not row.move(Request.REJECTED, since=(Request.PENDING,), reason=reason, decided_at=Now()):
        raise Conflict(_("This request has already been decided."))
    row.reason = reason
    audit_log.record("refused", row.worker, qualification=row.type.name)


@transaction.atomic
def block(worker: Worker, reason: str) -> WorkerBlock:
    """Block the worker from all work of the project; a second one only changes the reason, which workers never see."""
    audit_log.record("blocked", worker, reason=reason)
    return WorkerBlock.objects.update_or_create(worker=worker, defaults={"reason": reason})[0]


@transaction.atomic
def unblock(worker: Worker) -> bool:
    """Unblock the worker; False if they were not blocked."""
    if not WorkerBlock.objects.filter(worker=worker).delete()[0]:
        return False
    audit_log.record("unblocked", worker)
    return True


def is_blocked(worker: Worker) -> bool:
    """Whether the worker is blocked."""
    return WorkerBlock.objects.filter(worker=worker).exists()
