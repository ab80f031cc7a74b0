"""Conversion between the MTurk API's JSON and our values, the meaning of its errors, and a guard of its client."""

import json
import re
from typing import Any, Final
from xml.sax.saxutils import escape

from annotation import guarded_connections
from annotation.marketplaces import base

XMLNS: Final = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
THROTTLED: Final = {"ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded", "429"}
PASSING: Final = {408, 425, 429}  # statuses below 500 after which a retry may succeed
THERE_BEFORE: Final = re.compile(r'HIT with ID "([A-Z0-9]+)" already exists')
TOKEN_USED: Final = ("has already been processed", "already created a QualificationType with this name")
STATE: Final = "operation can be called with a status of"


def external_question(url: str) -> str:
    """The question XML that shows a URL of ours in the marketplace's frame, at full height."""
    inner = f"<ExternalURL>{escape(url)}</ExternalURL><FrameHeight>0</FrameHeight>"
    return f'<ExternalQuestion xmlns="{XMLNS}">{inner}</ExternalQuestion>'


def must_be_json(response_dict: dict[str, Any], **_: Any) -> None:
    """Check that a response is a JSON object, `{}` at least; anything else came from a proxy."""
    try:
        body = json.loads(response_dict["body"] or b"")
    except ValueError:
        body = None
    if not isinstance(body, dict):
        status = response_dict["status_code"]
        raise base.TryAgain(f"HTTP {status} without an answer of the protocol", throttled=status == 429)


def meaning(response: dict[str, Any]) -> base.MarketplaceError:
    """The exception for an error of the API, without the timestamp at the end of its message."""
    error: dict[str, Any] = dict(response.get("Error", {}))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    code, words = str(error.get("Code", "")), str(error.get("Message", ""))
    text = re.sub(r"\s*\(\d+(?: s)?\)\s*$", "", words) or code or f"HTTP {status}"
    if code in THROTTLED or status == 429:
        return base.TryAgain(text, throttled=True)
    if status >= 500 or status in PASSING or code == "ServiceFault":
        return base.TryAgain(text)
    if found := THERE_BEFORE.search(text):
        return base.AlreadyThere(text, external_id=found[1])
    if any(phrase in text for phrase in TOKEN_USED):
        return base.AlreadyThere(text)
    if STATE in text:
        return base.WrongState(text)
    if "does not exist" in text:
        return base.Gone(text)
    return base.Denied(f"{text} ({code})" if code and code != "RequestError" else text)


def required(reply: dict[str, Any], member: str) -> Any:
    """A member that every valid response has."""
    if reply.get(member) is None:
        raise base.TryAgain(f"the answer lacks {member}")
    return reply[member]


def requirement(one: base.Requirement) -> dict[str, Any]:
    data: dict[str, Any] = {
        "QualificationTypeId": one.type_id,
        "Comparator": one.comparator,
        "ActionsGuarded": one.guard,
    }
    if one.values:
        data["IntegerValues"] = list(one.values)
    if one.locales:
        data["LocaleValues"] = [{"Country": c} | ({"Subdivision": s} if s else {}) for c, s in one.locales]
    return data


def hit_status(row: dict[str, Any]) -> base.HitStatus:
    return base.HitStatus(
        external_id=str(required(row, "HITId")),
        annotation=str(row.get("RequesterAnnotation", "")),
        status=str(required(row, "HITStatus")),
        title=str(row.get("Title", "")),
        places=int(required(row, "MaxAssignments")),
        pending=int(row.get("NumberOfAssignmentsPending", 0)),
        available=int(row.get("NumberOfAssignmentsAvailable", 0)),
        completed=int(row.get("NumberOfAssignmentsCompleted", 0)),
        expires_at=row.get("Expiration"),
    )


def work(row: dict[str, Any]) -> base.Work:
    return base.Work(
        external_id=str(required(row, "AssignmentId")),
        worker=str(required(row, "WorkerId")),
        state=str(required(row, "AssignmentStatus")),
        answer=str(row.get("Answer", "")),
        submitted_at=row.get("SubmitTime"),
        auto_approval_at=row.get("AutoApprovalTime"),
        decided_at=row.get("ApprovalTime") or row.get("RejectionTime"),
    )


def guard(client: Any) -> None:
    """Let a botocore client connect to public addresses only."""
    guarded_connections.guard(client._endpoint.http_session._manager)
