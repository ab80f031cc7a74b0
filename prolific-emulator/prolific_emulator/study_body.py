"""What a study of the emulated API may be made of: its fields, their types, and what they must fulfil together."""

import math
from collections.abc import Callable
from typing import Any

from prolific_emulator import filters
from prolific_emulator.world import Problem, World, screen_out_reward

REQUIRED = ("name", "description", "prolific_id_option", "completion_codes",
            "total_available_places", "estimated_completion_time", "reward")  # fmt: skip
OURS = {"id", "status", "date_created", "published_at", "publish_at", "is_ready_to_publish", "places_taken",
        "number_of_submissions", "total_cost", "currency_code", "study_type"}  # fmt: skip
FORMER = "eligibility_requirements"
MOST = 10_000_000  # of anything that is counted
PAYMENT = "fixed_screen_out_reward"

Fits = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST


def _is_url(value: Any) -> bool:
    return _is_text(value) and value.isprintable() and " " not in value


def _each(fits: Fits) -> Fits:
    return lambda value: isinstance(value, list) and all(fits(each) for each in value)


def _object(**members: Fits) -> Fits:
    """An object with these members of these types, and any others."""
    return lambda value: isinstance(value, dict) and all(fits(value.get(name)) for name, fits in members.items())


def _perhaps(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def _is_limit(value: Any) -> bool:
    return value == -1 or _is_number(value)


ACTION = _object(
    action=_is_text, slots=_perhaps(_is_number), participant_group=_perhaps(_is_text), **{PAYMENT: _perhaps(_is_number)}
)
TYPES: dict[str, Fits] = {
    **dict.fromkeys(("name", "description", "prolific_id_option", "project"), _is_text),
    **dict.fromkeys(("internal_name", "metadata", "filter_set_id"), _perhaps(_is_text)),
    **dict.fromkeys(("reward", "total_available_places", "estimated_completion_time"), _is_number),
    "maximum_allowed_time": _is_number,
    "external_study_url": _perhaps(_is_url),
    "access_details": _perhaps(_each(_object(external_url=_is_url, total_allocation=_is_number))),
    "completion_codes": _each(_object(code=_is_text, actor=_perhaps(_is_text), actions=_each(ACTION))),
    "submissions_config": _object(
        max_submissions_per_participant=_perhaps(_is_limit), max_concurrent_submissions=_perhaps(_is_limit)
    ),
}


def current(body: dict[str, Any]) -> dict[str, Any]:
    """A body without what is the service's own, and with the former `completion_code` as the only code it has."""
    kept = {name: value for name, value in body.items() if name not in OURS | {"completion_code"}}
    if kept.get(FORMER) == []:
        del kept[FORMER]
    if body.get("completion_code") and "completion_codes" not in body:
        review = {"code": body["completion_code"], "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]}
        kept["completion_codes"] = [review]
    return kept


def check_types(body: dict[str, Any]) -> None:
    """Problem for fields that have another type than is described, or a number beyond any use."""
    wrong = {name: ["Not a valid value."] for name, fits in TYPES.items() if name in body and not fits(body[name])}
    if wrong:
        raise Problem(400, wrong)


def check(world: World, body: dict[str, Any]) -> None:
    """Problem for a study that the service would refuse."""
    check_types(body)
    wrong: dict[str, list[str]] = {FORMER: ["This field is not supported any more."]} if FORMER in body else {}
    minutes = body["estimated_completion_time"]
    least = 2 + 2 * minutes + 2 * math.sqrt(minutes)
    if body.get("maximum_allowed_time", least) < math.floor(least):
        wrong["maximum_allowed_time"] = [f"The maximum allowed time must be at least {math.floor(least)} minutes."]
    if body["total_available_places"] < 1:
        wrong["total_available_places"] = ["There must be at least one place."]
    if body.get("project", world.project) not in world.projects:
        wrong["project"] = ["There is no such project."]
    wrong |= _wrong_urls(world, body) | _wrong_codes(world, body)
    if wrong:
        raise Problem(400, wrong)
    filters.check(body.get("filters") or [])


def _wrong_codes(world: World, body: dict[str, Any]) -> dict[str, list[str]]:
    codes = body["completion_codes"]
    actions = [action for code in codes for action in code["actions"]]
    groups = [one.get("participant_group") for one in actions if one["action"].endswith("_PARTICIPANT_GROUP")]
    said = {
        "Give at least one code, and each once.": not codes or len({code["code"] for code in codes}) < len(codes),
        "This workspace cannot use DYNAMIC_PAYMENT.": not world.pays_parts
        and any(one["action"] == "DYNAMIC_PAYMENT" for one in actions),
        "The screen out reward must be less than the reward of the study.": screen_out_reward(body) >= body["reward"],
        "There is no such participant group.": not world.groups.keys() >= set(groups),
        "A screen-out needs its reward and its slots.": any(
            one["action"] == "FIXED_SCREEN_OUT_PAYMENT" and None in (one.get(PAYMENT), one.get("slots"))
            for one in actions
        ),
    }
    texts = [text for text, is_so in said.items() if is_so]
    return {"completion_codes": texts} if texts else {}


def _wrong_urls(world: World, body: dict[str, Any]) -> dict[str, list[str]]:
    parts, name = body.get("access_details") or [], "external_study_url"
    if body.get("is_external_study_url_secure") and not world.signs_links:
        return {"is_external_study_url_secure": ["This is not available to your workspace."]}
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
