"""Conversion between the JSON of Prolific's API and our values. Money goes out in pounds or dollars, or in cents."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from annotation.marketplaces import base
from annotation.marketplaces.prolific.client import member
from annotation.marketplaces.study_base import (
    Outcome,
    Status,
    StudyEvent,
    StudySpec,
    StudyState,
    StudyStatus,
    Submission,
)

STATUSES: Final = {
    "RESERVED": Status.RESERVED,
    "ACTIVE": Status.ACTIVE,
    "AWAITING REVIEW": Status.AWAITING,
    "APPROVED": Status.APPROVED,
    "PARTIALLY APPROVED": Status.PARTLY_APPROVED,
    "REJECTED": Status.REJECTED,
    "RETURNED": Status.RETURNED,
    "TIMED-OUT": Status.TIMED_OUT,
    "SCREENED OUT": Status.SCREENED_OUT,
}
STUDY_STATUSES: Final = {
    "UNPUBLISHED": StudyStatus.DRAFT,
    "SCHEDULED": StudyStatus.SCHEDULED,
    "PUBLISHING": StudyStatus.ACTIVE,
    "PROCESSING": StudyStatus.ACTIVE,
    "ACTIVE": StudyStatus.ACTIVE,
    "PAUSED": StudyStatus.PAUSED,
    "AWAITING REVIEW": StudyStatus.STOPPED,
    "COMPLETED": StudyStatus.STOPPED,
}
CODE_TYPES: Final = {
    Outcome.DONE: "COMPLETED",
    Outcome.NO_CONSENT: "NO_CONSENT",
    Outcome.FAILED_CHECKS: "FAILED_ATTENTION_CHECK",
    Outcome.SCREENED_OUT: "SCREENED_OUT",
    Outcome.INCOMPATIBLE: "INCOMPATIBLE_DEVICE",
}
RETURNS: Final = {  # outcomes without work, which the participant is asked to return
    Outcome.NO_CONSENT: "You did not consent to take part.",
    Outcome.INCOMPATIBLE: "The study does not work on this device.",
}
# columns of the demographic export: as files name them, and as the description of the API does
DEMOGRAPHICS: Final = frozenset(
    {"age", "sex", "ethnicity simplified", "ethnicity (simplified)", "language", "first language", "nationality",
     "country of residence", "current country of residence", "country of birth", "student status",
     "employment status"}
)  # fmt: skip
SCREEN_OUT_PAYMENT = "FIXED_SCREEN_OUT_PAYMENT"
SIGNED, SIGNED_AT, EVENT_ID = "x-prolific-request-signature", "x-prolific-request-timestamp", "x-event-id"
ALLOW, BLOCK = "participant_group_allowlist", "participant_group_blocklist"


def study_body(
    spec: StudySpec, *, project: str = "", is_signed: bool = False, pays_parts: bool = False
) -> dict[str, Any]:
    """The body that creates a draft."""
    mark = "&" if "?" in spec.url else "?"
    parameters = "&".join(f"{name}={{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"))
    groups = [(ALLOW, spec.allow), (BLOCK, spec.block)]
    body: dict[str, Any] = {
        "name": spec.name,
        "internal_name": internal_name(spec),
        "description": spec.description,
        "external_study_url": f"{spec.url}{mark}{parameters}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [_code(Outcome(outcome), code, spec) for outcome, code in spec.codes.items()],
        "total_available_places": spec.places,
        "estimated_completion_time": spec.minutes,
        "maximum_allowed_time": spec.max_minutes,
        "reward": cents(spec.reward),
        "study_labels": ["annotation"],
        "content_warnings": [spec.warning] if spec.warning else [],
        "content_warning_details": spec.warning_details,
        "metadata": spec.token,
        "filters": [{"filter_id": name, "selected_values": list(chosen)} for name, chosen in groups if chosen],
    }
    if is_signed:  # only where asked for: a workspace that lacks it may refuse the study; so with partial payment
        body["is_external_study_url_secure"] = True
    if pays_parts:
        part = {"code": part_code(spec.token), "code_type": "OTHER", "actions": [{"action": "DYNAMIC_PAYMENT"}]}
        body["completion_codes"].append(part | {"actor": "researcher"})
    return body | ({"project": project} if project else {})


def part_code(token: str) -> str:
    """The code by which the researcher pays a part of the reward; participants cannot use it."""
    return f"PART-{token[:8].upper()}"


def internal_name(spec: StudySpec) -> str:
    """A name that only researchers see; its last word is the token, because lists of studies hold no metadata."""
    return f"{spec.name[:80]} {spec.token}"


def _code(outcome: Outcome, code: str, spec: StudySpec) -> dict[str, Any]:
    kind = CODE_TYPES[outcome]
    action: dict[str, Any] = {"action": "MANUALLY_REVIEW"}
    if outcome in RETURNS:
        action = {"action": "REQUEST_RETURN", "return_reason": RETURNS[outcome]}
    elif outcome == Outcome.SCREENED_OUT and spec.screen_out_reward:
        paid = {"fixed_screen_out_reward": cents(spec.screen_out_reward), "slots": spec.screen_out_places}
        kind, action = "FIXED_SCREENOUT", {"action": SCREEN_OUT_PAYMENT, **paid}
    return {"code": code, "code_type": kind, "actions": [action], "actor": "participant"}


def cents(amount: Decimal) -> int:
    """An amount in pence or cents. Raises Denied for a fraction of one."""
    whole = amount * 100
    if whole != whole.to_integral_value():
        raise base.Denied(f"{amount} is not a whole number of pence or cents")
    return int(whole)


def units(amount: Any) -> Decimal:
    """Pence or cents of theirs as pounds or dollars."""
    return (Decimal(str(amount)) / 100).quantize(Decimal("0.01"))


def study_state(row: dict[str, Any]) -> StudyState:
    """A study; without `total_cost` its cost is unknown."""
    status = str(member(row, "status"))
    return StudyState(
        external_id=str(member(row, "id")),
        status=STUDY_STATUSES.get(status, StudyStatus.PAUSED),
        places=int(member(row, "total_available_places")),
        taken=int(row.get("places_taken") or 0),
        cost=units(row["total_cost"]) if row.get("total_cost") is not None else None,
        reward=units(member(row, "reward")),
        screen_out_places=int(screen_out(row)[1].get("slots", 0)),
    )


def screen_out(row: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A study's code for being screened out with pay, and its action; ("", {}) if there is none."""
    for code in row.get("completion_codes") or []:
        for action in code.get("actions") or []:
            if action.get("action") == SCREEN_OUT_PAYMENT:
                return str(code["code"]), action
    return "", {}


def submission(row: dict[str, Any], *, study: str = "") -> Submission:
    """A submission as it is shown by itself, or in a list; a list has other names, and no bonuses."""
    return Submission(
        external_id=str(member(row, "id")),
        participant=str(row.get("participant") or row.get("participant_id") or ""),
        study=str(row.get("study_id") or study),
        status=STATUSES.get(str(member(row, "status")), Status.UNKNOWN),
        code=str(row.get("entered_code") or row.get("study_code") or ""),
        started_at=moment(row.get("started_at")),
        completed_at=moment(row.get("completed_at")),
        bonuses=tuple(units(amount) for amount in row.get("bonus_payments") or ()),
    )


def moment(text: Any) -> datetime | None:
    """A time of theirs, which is in UTC if it does not say; None for none."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        raise base.TryAgain(f"{text!r} is not a time") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def event(secret: str, headers: Mapping[str, str], body: bytes) -> StudyEvent:
    """The event of a webhook. Raises Denied unless it is signed with the secret; its age is not judged."""
    given = {name.lower(): value for name, value in headers.items()}
    at, signed = given.get(SIGNED_AT, ""), given.get(SIGNED, "")
    digest = hmac.new(secret.encode(), at.encode() + body, hashlib.sha256).digest()
    if not secret or not hmac.compare_digest(base64.b64encode(digest), signed.encode()):
        raise base.Denied("The signature is wrong.")
    try:
        data = json.loads(body)
        return StudyEvent(
            id=given[EVENT_ID],
            kind=str(data["event_type"]),
            resource_id=str(data["resource_id"]),
            status=str(data.get("status", "")),
            at=datetime.fromtimestamp(int(at), UTC),
        )
    except (ValueError, KeyError, TypeError):
        raise base.Denied("The event is not one of theirs.") from None
