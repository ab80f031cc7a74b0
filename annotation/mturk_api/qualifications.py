"""Scores of qualifications, and requests for them."""

from django.utils.translation import gettext as _

from annotation.flow.errors import Conflict
from annotation.flow.notifications import worker_messages
from annotation.flow.people import qualification_types
from annotation.models import Qualification, QualificationRequest, QualificationType, Worker
from annotation.mturk_api import rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value, operation

LONGEST_REASON = 1000
State = Qualification.State


def shown(held: Qualification) -> JSON:
    """A score in the form of the API."""
    return {
        "QualificationTypeId": held.type.public_id,
        "WorkerId": held.worker.public_id,
        "GrantTime": held.granted_at,
        "IntegerValue": held.value,
        "Status": held.state,
    }


@operation("AssociateQualificationWithWorker")
def associate_qualification_with_worker(caller: Caller, request: JSON) -> JSON:
    """Grant a score; the worker is notified, unless the request says no or nothing changed."""
    type = rows.qualification_type(caller, request["QualificationTypeId"])
    worker = rows.worker(caller, request["WorkerId"])
    value = request.get("IntegerValue", 1)
    before = _held(type, worker)
    qualification_types.grant(type, worker, value, source="wire", user=caller.key.user)
    changed = before is None or (before.value, before.state) != (value, State.GRANTED)
    if changed and request.get("SendNotification", True):
        name = {"name": type.name}
        text = _("You were given the qualification “%(name)s”. Work that requires it may now be open to you.")
        worker_messages.send(worker, _("You have a new qualification"), text % name, author=caller.key.user)
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate_qualification_from_worker(caller: Caller, request: JSON) -> JSON:
    """Revoke a qualification, with a reason for the worker. An error if they do not hold it."""
    type = rows.qualification_type(caller, request["QualificationTypeId"])
    worker = rows.worker(caller, request["WorkerId"])
    _granted(type, worker)
    reason = _reason(request)
    qualification_types.revoke(type, worker, source="wire", reason=reason, user=caller.key.user)
    if reason:
        subject = _("Your qualification “%(name)s” was revoked") % {"name": type.name}
        worker_messages.send(worker, subject, reason, author=caller.key.user)
    return {}


def _reason(request: JSON) -> str:
    reason = str(request.get("Reason", "")).strip()
    if len(reason) > LONGEST_REASON:
        raise invalid_value(f"Reason has at most {LONGEST_REASON} characters.")
    return reason


def _held(type: QualificationType, worker: Worker) -> Qualification | None:
    return Qualification.objects.select_related("type", "worker").filter(type=type, worker=worker).first()


def _granted(type: QualificationType, worker: Worker) -> Qualification:
    held = _held(type, worker)
    if held is None:
        raise RequestError(
            "You requested a Qualification that does not exist: "
            f"Worker {worker.public_id} was not granted Qualification type {type.public_id}.",
            code="QualificationDoesNotExist",
        )
    if held.state != State.GRANTED:
        raise RequestError(
            f"This Qualification is currently in the state '{held.state}'.  "
            "This operation can be called with a status of: Granted",
            code="InvalidQualificationState",
        )
    return held


@operation("GetQualificationScore", atomic=False)
def get_qualification_score(caller: Caller, request: JSON) -> JSON:
    type = rows.qualification_type(caller, request["QualificationTypeId"])
    return {"Qualification": shown(_granted(type, rows.worker(caller, request["WorkerId"])))}


@operation("ListWorkersWithQualificationType", atomic=False)
def list_workers_with_qualification_type(caller: Caller, request: JSON) -> JSON:
    """The workers who hold a qualification (or held it, with Status Revoked), in the order of granting."""
    type = rows.qualification_type(caller, request["QualificationTypeId"])
    found = Qualification.objects.filter(type=type, state=request.get("Status", State.GRANTED))
    page, about = rows.page(found.select_related("type", "worker"), request, by="granted_at")
    return about | {"Qualifications": [shown(held) for held in page]}


@operation("ListQualificationRequests", atomic=False)
def list_qualification_requests(caller: Caller, request: JSON) -> JSON:
    """Open requests, oldest first; of one type if it is named."""
    found = QualificationRequest.objects.filter(
        type__project=caller.project, type__deleted_at__isnull=True, state=QualificationRequest.State.PENDING
    )
    if "QualificationTypeId" in request:
        found = found.filter(type=rows.qualification_type(caller, request["QualificationTypeId"]))
    page, about = rows.page(found.select_related("type", "worker"), request, by="submitted_at")
    return about | {"QualificationRequests": [_request_data(row) for row in page]}


def _request_data(row: QualificationRequest) -> JSON:
    return {
        "QualificationRequestId": row.public_id,
        "QualificationTypeId": row.type.public_id,
        "WorkerId": row.worker.public_id,
        "Test": row.test or None,
        "Answer": row.answer or None,
        "SubmitTime": row.submitted_at,
    }


@operation("AcceptQualificationRequest")
def accept_qualification_request(caller: Caller, request: JSON) -> JSON:
    row = rows.qualification_request(caller, request["QualificationRequestId"])
    try:
        qualification_types.accept_request(row, value=request.get("IntegerValue"), source="wire", user=caller.key.user)
    except Conflict:
        raise _decided(row) from None
    return {}


@operation("RejectQualificationRequest")
def reject_qualification_request(caller: Caller, request: JSON) -> JSON:
    """Reject a request, with a reason for the worker."""
    row = rows.qualification_request(caller, request["QualificationRequestId"])
    try:
        qualification_types.reject_request(row, reason=_reason(request))
    except Conflict:
        raise _decided(row) from None
    return {}


def _decided(row: QualificationRequest) -> RequestError:
    return RequestError(
        f"This Qualification request is currently in the state '{row.get_state_display()}'.  "
        "This operation can be called with a status of: Pending",
        code="InvalidQualificationRequestState",
    )
