"""Studies of the emulated API: drafts, changes, transitions, costs."""

import copy
import math
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from prolific_emulator import filters, study_body, webhooks
from prolific_emulator.routing import Call, Reply, operation, page_of
from prolific_emulator.world import FEE, HOLDS_PLACE, Problem, World, stamp, unknown

STUDIES = "/api/v1/studies/"
UNPUBLISHED, SCHEDULED, ACTIVE, PAUSED, COMPLETED = "UNPUBLISHED", "SCHEDULED", "ACTIVE", "PAUSED", "COMPLETED"
FULL = "AWAITING REVIEW"
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
         "published_at", "publish_at", "date_created", "is_ready_to_publish", "places_taken", "number_of_submissions",
         "total_cost", "study_type")  # fmt: skip
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


def url_for(world: World, study: dict[str, Any]) -> str:
    """Where the next participant goes: the study's URL, or that of its first task with a free place."""
    taken = Counter(one.url for one in world.of_study(study["id"]) if one.status in HOLDS_PLACE)
    parts = study.get("access_details") or []
    free = [part["external_url"] for part in parts if taken[part["external_url"]] < part["total_allocation"]]
    return str(study.get("external_study_url") or free[0])


@operation("POST", STUDIES)
def create(call: Call) -> Reply:
    world, call.body = call.world, study_body.current(call.body)
    call.required(*study_body.REQUIRED)
    study_body.check(world, call.body)
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
    whole = as_json(world, study)
    return {name: whole[name] for name in SHORT}


@operation("GET", STUDIES + "{id}/")
def shown(call: Call) -> Reply:
    return Reply(200, as_json(call.world, call.named("study")))


@operation("PATCH", STUDIES + "{id}/")
def change(call: Call) -> Reply:
    study = call.named("study")
    if study["status"] == UNPUBLISHED:
        body = study_body.current(call.body)
        study_body.check(call.world, study | body)
        study |= body | filters.for_study(call.world, body)
        call.world.studies[study["id"]] = study
        return Reply(200, as_json(call.world, study))
    if set(call.body) == {"completion_codes"}:
        study_body.check_types(call.body)
        _raise_slots(study, call.body["completion_codes"])
        return Reply(200, as_json(call.world, study))
    if fixed := sorted(set(call.body) - CHANGED_LATER):
        raise Problem(400, {name: ["This cannot change once the study is published."] for name in fixed})
    study_body.check_types(call.body)
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
    world, study = call.world, call.named("study")
    body = {name: value for name, value in study.items() if name not in {"filter_set_id", "filter_set_version"}}
    body |= {"id": world.new_id(), "status": UNPUBLISHED, "date_created": stamp(world.now())}
    if call.body.get("block_previous_participants", True):
        block = {"filter_id": "previous_studies_blocklist", "selected_values": [study["id"]]}
        body["filters"] = [*(study["filters"] or []), block]
    world.studies[body["id"]] = copy.deepcopy(body | {"published_at": None, "publish_at": None})
    return Reply(200, as_json(world, world.studies[body["id"]]))


@operation("POST", STUDIES + "{id}/test-study")
def test_study(call: Call) -> Reply:
    """Publish a copy of a draft to the test participants alone, at no cost."""
    world, study = call.world, call.named("study")
    if not world.test_participants:
        raise Problem(400, "Create a test participant first.")
    if study["status"] != UNPUBLISHED:
        raise Problem(400, "Only a draft can be tested.")
    own = copy.deepcopy(study) | {"id": world.new_id(), "date_created": stamp(world.now())}
    own["filters"] = [{"filter_id": "custom_allowlist", "selected_values": list(world.test_participants.values())}]
    world.studies[own["id"]] = own
    world.test_studies.add(own["id"])
    move(world, own, ACTIVE)
    return Reply(200, {"study_id": own["id"], "study_url": f"{world.origin}/#study-{own['id']}"})


@operation("GET", STUDIES + "{id}/access-details-progress/")
def progress(call: Call) -> Reply:
    study = call.named("study")
    if not study.get("access_details"):
        raise unknown("access details collection of the study", study["id"])
    taken = Counter(one.url for one in call.world.of_study(study["id"]) if one.status in HOLDS_PLACE)
    rows = [part | {"allocated": taken[part["external_url"]]} for part in study["access_details"]]
    return Reply(200, {"id": study["id"], "progress": rows})


@operation("DELETE", STUDIES + "{id}/")
def delete(call: Call) -> Reply:
    study = call.named("study")
    if study["status"] != UNPUBLISHED:
        raise Problem(400, "Only a draft can be deleted.")
    del call.world.studies[study["id"]]
    return Reply(204, None)


@operation("POST", STUDIES + "{id}/transition/")
def transition(call: Call) -> Reply:
    study, (action,) = call.named("study"), call.required("action")
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
    world, study = call.world, call.named("study")
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
