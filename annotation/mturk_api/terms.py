"""The terms of a HIT as the protocol writes them: limits of each, and qualification requirements to and fro."""

from __future__ import annotations

from typing import Any

from annotation.flow.listing import Terms
from annotation.models import QualificationType
from annotation.mturk_api import rows
from annotation.mturk_api.errors import WireError
from annotation.mturk_api.registry import JSON, Caller
from annotation.mturk_api.service import invalid
from annotation.pure import requirements
from annotation.pure.requirements import Locale, Requirement

SHORTEST, LONGEST = 30, 31_536_000  # seconds: half a minute, a year
LONGEST_APPROVAL = 2_592_000  # seconds: thirty days, and what holds where nothing is said
MOST_ASSIGNMENTS = 1_000_000_000
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255, "RequesterFeedback": 1024}
NUMBERS = {
    "LifetimeInSeconds": (SHORTEST, LONGEST),
    "AssignmentDurationInSeconds": (SHORTEST, LONGEST),
    "AutoApprovalDelayInSeconds": (0, LONGEST_APPROVAL),
    "MaxAssignments": (1, MOST_ASSIGNMENTS),
    "NumberOfAdditionalAssignments": (1, MOST_ASSIGNMENTS),
}


def check(request: JSON) -> None:
    """Hold the members that a request has to the documented limits. Raises WireError."""
    for name, most in LENGTHS.items():
        if len(request.get(name, "")) > most:
            raise invalid(f"{name} must have at most {most} characters; it has {len(request[name])}.")
    for name, (least, most) in NUMBERS.items():
        if name in request and not least <= request[name] <= most:
            raise invalid(f"{name} must be from {least} to {most}; it is {request[name]}.")
    if "Title" in request and not request["Title"].strip():
        raise invalid("Title must not be empty.")


def read(caller: Caller, request: JSON) -> Terms:
    """The terms in a request of CreateHIT or CreateHITType. Raises WireError."""
    check(request)
    asked = [_requirement(row) for row in request.get("QualificationRequirements", [])]
    try:
        requirements.check(asked)
    except requirements.Unfit as unfit:
        raise invalid(str(unfit)) from None
    _exist(caller, asked)
    return Terms(
        title=request["Title"],
        description=request["Description"],
        reward=request["Reward"],
        duration=request["AssignmentDurationInSeconds"],
        keywords=request.get("Keywords", ""),
        auto_approval=request.get("AutoApprovalDelayInSeconds", LONGEST_APPROVAL),
        requirements=tuple(one.written() for one in asked),
    )


def _requirement(row: JSON) -> Requirement:
    if "ActionsGuarded" in row and "RequiredToPreview" in row:
        raise WireError(
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


def _exist(caller: Caller, asked: list[Requirement]) -> None:
    """Raises WireError for a type that is neither the caller's nor MTurk's own."""
    wanted = {one.type for one in asked} - requirements.SYSTEM
    if not wanted:
        return
    own = QualificationType.objects.filter(project=caller.project, deleted_at__isnull=True, public_id__in=wanted)
    for missing in sorted(wanted - set(own.values_list("public_id", flat=True))):
        raise rows.no_type(missing)


def shown(stored: list[dict[str, Any]]) -> list[JSON]:
    """Requirements as stored, written as the protocol does: both ways of saying what is guarded."""
    return [_shown(one) for one in requirements.read_all(stored)]


def _shown(one: Requirement) -> JSON:
    told: JSON = {
        "QualificationTypeId": one.type,
        "Comparator": one.comparator,
        "RequiredToPreview": one.guard != "Accept",
        "ActionsGuarded": one.guard,
    }
    if one.values:
        told["IntegerValues"] = list(one.values)
    if one.locales:
        told["LocaleValues"] = [
            {"Country": at.country} | ({"Subdivision": at.subdivision} if at.subdivision else {}) for at in one.locales
        ]
    return told
