"""The account, its workspaces with their balance, and their projects in the emulated API."""

import re
from typing import Any

from prolific_emulator.routing import Call, Reply, operation, page_of
from prolific_emulator.studies import short
from prolific_emulator.world import Problem, new_project, new_workspace

WORKSPACES, PROJECTS = "/api/v1/workspaces/", "/api/v1/projects/"
ROLES = {"WORKSPACE_ADMIN", "WORKSPACE_COLLABORATOR", "PROJECT_EDITOR"}


@operation("GET", "/api/v1/users/me/")
def me(call: Call) -> Reply:
    return Reply(200, {"id": call.world.owner, "email": "researcher@example.org", "currency_code": call.world.currency})


@operation("POST", "/api/v1/researchers/participants/")
def create_test_participant(call: Call) -> Reply:
    (email,) = call.required("email")
    _check_address(email)
    if email in call.world.test_participants:
        raise Problem(400, {"email": ["A participant with this email exists already."]})
    call.world.test_participants[email] = call.world.new_id()
    return Reply(201, {"participant_id": call.world.test_participants[email]})


@operation("POST", "/api/v1/invitations/")
def invite(call: Call) -> Reply:
    """Invite colleagues to a workspace or a project. Nothing is sent."""
    association, emails, role = call.required("association", "emails", "role")
    if association not in call.world.workspaces and association not in call.world.projects:
        raise Problem(400, {"association": ["There is no such workspace or project."]})
    if role not in ROLES:
        raise Problem(400, {"role": [f"{role} is not a valid choice."]})
    if not isinstance(emails, list):
        raise Problem(400, {"emails": ["Give a list of addresses."]})
    for email in emails:
        _check_address(email)
    made = [{"association": association, "invitee": {"id": None, "name": None, "email": email}, "role": role,
             "invited_by": call.world.owner, "status": "INVITED",
             "invite_link": f"{call.world.origin}/invitations/{call.world.new_id()}"} for email in emails]  # fmt: skip
    return Reply(200, {"invitations": made})


def _check_address(email: Any) -> None:
    if not (isinstance(email, str) and re.fullmatch(r"[^@\s]+@[^@\s]+", email)):
        raise Problem(400, {"email": ["Enter a valid email address."]})


@operation("GET", WORKSPACES)
def workspaces(call: Call) -> Reply:
    return Reply(200, {"results": list(call.world.workspaces.values())})


@operation("POST", WORKSPACES)
def create_workspace(call: Call) -> Reply:
    (title,) = call.required("title")
    return Reply(201, new_workspace(call.world, title, call.body.get("description", "")))


@operation("GET", WORKSPACES + "{workspace_id}/")
def workspace(call: Call) -> Reply:
    return Reply(200, call.named("workspace"))


@operation("PATCH", WORKSPACES + "{workspace_id}/")
def change_workspace(call: Call) -> Reply:
    row = call.named("workspace")
    row |= {name: call.body[name] for name in ("title", "description") if name in call.body}
    return Reply(200, row)


@operation("GET", WORKSPACES + "{workspace_id}/balance/")
def balance(call: Call) -> Reply:
    funded = call.named("workspace")["id"] == call.world.workspace  # others are empty
    funds = call.world.funds if funded else 0
    left = funds - call.world.spent() if funded else 0
    amounts = {"total_balance": funds, "balance_breakdown": {"rewards": funds, "fees": 0, "vat": 0}}
    amounts |= {
        "available_balance": left,
        "available_balance_breakdown": {"rewards": left, "fees": 0, "vat": 0},
    }
    return Reply(200, {"currency_code": call.world.currency, **amounts})


@operation("GET", WORKSPACES + "{workspace_id}/projects/")
def projects(call: Call) -> Reply:
    name = call.named("workspace")["id"]
    return Reply(200, {"results": [row for row in call.world.projects.values() if row["workspace"] == name]})


@operation("POST", WORKSPACES + "{workspace_id}/projects/")
def create_project(call: Call) -> Reply:
    own, (title,) = call.named("workspace"), call.required("title")
    row = new_project(call.world, own["id"], title)
    row |= {name: call.body[name] for name in ("description", "type", "naivety_distribution_rate") if name in call.body}
    return Reply(201, row)


@operation("GET", PROJECTS + "{project_id}/")
def project(call: Call) -> Reply:
    return Reply(200, call.named("project"))


@operation("PATCH", PROJECTS + "{project_id}/")
def change_project(call: Call) -> Reply:
    row = call.named("project")
    row |= {name: call.body[name] for name in ("title", "description", "type") if name in call.body}
    return Reply(200, row)


@operation("GET", PROJECTS + "{project_id}/studies/")
def studies_of_project(call: Call) -> Reply:
    name = call.named("project")["id"]
    rows = [study for study in call.world.studies.values() if study["project"] == name]
    return page_of(call, [short(call.world, study) for study in reversed(rows)])
