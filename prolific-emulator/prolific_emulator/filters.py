"""Filters of the emulated API, the sets of them that are kept, and how many participants pass them."""

from typing import Any

from prolific_emulator.routing import Call, Reply, operation
from prolific_emulator.world import Problem, World

FILTER_SETS = "/api/v1/filter-sets/"
POOL, LEAST_SHOWN = 40_000, 25  # all participants; smaller counts are hidden
KINDS = ("selected_values", "selected_range", "selected_filters")
HANDS, SEXES = {"0": "Left", "1": "Right", "2": "Both"}, {"0": "Male", "1": "Female"}
# Some of the many that there are; participants are asked about none of them but their groups.
CATALOGUE: list[dict[str, Any]] = [
    {"filter_id": "age", "question": "Age", "type": "range", "data_type": "integer", "min": 18, "max": 100},
    {"filter_id": "approval_rate", "question": "Approval rate", "type": "range", "data_type": "integer",
     "min": 0, "max": 100},
    {"filter_id": "gender", "question": "Sex", "type": "select", "data_type": "ChoiceID", "choices": SEXES},
    {"filter_id": "handedness", "question": "Handedness", "type": "select", "data_type": "ChoiceID",
     "choices": HANDS},
    *({"filter_id": f"{what}_{kind}", "question": f"{what} {kind}", "type": "select", "data_type": data, "choices": {}}
      for what, data in (("participant_group", "ParticipantGroupID"), ("previous_studies", "StudyID"),
                         ("custom", "ParticipantID"))
      for kind in ("allowlist", "blocklist")),
]  # fmt: skip


def check(filters: list[dict[str, Any]]) -> None:
    """Refuse a filter that selects nothing, or in two ways; groups of filters are looked into."""
    for one in filters:
        if not isinstance(one, dict) or not _is_text(one.get("filter_id")) or sum(name in one for name in KINDS) != 1:
            raise Problem(400, {"filters": [f"Give filter_id and one of {', '.join(KINDS)}."]})
        named = one.get("selected_values", [])
        if not isinstance(named, list) or not all(map(_is_text, named)):
            raise Problem(400, {"filters": ["selected_values must be a list of texts."]})
        check(one.get("selected_filters", []))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def for_study(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """What of a study's body follows from its filters and its filter set."""
    check(body.get("filters") or [])
    name = body.get("filter_set_id")
    if not name:
        return {}
    if body.get("filters"):
        raise Problem(400, {"filter_set_id": ["Give either this or filters."]})
    found = world.filter_sets.get(name)
    if found is None or found["is_deleted"]:
        raise Problem(400, {"filter_set_id": [f"No filter set was found with id {name}."]})
    return {"filters": found["filters"], "filter_set_version": found["version"]}


def eligible(filters: list[dict[str, Any]]) -> int:
    """How many participants pass, if each filter lets half of them through; 0 for a number too small to be shown."""
    count = round(POOL * _share({"filter_id": "and", "selected_filters": filters}))
    return count if count >= LEAST_SHOWN else 0


def _share(one: dict[str, Any]) -> float:
    shares = [_share(part) for part in one.get("selected_filters", [])]
    if "selected_filters" not in one:
        return 0.5
    is_any, share = one["filter_id"] == "or", 1.0
    for part in shares:
        share *= 1 - part if is_any else part
    return 1 - share if is_any else share


@operation("GET", "/api/v1/filters/")
def listed(call: Call) -> Reply:
    return Reply(200, {"results": CATALOGUE, "_links": {}, "meta": {"count": len(CATALOGUE)}})


@operation("POST", "/api/v1/eligibility-count/")
def count(call: Call) -> Reply:
    filters = call.body.get("filters")
    if not isinstance(filters, list):
        raise Problem(400, {"filters": ["This field is required."]})
    check(filters)
    return Reply(200, {"count": eligible(filters)})


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"eligible_participant_count": eligible(row["filters"])}


@operation("GET", FILTER_SETS)
def sets(call: Call) -> Reply:
    workspace = call.query.get("workspace_id")
    rows = [row for row in call.world.filter_sets.values() if workspace in (None, row["workspace_id"])]
    return Reply(200, {"results": [row for row in rows if not row["is_deleted"]]})


def _keep(call: Call, body: dict[str, Any], workspace: str) -> Reply:
    check(body.get("filters") or [])
    row: dict[str, Any] = {"id": call.world.new_id(), "version": 1, "is_deleted": False, "is_locked": False}
    row |= {"workspace_id": workspace, "organisation_id": None}
    row |= {"name": body.get("name", ""), "filters": body.get("filters") or []}
    call.world.filter_sets[row["id"]] = row
    return Reply(201, _shown(row))


@operation("POST", FILTER_SETS)
def create_set(call: Call) -> Reply:
    return _keep(call, call.body, call.body.get("workspace_id", call.world.workspace))


@operation("GET", FILTER_SETS + "{id}/")
def shown_set(call: Call) -> Reply:
    return Reply(200, _shown(call.named("filter set")))


@operation("PATCH", FILTER_SETS + "{id}/")
def change_set(call: Call) -> Reply:
    row = call.named("filter set")
    if row["is_locked"]:
        raise Problem(400, "The filter set is locked.")
    check(call.body.get("filters") or [])
    row |= {name: call.body[name] for name in ("name", "filters") if name in call.body}
    row["version"] += 1
    return Reply(200, _shown(row))


@operation("DELETE", FILTER_SETS + "{id}/")
def delete_set(call: Call) -> Reply:
    call.named("filter set")["is_deleted"] = True
    return Reply(204, None)


@operation("POST", FILTER_SETS + "{id}/clone/")
def clone_set(call: Call) -> Reply:
    row = call.named("filter set")
    return _keep(call, row | {"name": call.body.get("new_name", f"{row['name']} (copy)")}, row["workspace_id"])


@operation("POST", FILTER_SETS + "{id}/lock/")
@operation("POST", FILTER_SETS + "{id}/unlock/")
def lock_set(call: Call) -> Reply:
    row = call.named("filter set")
    row["is_locked"] = call.path.endswith("/lock/")
    return Reply(200, _shown(row))
