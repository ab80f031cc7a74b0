"""Submissions of the emulated API, and what participants and time do to them."""

from datetime import timedelta
from typing import Any

from prolific_emulator import link_tokens, studies, webhooks
from prolific_emulator.routing import Call, Reply, operation, page_of
from prolific_emulator.world import (
    ACTIVE,
    APPROVED,
    AWAITING,
    PARTIAL,
    REJECTED,
    RESERVED,
    RETURNED,
    SCREENED_OUT,
    TIMED_OUT,
    BulkBonus,
    Problem,
    Submission,
    World,
    screen_out_reward,
    stamp,
)  # fmt: skip

SUBMISSIONS = "/api/v1/submissions/"
RESERVATION, REVIEW = timedelta(minutes=10), timedelta(days=21)
CATEGORIES = {"TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "INCOMP_LONGITUDINAL", "FAILED_CHECK", "LOW_EFFORT",
              "MALINGERING", "NO_CODE", "BAD_CODE", "NO_DATA", "UNSUPP_DEVICE", "OTHER"}  # fmt: skip
MOST_IDS = 1000


def move(world: World, one: Submission, to: str) -> None:
    """Give a submission another status, and announce it; the same status changes nothing."""
    if one.status == to:
        return
    one.approvals += to == APPROVED
    one.status = to
    more = {"participant_id": one.participant, "status": to, "study_id": one.study}
    webhooks.announce(world, "submission.status.change", one.id, more)
    studies.settle(world, world.studies[one.study])


# What participants do; the pages in `pages` and the simulated participants call these.


def reserve(world: World, study: dict[str, Any], participant: str) -> Submission:
    """A place for a participant; Problem where there is none for them."""
    earlier = [one for one in world.of_study(study["id"]) if one.participant == participant]
    most = study["submissions_config"].get("max_submissions_per_participant") or 1
    if study["status"] != studies.ACTIVE or world.places_taken(study["id"]) >= study["total_available_places"]:
        raise Problem(400, "The study has no free place.")
    if 0 < most <= len(earlier) or not _is_eligible(world, study, participant):  # -1: as often as they like
        raise Problem(400, "The study is not open to this participant.")
    url = studies.url_for(world, study)
    one = Submission(world.new_id(), study["id"], participant, RESERVED, reserved_at=world.now(), url=url)
    world.submissions[one.id] = one
    studies.settle(world, study)
    return one


def _is_eligible(world: World, study: dict[str, Any], participant: str) -> bool:
    return all(_passes(world, chosen, participant) for chosen in study.get("filters") or [])


def _passes(world: World, chosen: dict[str, Any], participant: str) -> bool:
    """Whether a filter lets the participant in; what the emulator does not know of them always does."""
    what, _line, side = chosen["filter_id"].rpartition("_")
    if "selected_filters" in chosen:
        each = [_passes(world, part, participant) for part in chosen["selected_filters"]]
        return any(each) if chosen["filter_id"] == "or" else all(each)
    named = chosen.get("selected_values", [])
    known: dict[str, set[str]] = {
        "participant_group": {who for name in named for who in world.groups.get(name, {}).get("members", {})},
        "previous_studies": {one.participant for one in world.submissions.values() if one.study in named},
        "custom": set(named),
    }
    if what not in known or side not in {"allowlist", "blocklist"}:
        return True
    return (participant in known[str(what)]) is (side == "allowlist")


def start(world: World, one: Submission) -> str:
    """The participant opens the study; returns the URL that their browser goes to."""
    if one.status not in {RESERVED, ACTIVE}:
        raise Problem(400, f"The submission is {one.status}.")
    one.started_at = one.started_at or world.now()
    move(world, one, ACTIVE)
    url = one.url if world.studies[one.study].get("access_details") else world.studies[one.study]["external_study_url"]
    given = {"PROLIFIC_PID": one.participant, "STUDY_ID": one.study, "SESSION_ID": one.id}
    for name, value in given.items():
        url = url.replace("{{%" + name + "%}}", value)
    if world.studies[one.study]["is_external_study_url_secure"]:
        return link_tokens.signed(world, one, url, given)
    return url


def complete(world: World, one: Submission, code: str) -> None:
    """The participant comes back with a code; an unknown one is left to the researcher."""
    if one.status not in {ACTIVE, RESERVED}:
        raise Problem(400, f"The submission is {one.status}.")
    one.completed_at, one.code = world.now(), code
    move(world, one, AWAITING)
    for known in world.studies[one.study]["completion_codes"]:
        if known["code"] == code and known.get("actor", "participant") == "participant":
            _carry_out(world, one, known["actions"])


def _carry_out(world: World, one: Submission, actions: list[dict[str, Any]]) -> None:
    for chosen in actions:
        action = chosen["action"]
        if action == "AUTOMATICALLY_APPROVE":
            move(world, one, APPROVED)
        elif action == "FIXED_SCREEN_OUT_PAYMENT":
            move(world, one, SCREENED_OUT)
            study, rows = world.studies[one.study], world.of_study(one.study)
            if sum(row.status == SCREENED_OUT for row in rows) >= chosen["slots"] and study["status"] == studies.ACTIVE:
                studies.move(world, study, studies.PAUSED)
        elif action == "REQUEST_RETURN":
            one.return_requested = world.now()
        elif action in {"ADD_TO_PARTICIPANT_GROUP", "REMOVE_FROM_PARTICIPANT_GROUP"}:
            members = world.groups[chosen["participant_group"]]["members"]
            members.pop(one.participant, None)
            if action.startswith("ADD"):
                members[one.participant] = stamp(world.now())


def return_(world: World, one: Submission) -> None:
    """The participant gives the place back."""
    if one.status not in {RESERVED, ACTIVE, AWAITING}:
        raise Problem(400, f"The submission is {one.status}.")
    move(world, one, RETURNED)


def act_on_time(world: World) -> None:
    """What time alone causes: reservations and stays that end, automatic approval, and what was delayed."""
    now = world.now()
    studies.publish_due(world)
    for one in list(world.submissions.values()):
        if _is_over(world, one):
            move(world, one, TIMED_OUT)
        elif one.status == AWAITING and one.completed_at and now > one.completed_at + REVIEW:
            move(world, one, APPROVED)
    due = [row for row in world.delayed if row[0] <= now]
    world.delayed = [row for row in world.delayed if row[0] > now]
    for _when, what, which in due:
        if what == "bonus":
            world.submissions[which[0]].bonuses.append(which[1])
        elif world.submissions[which].status == AWAITING:
            move(world, world.submissions[which], APPROVED)


def _is_over(world: World, one: Submission) -> bool:
    """Whether the reservation or the time for the study has run out."""
    now, longest = world.now(), studies.longest(world.studies[one.study])
    started = one.started_at or one.reserved_at
    return now > {RESERVED: one.reserved_at + RESERVATION, ACTIVE: started + longest}.get(one.status, now)


# The researcher's operations.


def documented_status(one: Submission) -> str:
    """Its status where the description of theirs has no PARTIALLY APPROVED."""
    return APPROVED if one.status == PARTIAL else one.status


def short(one: Submission) -> dict[str, Any]:
    return {
        "id": one.id,
        "participant_id": one.participant,
        "status": documented_status(one),
        "started_at": stamp(one.started_at or one.reserved_at),
        "completed_at": stamp(one.completed_at),
        "has_siblings": False,
        "study_code": one.code,
        "return_requested": stamp(one.return_requested),
    }


def detail(one: Submission) -> dict[str, Any]:
    return {
        "id": one.id,
        "completed_at": stamp(one.completed_at),
        "entered_code": one.code,
        "participant": one.participant,
        "started_at": stamp(one.started_at or one.reserved_at),
        "status": one.status,
        "study_id": one.study,
        "bonus_payments": list(one.bonuses),
        "return_requested": stamp(one.return_requested),
    }


@operation("GET", SUBMISSIONS)
def listed(call: Call) -> Reply:
    study = call.query.get("study", "")
    if not study:
        raise Problem(400, {"study": ["This field is required."]})
    call.world.find("study", study)
    status = call.query.get("status", "").upper().replace("_", " ")
    rows = [one for one in call.world.of_study(study) if status in {"", one.status}]
    return page_of(call, [short(one) for one in rows])


@operation("GET", studies.STUDIES + "{id}/submissions/")
def listed_of_study(call: Call) -> Reply:
    return page_of(call, [short(one) for one in call.world.of_study(call.named("study")["id"])])


@operation("GET", studies.STUDIES + "{id}/submissions/counts/")
def counts(call: Call) -> Reply:
    rows = [one.status for one in call.world.of_study(call.named("study")["id"])]
    names = (ACTIVE, APPROVED, AWAITING, REJECTED, RESERVED, RETURNED, TIMED_OUT, PARTIAL, SCREENED_OUT)
    return Reply(200, {name: rows.count(name) for name in names} | {"TOTAL": len(rows)})


@operation("GET", SUBMISSIONS + "{id}/")
def shown(call: Call) -> Reply:
    return Reply(200, detail(call.named("submission")))


@operation("POST", SUBMISSIONS + "{id}/transition/")
def transition(call: Call) -> Reply:
    one, (action,) = call.named("submission"), call.required("action")
    since, to = _transition(call, action)
    part = _part(call, one) if action == "COMPLETE" else None
    if part is not None:
        one.part_calls += 1
        since, to = {ACTIVE, AWAITING}, PARTIAL
    if one.status != to:
        if one.status not in since:
            raise Problem(
                400, f"The action {action} is not possible while the submission is {one.status}.", code=140_303
            )
        if action == "REJECT":
            one.reject_reason = call.body["message"]
        if action == "COMPLETE" and part is None:
            complete(call.world, one, call.body["completion_code"])
        else:
            one.part = one.part if part is None else part
            move(call.world, one, to)
    shown = detail(one) | {"status": documented_status(one)}
    return Reply(200, {name: value for name, value in shown.items() if name != "bonus_payments"})


def _part(call: Call, one: Submission) -> int | None:
    """What the researcher's code pays instead of the reward; None for a participant's code."""
    study = call.world.studies[one.study]
    named = [code for code in study["completion_codes"] if code["code"] == call.body["completion_code"]]
    if not named:
        raise Problem(400, {"completion_code": ["The study has no such code."]})
    if named[0].get("actor", "participant") == "participant":
        return None
    percent: int = (call.body.get("completion_code_data") or {}).get("percentage_of_reward", 0)
    if not 8 <= percent <= 99:
        raise Problem(400, {"completion_code_data": ["percentage_of_reward must be between 8 and 99."]})
    return round(int(study["reward"]) * percent / 100)


def _transition(call: Call, action: str) -> tuple[set[str], str]:
    """(the statuses from which it goes, the status it leads to)."""
    if action == "REJECT":
        message, category = call.required("message", "rejection_category")
        if len(message) < 100:
            raise Problem(400, {"message": ["Ensure this field has at least 100 characters."]})
        if category not in CATEGORIES:
            raise Problem(400, {"rejection_category": [f"{category} is not a valid choice."]})
    if action == "COMPLETE":
        call.required("completion_code")
    known = {
        "APPROVE": ({AWAITING}, APPROVED),
        "REJECT": ({AWAITING}, REJECTED),
        "UNREJECT": ({REJECTED}, AWAITING),
        "RETURN": ({RESERVED, ACTIVE, AWAITING}, RETURNED),
        "UNRETURN": ({RETURNED}, AWAITING),
        "START": ({RESERVED}, ACTIVE),
        "COMPLETE": ({ACTIVE}, AWAITING),
        "SCREEN_OUT": ({ACTIVE, AWAITING}, SCREENED_OUT),
    }
    if action not in known:
        raise Problem(400, {"action": [f"{action} is not a valid choice."]})
    return known[action]


@operation("POST", studies.STUDIES + "{id}/screen-out-submissions/")
def screen_out(call: Call) -> Reply:
    """Screen participants out, each with the same pay: an operation of theirs that is no longer described."""
    world, study, (names,) = call.world, call.named("study"), call.required("submission_ids")
    rows = [world.find("submission", name) for name in dict.fromkeys(names)]
    if wrong := [one.id for one in rows if one.study != study["id"] or one.status not in {ACTIVE, AWAITING}]:
        raise Problem(400, [f"Submission {name} cannot be screened out." for name in wrong])
    cents = round(float(call.body.get("bonus_per_submission") or 0) * 100)
    if not 0 <= cents < study["reward"]:
        raise Problem(400, {"bonus_per_submission": ["It must be less than the reward of the study."]})
    bonus = BulkBonus(world.new_id(), study["id"], [(one.id, cents) for one in rows if cents], calls=1)
    world.bonuses[bonus.id] = bonus
    study["total_available_places"] += len(rows) if call.body.get("increase_places") else 0
    for one in rows:
        one.bonuses += [cents] if cents else []
        move(world, one, SCREENED_OUT)
    paid = {"amount": (cents or screen_out_reward(study)) / 100, "currency": world.currency}
    text = "The request to bulk screen out has been made successfully."
    return Reply(200, {"message": text, "payment_per_participant": paid})


@operation("POST", SUBMISSIONS + "{id}/request-return/")
def request_return(call: Call) -> Reply:
    one, _reasons = call.named("submission"), call.required("request_return_reasons")
    if one.status != AWAITING:
        raise Problem(400, f"A return cannot be requested while the submission is {one.status}.")
    one.return_requested = one.return_requested or call.world.now()
    told = stamp(one.return_requested)
    return Reply(200, {"id": one.id, "status": one.status, "participant": one.participant, "return_requested": told})


@operation("POST", SUBMISSIONS + "bulk-approve/")
def bulk_approve(call: Call) -> Reply:
    names = call.body.get("submission_ids")
    if names is None:
        study, who = call.required("study_id", "participant_ids")
        names = [one.id for one in call.world.of_study(study) if one.participant in set(who)]
    if len(names) > MOST_IDS:
        raise Problem(400, f"At most {MOST_IDS} submissions can be approved at once.")
    rows = [call.world.find("submission", name) for name in names]
    early = [one.id for one in rows if one.status not in {AWAITING, APPROVED}]
    if early:
        raise Problem(400, [f"Submission {name} cannot be approved." for name in early], code=140_303)
    due = call.world.now() + call.world.approval_delay
    call.world.delayed += [(due, "approve", one.id) for one in rows]
    act_on_time(call.world)
    return Reply(200, "The submissions are being approved.")
