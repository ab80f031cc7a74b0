"""Groups of participants and messages in the emulated API."""

from datetime import datetime
from typing import Any

from prolific_emulator.routing import Call, Reply, operation
from prolific_emulator.world import Problem, World, stamp

GROUPS, MESSAGES = "/api/v1/participant-groups/", "/api/v1/messages/"


def _group_json(row: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in row.items() if name != "members"}
    return shown | {"participant_count": len(row["members"]), "feeder_studies": []}


def _members(row: dict[str, Any]) -> Reply:
    rows = [{"participant_id": who, "datetime_created": since} for who, since in row["members"].items()]
    return Reply(200, {"results": rows})


@operation("GET", GROUPS)
def groups(call: Call) -> Reply:
    workspace = call.query.get("workspace_id")
    rows = [row for row in call.world.groups.values() if workspace in (None, row["workspace_id"])]
    return Reply(200, {"results": [_group_json(row) for row in rows if not row["is_deleted"]]})


@operation("POST", GROUPS)
def create_group(call: Call) -> Reply:
    (name,) = call.required("name")
    row = {"id": call.world.new_id(), "name": name, "project_id": None, "organisation_id": None, "is_deleted": False}
    row["workspace_id"] = call.body.get("workspace_id", call.world.workspace)
    row |= {"description": call.body.get("description"), "members": {}}
    call.world.groups[row["id"]] = row
    _add(call, row)
    return Reply(201, _group_json(row))


@operation("GET", GROUPS + "{id}/")
def group(call: Call) -> Reply:
    return Reply(200, _group_json(call.named("participant group")))


@operation("PATCH", GROUPS + "{id}/")
def change_group(call: Call) -> Reply:
    row = call.named("participant group")
    row["name"] = call.body.get("name", row["name"])
    if "participant_ids" in call.body:
        row["members"] = {}
        _add(call, row)
    return Reply(200, _group_json(row))


@operation("DELETE", GROUPS + "{id}/")
def delete_group(call: Call) -> Reply:
    call.named("participant group")["is_deleted"] = True
    return Reply(204, None)


@operation("GET", GROUPS + "{id}/participants/")
def members(call: Call) -> Reply:
    return _members(call.named("participant group"))


@operation("POST", GROUPS + "{id}/participants/")
def add_members(call: Call) -> Reply:
    row = call.named("participant group")
    call.required("participant_ids")
    _add(call, row)
    return _members(row)


def _add(call: Call, row: dict[str, Any]) -> None:
    for who in call.body.get("participant_ids", []):
        row["members"].setdefault(who, stamp(call.world.now()))


@operation("DELETE", GROUPS + "{id}/participants/")
def remove_members(call: Call) -> Reply:
    row, (names,) = call.named("participant group"), call.required("participant_ids")
    for who in names:
        row["members"].pop(who, None)
    return _members(row)


def write(world: World, sender: str, recipient: str, body: str, study: str | None) -> None:
    """Store a message from the account or from a participant."""
    row: dict[str, Any] = {"id": world.new_id(), "sender_id": sender, "body": body, "sent_at": stamp(world.now())}
    row |= {
        "type": "message",
        "channel_id": world.new_id(),
        "data": {"study_id": study} if study else {},
        "recipient": recipient,
    }
    world.messages.append(row)


def _shown(rows: list[dict[str, Any]]) -> Reply:
    return Reply(200, {"results": [{k: v for k, v in row.items() if k != "recipient"} for row in rows]})


def _send(call: Call, people: list[str], study: str | None) -> Reply:
    (body,) = call.required("body")
    known = {one.participant for one in call.world.submissions.values()}
    if strangers := sorted(set(people) - known):
        raise Problem(400, {"recipient_id": [f"{who} has not taken part in one of your studies." for who in strangers]})
    if study is not None:
        call.world.find("study", study)
    for who in people:
        write(call.world, call.world.owner, who, body, study)
    return Reply(204, None)


@operation("POST", MESSAGES)
def send(call: Call) -> Reply:
    recipient, study = call.required("recipient_id", "study_id")
    return _send(call, [recipient], study)


@operation("POST", MESSAGES + "bulk/")
def send_bulk(call: Call) -> Reply:
    names, study = call.required("ids", "study_id")
    return _send(call, names, study)


@operation("POST", MESSAGES + "participant-group/")
def send_to_group(call: Call) -> Reply:
    (name,) = call.required("participant_group_id")
    group = call.world.find("participant group", name)
    return _send(call, list(group["members"]), call.body.get("study_id"))


@operation("GET", MESSAGES)
def messages(call: Call) -> Reply:
    who, after = call.query.get("user_id"), call.query.get("created_after")
    if not who and not after:
        raise Problem(400, "Give user_id or created_after.")
    rows = [row for row in call.world.messages if not who or who in {row["sender_id"], row["recipient"]}]
    if after:
        since = stamp(datetime.fromisoformat(after.replace(" ", "+"))) or ""
        rows = [row for row in rows if row["sent_at"] >= since]  # both in their milliseconds
    return _shown(rows)


@operation("GET", MESSAGES + "unread/")
def unread(call: Call) -> Reply:
    return _shown([row for row in call.world.messages if row["recipient"] == call.world.owner])
