"""Conversion of HITs, terms and assignments to and from the protocol's JSON; a page of them takes few queries."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db.models import F

from annotation.models import Approval, Assignment, QualificationType, WorkerResponse
from annotation.mturk_api import rows
from annotation.mturk_api.calls import JSON, Caller, RequestError
from annotation.mturk_api.flow import hit_funds
from annotation.mturk_api.flow.hit_creation import Terms
from annotation.mturk_api.models import Listing
from annotation.mturk_api.service import invalid
from annotation.pure.mturk import hit_status
from annotation.pure.mturk.mturk_xml import answers_xml, read_question
from annotation.pure.people import requirements
from annotation.pure.people.requirements import Locale, Requirement
from annotation.pure.text.xml_elements import Malformed

STATUS = {"": "Submitted", Assignment.Approved.APPROVED: "Approved", Assignment.Approved.REJECTED: "Rejected"}
SHORTEST, LONGEST = 30, 31_536_000  # seconds: half a minute, a year
LONGEST_APPROVAL = 2_592_000  # seconds: thirty days, also the default
MOST_ASSIGNMENTS = 1_000_000_000  # as MTurk has it
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255, "RequesterFeedback": 1024}
NUMBERS = {
    "LifetimeInSeconds": (SHORTEST, LONGEST),
    "AssignmentDurationInSeconds": (SHORTEST, LONGEST),
    "AutoApprovalDelayInSeconds": (0, LONGEST_APPROVAL),
    "MaxAssignments": (1, MOST_ASSIGNMENTS),
    "NumberOfAdditionalAssignments": (1, MOST_ASSIGNMENTS),
}
BROKEN = (
    "There was an error parsing the XML question or answer data in your request. Please make sure the data is "
    "well-formed and validates against the appropriate schema. Details: "
)
Read = TypeVar("Read")


def read_xml(read: Callable[[str], Read], xml: str) -> Read:
    """Parse the XML with `read`. Raises RequestError if it is malformed."""
    try:
        return read(xml)
    except Malformed as malformed:
        raise RequestError(f"{BROKEN}{malformed}", kind="ParameterValidationError", code="XMLParseError") from None


def check(request: JSON) -> None:
    """Hold the members that a request has to the documented limits. Raises RequestError."""
    for name, most in LENGTHS.items():
        if len(request.get(name, "")) > most:
            raise invalid(f"{name} must have at most {most} characters; it has {len(request[name])}.")
    for name, (least, most) in NUMBERS.items():
        if name in request and not least <= request[name] <= most:
            raise invalid(f"{name} must be from {least} to {most}; it is {request[name]}.")
    if "Title" in request and not request["Title"].strip():
        raise invalid("Title must not be empty.")


def read(caller: Caller, request: JSON) -> Terms:
    """The terms in a request of CreateHIT or CreateHITType. Raises RequestError."""
    check(request)
    conditions = [_requirement(row) for row in request.get("QualificationRequirements", [])]
    try:
        requirements.check(conditions)
    except requirements.InvalidRequirement as problem:
        raise invalid(str(problem)) from None
    _exist(caller, conditions)
    return Terms(
        title=request["Title"],
        description=request["Description"],
        reward=request["Reward"],
        duration=request["AssignmentDurationInSeconds"],
        keywords=request.get("Keywords", ""),
        auto_approval=request.get("AutoApprovalDelayInSeconds", LONGEST_APPROVAL),
        requirements=tuple(requirement.written() for requirement in conditions),
    )


def _requirement(row: JSON) -> Requirement:
    if "ActionsGuarded" in row and "RequiredToPreview" in row:
        raise RequestError(
            "The combination of parameters is not valid: only one of ActionsGuarded, RequiredToPreview can be given.",
            kind="InvalidParameterCombinationError",
        )
    old = "PreviewAndAccept" if row.get("RequiredToPreview") else "Accept"
    return Requirement(
        type=row["QualificationTypeId"],
        comparator=row["Comparator"],
        values=tuple(row.get("IntegerValues", ())),
        locales=tuple(Locale(at["Country"], at.get("Subdivision", "")) for at in row.get("LocaleValues", ())),
        guard=row.get("ActionsGuarded", old),
    )


def _exist(caller: Caller, conditions: list[Requirement]) -> None:
    """Raises RequestError for a type that is neither the caller's nor MTurk's own."""
    wanted = {requirement.type for requirement in conditions} - requirements.SYSTEM
    if not wanted:
        return
    own = QualificationType.objects.filter(project=caller.project, deleted_at__isnull=True, public_id__in=wanted)
    for missing in sorted(wanted - set(own.values_list("public_id", flat=True))):
        raise rows.no_type(missing)


def _shown(requirement: Requirement) -> JSON:
    """A requirement in the protocol's JSON, with both fields for the guarded actions."""
    locales = [{"Country": at.country, "Subdivision": at.subdivision or None} for at in requirement.locales]
    return {
        "QualificationTypeId": requirement.type,
        "Comparator": requirement.comparator,
        "RequiredToPreview": requirement.guard != "Accept",
        "ActionsGuarded": requirement.guard,
        "IntegerValues": list(requirement.values) or None,
        "LocaleValues": locales or None,
    }


def hits(listings: Sequence[Listing]) -> list[JSON]:
    """HIT structures of listings from `hit_funds.with_hit_state`, in their order."""
    return [hit(row) for row in listings]


def hit(row: Listing) -> JSON:
    """The HIT structure of a listing from `hit_funds.with_hit_state`."""
    it, batch = row.hit, row.hit.batch
    state = hit_funds.state_of(row)
    return {
        "HITId": it.public_id,
        "HITTypeId": batch.hit_type.public_id,
        "HITGroupId": batch.hit_type.group_id,
        "CreationTime": row.created_at,
        "Title": batch.title,
        "Description": batch.description,
        "Question": it.payload["question"],
        "Keywords": batch.keywords or None,
        "HITStatus": hit_status.status(state),
        "MaxAssignments": it.wanted,
        "Reward": it.reward,
        "AutoApprovalDelayInSeconds": batch.auto_approval,
        "Expiration": it.closes_at,
        "AssignmentDurationInSeconds": batch.lease_seconds,
        "RequesterAnnotation": row.annotation or None,
        "QualificationRequirements": [_shown(row) for row in requirements.read_all(batch.requirements)],
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": it.live,
        "NumberOfAssignmentsAvailable": state.available,
        "NumberOfAssignmentsCompleted": row.completed,
    }


def assignments(submitted: Sequence[Assignment]) -> list[JSON]:
    """Assignment structures of submitted assignments with `hit` and `worker`, in their order."""
    answers = WorkerResponse.objects.filter(assignment__in=submitted, revision=F("assignment__revision"))
    given = dict(answers.values_list("assignment", "answer"))
    decisions = Approval.objects.filter(assignment__in=submitted).exclude(text="").order_by("pk")
    feedback = dict(decisions.values_list("assignment", "text"))  # the last one
    return [_assignment(row, given.get(row.pk) or {}, feedback.get(row.pk)) for row in submitted]


def _assignment(row: Assignment, answer: JSON, feedback: str | None) -> JSON:
    rejected = row.approval == Assignment.Approved.REJECTED
    question = read_question(row.hit.payload["question"])
    return {
        "AssignmentId": row.public_id,
        "WorkerId": row.worker.public_id,
        "HITId": row.hit.public_id,
        "AssignmentStatus": STATUS[row.approval],
        "AutoApprovalTime": row.auto_approve_at,
        "AcceptTime": row.accepted_at,
        "SubmitTime": row.submitted_at,
        "ApprovalTime": None if rejected else row.approved_at,
        "RejectionTime": row.rejected_at if rejected else None,
        "Deadline": row.lease_until,
        "Answer": answers_xml(answer.get("fields", []), question),
        "RequesterFeedback": feedback,
    }
