"""Qualification types: create, change, list, delete. MTurk's own ones can be read by everybody."""

from datetime import UTC, datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotation.flow.people import qualification_types
from annotation.models import QualificationType
from annotation.mturk_api import rows
from annotation.mturk_api.calls import JSON, Caller, RequestError, invalid_value, operation
from annotation.mturk_api.representation import read_xml
from annotation.pure.mturk import mturk_xml, question_form
from annotation.pure.people import requirements

TAKEN = (
    "You have already created a QualificationType with this name. A QualificationType's name must be unique among "
    "all of the QualificationTypes created by the same user."
)
LONGEST_NAME, LONGEST_KEYWORDS, MOST_SECONDS = 200, 1000, 2**31 - 1
BEGINNING = datetime(2005, 11, 2, tzinfo=UTC)

SYSTEM = [
    ("Masters (sandbox)", requirements.MASTERS_SANDBOX, "Held by nobody here: this marketplace names no Masters."),
    ("Masters", requirements.MASTERS, "Held by nobody here: this marketplace names no Masters."),
    ("Worker_NumberHITsApproved", requirements.APPROVED_COUNT, "How many assignments of the worker were approved."),
    ("Worker_Locale", requirements.LOCALE, "Where the worker lives, as they say themselves."),
    ("Worker_Adult", requirements.ADULT, "1 for workers who are of age and willing to see adult content."),
    (
        "Worker_PercentAssignmentsApproved",
        requirements.APPROVED_SHARE,
        "How many percent of the worker's decided assignments were approved; 100 until 100 were submitted.",
    ),
]
SYSTEM_TYPES = [
    QualificationType(pk=pk, public_id=public_id, name=name, description=text, created_at=BEGINNING)
    for pk, (name, public_id, text) in enumerate(SYSTEM, 1)
]

# Members of a request that are stored unchanged in a column.
COLUMNS = {
    "Description": "description",
    "Keywords": "keywords",
    "QualificationTypeStatus": "status",
    "RetryDelayInSeconds": "retry_seconds",
    "Test": "test",
    "AnswerKey": "answer_key",
    "TestDurationInSeconds": "test_seconds",
    "AutoGranted": "auto_granted",
    "AutoGrantedValue": "auto_value",
}


def shown(type: QualificationType) -> JSON:
    """A type in the form of the API."""
    data: JSON = {
        "QualificationTypeId": type.public_id,
        "CreationTime": type.created_at,
        "Name": type.name,
        "Description": type.description,
        "QualificationTypeStatus": type.status,
        "IsRequestable": type.public_id not in requirements.SYSTEM,
        "AutoGranted": type.auto_granted,
        "Keywords": type.keywords or None,
        "RetryDelayInSeconds": type.retry_seconds,
        "Test": type.test or None,
        "TestDurationInSeconds": type.test_seconds if type.test else None,
        "AnswerKey": type.answer_key or None,
    }
    return data | ({"AutoGrantedValue": type.auto_value} if type.auto_granted else {})


@operation("CreateQualificationType")
def create_qualification_type(caller: Caller, request: JSON) -> JSON:
    name = request["Name"].strip()
    if not name or len(name) > LONGEST_NAME:
        raise invalid_value(f"Name must have 1 to {LONGEST_NAME} characters.")
    terms = _terms(request)
    try:
        made = qualification_types.create_type(caller.project, name, **({"description": ""} | terms))
    except qualification_types.NameTaken:
        raise RequestError(TAKEN, code="QualificationTypeAlreadyExists") from None
    return {"QualificationType": shown(made)}


@operation("UpdateQualificationType")
def update_qualification_type(caller: Caller, request: JSON) -> JSON:
    """Change the given members; a new test without an answer key removes the old key."""
    type = rows.qualification_type(caller, request["QualificationTypeId"])
    if "Test" not in request and ("AnswerKey" in request or "TestDurationInSeconds" in request):
        raise invalid_value("Test must be specified to change AnswerKey or TestDurationInSeconds.")
    if request.get("AutoGranted") and type.test:
        raise _both()
    terms = _terms(request)
    if "Test" in request:
        terms.setdefault("answer_key", "")
    return {"QualificationType": shown(qualification_types.update_type(type, **terms) if terms else type)}


def _terms(request: JSON) -> dict[str, Any]:
    """The request's members as columns. Raises RequestError for contradictory or missing ones."""
    terms = {column: request[member] for member, column in COLUMNS.items() if member in request}
    if request.get("Test") and request.get("AutoGranted"):
        raise _both()
    if "Test" in request and "TestDurationInSeconds" not in request:
        raise invalid_value("TestDurationInSeconds must be specified with Test.")
    if "AnswerKey" in request and "Test" not in request:
        raise invalid_value("Test must be specified with AnswerKey.")
    for member, least in [("RetryDelayInSeconds", 0), ("TestDurationInSeconds", 1)]:
        if not least <= request.get(member, least) <= MOST_SECONDS:
            raise invalid_value(f"{member} must be from {least} to {MOST_SECONDS}.")
    if len(request.get("Keywords", "")) > LONGEST_KEYWORDS:
        raise invalid_value(f"Keywords has at most {LONGEST_KEYWORDS} characters.")
    if "Test" in request and not isinstance(
        read_xml(mturk_xml.read_question, request["Test"]), question_form.QuestionForm
    ):
        raise invalid_value("Test must be a QuestionForm.")
    if "AnswerKey" in request:
        read_xml(mturk_xml.read_answer_key, request["AnswerKey"])
    return terms


def _both() -> RequestError:
    return RequestError(
        "The following parameters cannot be used together: Test, AutoGranted.",
        kind="InvalidParameterCombinationError",
        code="InvalidParameterValue",
    )


@operation("GetQualificationType", atomic=False)
def get_qualification_type(caller: Caller, request: JSON) -> JSON:
    wanted = request["QualificationTypeId"]
    of_system = next((type for type in SYSTEM_TYPES if type.public_id == wanted), None)
    return {"QualificationType": shown(of_system or rows.qualification_type(caller, wanted))}


@operation("DeleteQualificationType")
def delete_qualification_type(caller: Caller, request: JSON) -> JSON:
    """Delete a type; its name is free at once, open requests are rejected. Idempotent."""
    qualification_types.delete_type(rows.qualification_type(caller, request["QualificationTypeId"], deleted=True))
    return {}


@operation("ListQualificationTypes", atomic=False)
def list_qualification_types(caller: Caller, request: JSON) -> JSON:
    """The caller's types, oldest first, after MTurk's own, unless the request is for own or requestable types only."""
    words = request.get("Query", "").split()
    found = _matching(qualification_types.types_of(caller.project), words)
    requestable = request["MustBeRequestable"]
    if requestable:
        found = found.filter(status=QualificationType.Status.ACTIVE)
    if requestable or request.get("MustBeOwnedByCaller", False):
        page, about = rows.page(found, request)
    else:
        fixed = [type for type in SYSTEM_TYPES if _speaks_of(type, words)]
        page, about = rows.page_after(fixed, found, request)
    return about | {"QualificationTypes": [shown(type) for type in page]}


def _matching(types: QuerySet[QualificationType], words: list[str]) -> QuerySet[QualificationType]:
    for word in words:
        types = types.filter(Q(name__icontains=word) | Q(description__icontains=word) | Q(keywords__icontains=word))
    return types


def _speaks_of(type: QualificationType, words: list[str]) -> bool:
    return all(word.lower() in f"{type.name} {type.description}".lower() for word in words)
