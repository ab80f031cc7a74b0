"""Studies of the emulated API: drafts, changes, transitions, costs."""

from __future__ import annotations

import copy
import math
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from annotation.prolific_emulator import filters, webhooks
from annotation.prolific_emulator.problems import Problem, unknown
from annotation.prolific_emulator.routing import Call, Reply, operation, page_of
from annotation.prolific_emulator.world import FEE, HOLDS_PLACE, World, screen_out_reward, stamp

STUDIES = "/api/v1/studies/"
UNPUBLISHED, SCHEDULED, ACTIVE, PAUSED, COMPLETED = "UNPUBLISHED", "SCHEDULED", "ACTIVE", "PAUSED", "COMPLETED"
FULL = "AWAITING REVIEW"
REQUIRED = ("name", "description", "prolific_id_option", "completion_codes",
            "total_available_places", "estimated_completion_time", "reward")  # fmt: skip
REFUSED = ("eligibility_requirements",)
CHANGED_LATER = {"internal_name", "total_available_places", "access_details", "submissions_config"}
DEFAULTS: dict[str, Any] = {
    "internal_name": None,
    "device_compatibility": ["desktop", "tablet", "mobile"],
    "peripheral_requirements": [],
    "filters": [],
    "metadata": None,
    "is_external_study_url_secure": False,
    "submissions_config": {"max_submissions_per_participant": 1, "max_concurrent_submissions": -1},
}
SHORT = ("id", "name", "internal_name", "status", "estimated_completion_time", "total_available_places", "reward",
         "published_at", "publish_at", "date_created", "is_ready_to_publish")  # fmt: skip
FLOOR = 600  # pence an hour
# {(status, action): the next status}
TRANSITIONS = {
    (UNPUBLISHED, "PUBLISH"): ACTIVE,
    (UNPUBLISHED, "SCHEDULE_PUBLISH"): SCHEDULED,
    (SCHEDULED, "CANCEL_PUBLISH"): UNPUBLISHED,
    (ACTIVE, "PAUSE"): PAUSED,
    (PAUSED, "START"): ACTIVE,
    (ACTIVE, "STOP"): COMPLETED,
    (PAUSED, "STOP"): COMPLETED,
    (FULL, "STOP"): COMPLETED,
}


def study_named(world: World, name: str) -> dict[str, Any]:
    if name not in world.studies:
        raise unknown("study", name)
    return world.studies[name]


def as_json(world: World, study: dict[str, Any]) -> dict[str, Any]:
    """A study with its counters; it costs all its places, or once it is completed those that were taken."""
    is_over = study["status"] == COMPLETED
    places = world.places_taken(study["id"]) if is_over else study["total_available_places"]
    cost = places * study["reward"] * (1 + FEE)
    counted = {
        "places_taken": world.places_taken(study["id"]),
        "number_of_submissions": len(world.of_study(study["id"])),
    }
    return study | counted | {"total_cost": round(cost), "currency_code": world.currency, "study_type": "SINGLE"}


def _current(body: dict[str, Any]) -> dict[str, Any]:
    """A body without the former `completion_code`, which is the only code of a body that has no others."""
    kept = {name: value for name, value in body.items() if name != "completion_code"}
    if body.get("completion_code") and "completion_codes" not in body:
        review = {"code": body["completion_code"], "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
        kept["completion_codes"] = [review]
    return kept


def _check(world: World, body: dict[str, Any]) -> None:
    wrong: dict[str, list[str]] = {name: ["This field is not supported any more."] for name in REFUSED if name in body}
    minutes = body["estimated_completion_time"]
    least = 2 + 2 * minutes + 2 * math.sqrt(minutes)
    if body.get("maximum_allowed_time", least) < math.floor(least):
        wrong["maximum_allowed_time"] = [f"The maximum allowed time must be at least {math.floor(least)} minutes."]
    if body["total_available_places"] < 1:
        wrong["total_available_places"] = ["There must be at least one place."]
    wrong |= _wrong_urls(body)
    codes = body["completion_codes"]
    if not codes or len({code["code"] for code in codes}) < len(codes):
        wrong["completion_codes"] = ["Give at least one code, and each once."]
    actions = [action["action"] for code in codes for action in code["actions"]]
    if "DYNAMIC_PAYMENT" in actions and not world.pays_parts:
        wrong["completion_codes"] = ["This workspace cannot use DYNAMIC_PAYMENT."]
    if screen_out_reward(body) >= body["reward"]:
        wrong["completion_codes"] = ["The screen out reward must be less than the reward of the study."]
    if body.get("is_external_study_url_secure") and not world.signs_links:
        wrong["is_external_study_url_secure"] = ["This is not available to your workspace."]
    if body.get("project", world.project) not in world.projects:
        wrong["project"] = ["There is no such project."]
    if wrong:
        raise Problem(400, wrong)


def _wrong_urls(body: dict[str, Any]) -> dict[str, list[str]]:
    parts, name = body.get("access_details") or [], "external_study_url"
    if parts and body.get(name):
        return {name: ["Give either this or access_details."]}
    if parts and sum(part["total_allocation"] for part in parts) != body["total_available_places"]:
        return {"access_details": ["The allocations must add up to total_available_places."]}
    urls = [part["external_url"] for part in parts] or [body.get(name) or ""]
    if not all(urls):
        return {name: ["This field is required."]}
    if body["prolific_id_option"] == "url_parameters" and not all("%PROLIFIC_PID%" in url for url in urls):
        return {"access_details" if parts else name: ["The URL must hold {{%PROLIFIC_PID%}}."]}
    return {}


def url_for(world: World, study: dict[str, Any]) -> str:
    """Where the next participant goes: the study's URL, or that of its first task with a free place."""
    taken = Counter(one.url for one in world.of_study(study["id"]) if one.status in HOLDS_PLACE)
    parts = study.get("access_details") or []
    free = [part["external_url"] for part in parts if taken[part["external_url"]] < part["total_allocation"]]
    return str(study.get("external_study_url") or free[0])


@operation("POST", STUDIES)
def create(call: Call) -> Reply:
    world, call.body = call.world, _current(call.body)
    call.required(*REQUIRED)
    _check(world, call.body)
    minutes = call.body["estimated_completion_time"]
    study = DEFAULTS | {"maximum_allowed_time": math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))}
    study |= {"project": world.project} | call.body | filters.for_study(world, call.body)
    study |= {"id": world.new_id(), "status": UNPUBLISHED, "is_ready_to_publish": True}
    study |= {"date_created": stamp(world.now()), "published_at": None, "publish_at": None}
    world.studies[study["id"]] = study
    return Reply(201, as_json(world, study))


@operation("GET", STUDIES)
def listed(call: Call) -> Reply:
    state = call.query.get("state")
    rows = [study for study in call.world.studies.values() if state in (None, study["status"])]
    return page_of(call, [short(call.world, study) for study in reversed(rows)])


def short(world: World, study: dict[str, Any]) -> dict[str, Any]:
    """A study as lists show it."""
    return {name: study[name] for name in SHORT} | {"places_taken": world.places_taken(study["id"])}


@operation("GET", STUDIES + "{id}/")
def shown(call: Call) -> Reply:
    return Reply(200, as_json(call.world, study_named(call.world, call.parts["id"])))


@operation("PATCH", STUDIES + "{id}/")
def change(call: Call) -> Reply:
    study = study_named(call.world, call.parts["id"])
    if study["status"] == UNPUBLISHED:
        body = _current(call.body)
        _check(call.world, study | body)
        study |= body | filters.for_study(call.world, body)
        call.world.studies[study["id"]] = study
        return Reply(200, as_json(call.world, study))
    if set(call.body) == {"completion_codes"}:
        _raise_slots(study, call.body["completion_codes"])
        return Reply(200, as_json(call.world, study))
    if fixed := sorted(set(call.body) - CHANGED_LATER):
        raise Problem(400, {name: ["This cannot change once the study is published."] for name in fixed})
    places = call.body.get("total_available_places", study["total_available_places"])
    if places < study["total_available_places"]:
        raise Problem(400, {"total_available_places": ["The number of places can only be increased."]})
    more = places - study["total_available_places"]
    _afford(call.world, study, more)
    study |= call.body
    if more and study["status"] in {COMPLETED, FULL}:
        move(call.world, study, ACTIVE)
    return Reply(200, as_json(call.world, study))


def _raise_slots(study: dict[str, Any], codes: list[dict[str, Any]]) -> None:
    """Change the only thing of codes that may change later: how many participants may be screened out with pay."""
    known = {code["code"]: code for code in study["completion_codes"]}
    for code in codes:
        own = [action for action in known.get(code["code"], {}).get("actions", []) if "slots" in action]
        given = [action for action in code["actions"] if "slots" in action]
        if len(codes) != 1 or not own or not given or given[0]["slots"] < own[0]["slots"]:
            raise Problem(400, {"completion_codes": ["Only the slots of a screen-out can change, and only upwards."]})
        own[0]["slots"] = given[0]["slots"]


@operation("POST", STUDIES + "{id}/clone/")
def clone(call: Call) -> Reply:
    world, study = call.world, study_named(call.world, call.parts["id"])
    body = {name: value for name, value in study.items() if name not in {"filter_set_id", "filter_set_version"}}
    body |= {"id": world.new_id(), "status": UNPUBLISHED, "date_created": stamp(world.now())}
    if call.body.get("block_previous_participants", True):
        block = {"filter_id": "previous_studies_blocklist", "selected_values": [study["id"]]}
        body["filters"] = [*(study["filters"] or []), block]
    world.studies[body["id"]] = copy.deepcopy(body | {"published_at": None, "publish_at": None})
    return Reply(200, as_json(world, world.studies[body["id"]]))


@operation("GET", STUDIES + "{id}/access-details-progress/")
def progress(call: Call) -> Reply:
    study = study_named(call.world, call.parts["id"])
    if not study.get("access_details"):
        raise unknown("access details collection of the study", study["id"])
    taken = Counter(one.url for one in call.world.of_study(study["id"]) if one.status in HOLDS_PLACE)
    rows = [part | {"allocated": taken[part["external_url"]]} for part in study["access_details"]]
    return Reply(200, {"id": study["id"], "progress": rows})


@operation("DELETE", STUDIES + "{id}/")
def delete(call: Call) -> Reply:
    study = study_named(call.world, call.parts["id"])
    if study["status"] != UNPUBLISHED:
        raise Problem(400, "Only a draft can be deleted.")
    del call.world.studies[study["id"]]
    return Reply(204, None)


@operation("POST", STUDIES + "{id}/transition/")
def transition(call: Call) -> Reply:
    study, (action,) = study_named(call.world, call.parts["id"]), call.required("action")
    to = TRANSITIONS.get((study["status"], action))
    if to is None:
        raise Problem(400, f"The action {action} is not possible while the study is {study['status']}.")
    if action in {"PUBLISH", "SCHEDULE_PUBLISH"}:
        _afford(call.world, study, study["total_available_places"])
        if study["reward"] * 60 < FLOOR * study["estimated_completion_time"]:
            raise Problem(400, {"reward": [f"The reward must be at least {FLOOR / 100:.2f} an hour."]})
    if action == "SCHEDULE_PUBLISH":
        study["publish_at"] = stamp(_later(call))
    move(call.world, study, to)
    return Reply(200, as_json(call.world, study))


def _later(call: Call) -> datetime:
    try:
        when = datetime.fromisoformat(str(call.body.get("publish_at")))
    except ValueError:
        raise Problem(400, {"publish_at": ["Give a time in ISO 8601."]}) from None
    if when.tzinfo is None or when <= call.world.now():
        raise Problem(400, {"publish_at": ["Give a time in the future, with its zone."]})
    return when


def _afford(world: World, study: dict[str, Any], places: float) -> None:
    if world.spent() + round(places * study["reward"] * (1 + FEE)) > world.funds:
        raise Problem(400, "You do not have enough funds for this study.", code=140_201)


def move(world: World, study: dict[str, Any], to: str) -> None:
    """Give a study another status, and announce it."""
    study["status"] = to
    if to == ACTIVE and study["published_at"] is None:
        study["published_at"] = stamp(world.now())
    webhooks.announce(world, "study.status.change", study["id"], {"status": to})


def publish_due(world: World) -> None:
    """Publish what is scheduled until now."""
    for study in world.studies.values():
        due = study["status"] == SCHEDULED and datetime.fromisoformat(study["publish_at"]) <= world.now()
        if due:
            move(world, study, ACTIVE)


def settle(world: World, study: dict[str, Any]) -> None:
    """Move a study between ACTIVE and AWAITING REVIEW as its places fill up or become free."""
    full = world.places_taken(study["id"]) >= study["total_available_places"]
    if study["status"] == ACTIVE and full:
        move(world, study, FULL)
    elif study["status"] == FULL and not full:
        move(world, study, ACTIVE)


@operation("POST", "/api/v1/study-cost-calculator/")
def calculate(call: Call) -> Reply:
    reward, places = call.required("reward", "total_available_places")
    return Reply(200, {"total_cost": round(reward * places * (1 + FEE))})


@operation("GET", STUDIES + "{id}/cost/")
def cost(call: Call) -> Reply:
    world, study = call.world, study_named(call.world, call.parts["id"])
    projected = call.query.get("is_projected") == "true"
    places = study["total_available_places"] if projected else world.places_taken(study["id"])
    bonuses = sum(sum(one.bonuses) for one in world.of_study(study["id"]))

    def parts(amount: float) -> dict[str, Any]:
        money = {"rewards": amount, "fees": round(amount * FEE), "tax": 0}
        return {name: {"amount": value, "currency": world.currency} for name, value in money.items()}

    return Reply(200, {"rewards": parts(places * study["reward"]), "bonuses": parts(bonuses), "_links": {}})


def longest(study: dict[str, Any]) -> timedelta:
    """How long a participant may take."""
    return timedelta(minutes=study["maximum_allowed_time"])
