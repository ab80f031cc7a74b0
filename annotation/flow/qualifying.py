"""Who is qualified: types of qualifications, granting and revoking them, what a worker holds, lacks and asks for."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.flow import recording
from annotation.flow.refusal import Conflict, Refused
from annotation.models import (
    Batch,
    Project,
    Qualification,
    QualificationChange,
    QualificationRequest,
    QualificationType,
    User,
    Worker,
    WorkerBlock,
    clock,
)
from annotation.pure import lifecycle, requirements
from annotation.pure.requirements import Held, Lack, Locale

LONGEST_XML = 65_535  # bytes of a test or an answer key
State, Request = Qualification.State, QualificationRequest.State


class NameTaken(Refused):
    """The project has a qualification type of that name."""


class TooSoon(Refused):
    """The worker asked before, and may not, or not yet, ask again. `again_at` is when they may; None: never."""

    def __init__(self, text: str, again_at: Any = None) -> None:
        self.again_at = again_at
        super().__init__(text)


def types_of(project: Project) -> Any:
    """The project's types that were not deleted, oldest first."""
    return project.qualification_types.filter(deleted_at__isnull=True).order_by("created_at", "pk")


def create_type(project: Project, name: str, *, description: str, **terms: Any) -> QualificationType:
    """A new type; `terms` are its other columns. Raises NameTaken, and Refused for terms that exclude each other."""
    made = QualificationType(project=project, name=name.strip(), description=description, **terms)
    _check_terms(made)
    try:
        with transaction.atomic():
            made.save(force_insert=True)
            recording.record("created", made)
    except IntegrityError:
        text = _("This project has a qualification called %(name)s already. Choose another name.")
        raise NameTaken(text % {"name": made.name}) from None
    return made


@transaction.atomic
def update_type(type: QualificationType, **terms: Any) -> QualificationType:
    """Change the terms given: description, keywords, status, retry_seconds, test, answer_key, …. Raises Refused.

    Once people may try again that cannot be taken back, since some rely on it.
    """
    row = QualificationType.objects.select_for_update(no_key=True).filter(pk=type.pk, deleted_at__isnull=True).first()
    if row is None:
        raise Refused(_("This qualification was retired."))
    if row.retry_seconds is not None and terms.get("retry_seconds", 0) is None:
        raise Refused(_("People may try again for this qualification. That can be delayed, but not taken back."))
    for name, value in terms.items():
        setattr(row, name, value)
    _check_terms(row)
    row.save(update_fields=list(terms))
    recording.record("settings changed", row)
    return row


def _check_terms(type: QualificationType) -> None:
    if not type.name:
        raise Refused(_("Give the qualification a name."))
    if type.test and type.auto_granted:
        raise Refused(_("A qualification is granted automatically or has a test, not both."))
    if type.test and not type.test_seconds:
        raise Refused(_("Say how long people have for the test."))
    if type.answer_key and not type.test:
        raise Refused(_("An answer key needs a test."))
    if max(len(type.test.encode()), len(type.answer_key.encode())) > LONGEST_XML:
        raise Refused(_("The test or its answer key is too long: at most 65,535 bytes each."))
    _check_value(type.auto_value)


def _check_value(value: int) -> None:
    if not requirements.SMALLEST <= value <= requirements.LARGEST:
        raise Refused(_("%(value)s is no score: use a whole number of at most ten digits.") % {"value": value})


@transaction.atomic
def delete_type(type: QualificationType) -> bool:
    """Retire a type for good: nobody holds it any more, its name is free, who asked for it is refused.

    False when it was retired before.
    """
    rows = QualificationType.objects.filter(pk=type.pk, deleted_at__isnull=True)
    if not rows.update(deleted_at=Now(), status=QualificationType.Status.INACTIVE):
        return False
    asked = QualificationRequest.objects.filter(type=type, state__in=[Request.TESTING, Request.PENDING])
    asked.update(state=Request.REJECTED, decided_at=Now())
    recording.record("removed", type)
    return True


def restore_type(type: QualificationType) -> bool:
    """Take a retirement back: everybody holds again what they held; nobody can ask for it until that is set again.

    False when it was not retired. Raises NameTaken when another type has its name by now.
    """
    try:
        with transaction.atomic():
            rows = QualificationType.objects.filter(pk=type.pk, deleted_at__isnull=False)
            if not rows.update(deleted_at=None):
                return False
            recording.record("restored", type)
            return True
    except IntegrityError:
        text = _("Another qualification is called %(name)s by now. Retire that one first.")
        raise NameTaken(text % {"name": type.name}) from None


@transaction.atomic
def grant(
    type: QualificationType, worker: Worker, value: int, *, source: str, reason: str = "", user: User | None = None
) -> Qualification:
    """Let the worker hold `value` in the type from now on, whatever they held before; every change is kept.

    `source`: hand, file, rule, round, test, auto, wire. A request that waits is left alone. Raises Refused.
    """
    _check_value(value)
    if type.deleted_at is not None or worker.project_id != type.project_id:
        raise Refused(_("This qualification was retired, or belongs to another project."))
    fresh = {"value": value, "granted_at": clock.now()}
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
    """Take the qualification from the worker; False when they did not hold it."""
    row = Qualification.objects.filter(type=type, worker=worker, state=State.GRANTED).first()
    if row is None or not Qualification.objects.filter(pk=row.pk, state=State.GRANTED).update(state=State.REVOKED):
        return False
    row.refresh_from_db(fields=["state"])
    _note(row, source, reason, user)
    return True


def _note(row: Qualification, source: str, reason: str, user: User | None) -> None:
    QualificationChange.objects.create(
        qualification=row, value=row.value, state=row.state, source=source, reason=reason, author=user
    )
    if source not in {"test", "auto"}:  # nobody's act
        recording.record(row.state.lower(), row.worker, qualification=row.type.name, value=row.value)


def held(worker: Worker, *, types: Collection[str] | None = None) -> dict[str, Held]:
    """What the worker holds by the type's public id, computed ones of MTurk's too; of `types` only, where given."""
    rows = Qualification.objects.filter(worker=worker, state=State.GRANTED, type__deleted_at__isnull=True)
    if types is not None:
        rows = rows.filter(type__public_id__in=types)
    mine = {type: Held(value) for type, value in rows.values_list("type__public_id", "value")}
    mine |= stated(worker)
    if types is None or {requirements.APPROVED_COUNT, requirements.APPROVED_SHARE} & set(types):
        mine |= _reckoned(worker)
    return mine if types is None else {type: what for type, what in mine.items() if type in types}


def stated(worker: Worker) -> dict[str, Held]:
    """What the worker says of themselves: of age, and where they live where they told."""
    told = {requirements.ADULT: Held(int(worker.adult))}
    if worker.country:
        told[requirements.LOCALE] = Held(locale=Locale(worker.country, worker.subdivision))
    return told


def _reckoned(worker: Worker) -> dict[str, Held]:
    counts = worker.assignments.filter(state=lifecycle.SUBMITTED).aggregate(
        submitted=Count("pk"),
        approved=Count("pk", filter=Q(approval="approved")),
        rejected=Count("pk", filter=Q(approval="rejected")),
    )
    return {
        requirements.APPROVED_COUNT: Held(counts["approved"]),
        requirements.APPROVED_SHARE: Held(requirements.share_approved(**counts)),
    }


def lacks(worker: Worker, batch: Batch, *, act: str = "accept") -> list[Lack]:
    """Which of the batch's requirements that guard `act` (discover, preview, accept) the worker does not meet."""
    asked = [one for one in requirements.read_all(batch.requirements) if one.guards(act)]
    return requirements.lacks(asked, held(worker, types={one.type for one in asked}), act) if asked else []


@transaction.atomic
def begin_test(type: QualificationType, worker: Worker) -> QualificationRequest:
    """Start the type's test, or go on with the one under way; its clock runs from `started_at`. Raises Refused."""
    under_way = _open(type, worker)
    if under_way is not None and under_way.state == Request.TESTING:
        return under_way
    _may_ask(type, worker, under_way)
    return QualificationRequest.objects.create(type=type, worker=worker, state=Request.TESTING, test=type.test)


@transaction.atomic
def request(
    type: QualificationType, worker: Worker, *, answer: str = "", value: int | None = None
) -> QualificationRequest:
    """Ask for a qualification: granted at once where the type says so, else it waits for a requester.

    `answer` is the test's (QuestionFormAnswers XML), `value` what its answer key gives: then it is granted with it.
    Raises TooSoon, Conflict when a request waits already, Refused when it cannot be asked for.
    """
    row = _open(type, worker)
    if type.test and not answer:
        raise Refused(_("This qualification has a test. Take it first."))
    said = {"answer": answer, "value": value, "submitted_at": clock.now()}
    if row is not None and row.state == Request.TESTING:
        row.move(Request.PENDING, since=Request.TESTING, **said)
        row.refresh_from_db()
    else:
        _may_ask(type, worker, row)
        row = QualificationRequest.objects.create(type=type, worker=worker, test=type.test, **said)
    if type.auto_granted:
        accept_request(row, value=type.auto_value, source="auto")
    elif value is not None:
        accept_request(row, value=value, source="test")
    return row


def _open(type: QualificationType, worker: Worker) -> QualificationRequest | None:
    Worker.objects.select_for_update(no_key=True).get(pk=worker.pk)  # one worker asks one thing at a time
    rows = QualificationRequest.objects.filter(type=type, worker=worker)
    return rows.filter(state__in=[Request.TESTING, Request.PENDING]).first()


def _may_ask(type: QualificationType, worker: Worker, under_way: QualificationRequest | None) -> None:
    if under_way is not None:
        raise Conflict(_("You asked for this qualification; the requester has not decided yet."))
    if not requestable(type) or not worker.active or is_blocked(worker):
        raise Refused(_("This qualification cannot be asked for now."))
    again_at = next_try(type, worker)
    if again_at is None:
        raise TooSoon(_("This qualification can be asked for only once, and you did."))
    if again_at > clock.now():
        local = timezone.localtime(again_at).strftime("%Y-%m-%d %H:%M %Z")
        raise TooSoon(_("You may ask for this qualification again on %(time)s.") % {"time": local}, again_at)


def requestable(type: QualificationType) -> bool:
    """Whether workers can ask for it at all."""
    return type.status == QualificationType.Status.ACTIVE and type.deleted_at is None


def next_try(type: QualificationType, worker: Worker) -> Any:
    """From when on the worker may ask; None: never again."""
    last = QualificationRequest.objects.filter(type=type, worker=worker).order_by("-started_at", "-pk").first()
    if last is None:
        return worker.created_at
    if type.retry_seconds is None:
        return None
    return (last.submitted_at or last.started_at) + timedelta(seconds=type.retry_seconds)


@transaction.atomic
def accept_request(
    asked: QualificationRequest, *, value: int | None = None, source: str = "hand", user: User | None = None
) -> Qualification:
    """Grant what was asked for, with `value`, or what the test gave, or 1. Raises Conflict when it was decided."""
    score = value if value is not None else (asked.value if asked.value is not None else 1)
    if not asked.move(Request.GRANTED, since=Request.PENDING, value=score, decided_at=Now()):
        raise Conflict(_("This request does not wait for a decision any more."))
    return grant(asked.type, asked.worker, score, source=source, user=user)


def reject_request(asked: QualificationRequest, *, reason: str = "") -> None:
    """Refuse a request, with a reason for the worker. Raises Conflict when it was decided."""
    if not asked.move(Request.REJECTED, since=Request.PENDING, reason=reason, decided_at=Now()):
        raise Conflict(_("This request does not wait for a decision any more."))
    asked.reason = reason
    recording.record("refused", asked.worker, qualification=asked.type.name)


@transaction.atomic
def block(worker: Worker, reason: str) -> WorkerBlock:
    """Give the worker no more work in the project; a second block only changes the reason, which they never see."""
    recording.record("blocked", worker, reason=reason)
    return WorkerBlock.objects.update_or_create(worker=worker, defaults={"reason": reason})[0]


@transaction.atomic
def unblock(worker: Worker) -> bool:
    """False when they were not blocked."""
    if not WorkerBlock.objects.filter(worker=worker).delete()[0]:
        return False
    recording.record("unblocked", worker)
    return True


def is_blocked(worker: Worker) -> bool:
    """Whether the project gives the worker no work."""
    return WorkerBlock.objects.filter(worker=worker).exists()
