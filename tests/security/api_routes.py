"""The routes of the API, read off the views themselves: who may what there, and what stands in their addresses.

A new route needs no row: its view says what reading and writing ask for (`reads`, `act`). Where an address names a
thing that the furnished world has under another name, `LIKE` says which it is.
"""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, reverse

from annotation.api.base import ProjectView
from annotation.pure import roles
from tests.security.routes import patterns
from tests.security.world import World

OPEN = {"api-schema", "api-nothing"}  # nobody has to sign in for these
OWN = {"api-projects", "api-tokens", "api-token"}  # of whoever calls, not of a project
READING = ("get",)
WRITING = ("post", "put", "patch", "delete")
CAST = {"alice": roles.OWNER, "quinn": roles.REQUESTER, "rita": roles.REVIEWER}

LIKE = {
    "api-invite.pk": "invite-revoke.pk",
    "api-report-table-file.table": "report-table.name",
    "api-report-table-file.format": "report-table.suffix",
    "api-adjudication.public_id": "adjudicate-hit.public_id",
    "api-adjudication-undo.public_id": "adjudicate-hit.public_id",
    "api-round-results.batch": "round.batch",
    "api-round.batch": "round-edit.batch",
    "api-job-undo.public_id": "dataset-restore.public_id",
    "api-deliveries.public_id": "webhook.public_id",
}
for _act in ("", "-activate", "-deactivate", "-block", "-unblock", "-message"):
    LIKE[f"api-worker{_act}.worker"] = "annotator"
for _act in ("-approve", "-reject", "-bonus", "-return"):
    LIKE[f"api-approval{_act}.public_id"] = "approval.public_id"
for _of_type in (
    "scores",
    "scores-revoke",
    "scores-rule",
    "scores-undo",
    "requests",
    "requests-accept",
    "requests-decline",
):
    LIKE[f"api-{_of_type}.public_id"] = "qualification.public_id"
for _part in ("batch", "public_id"):
    for _act in ("", "-undo", "-choose", "-feedback"):
        LIKE[f"api-review{_act}.{_part}"] = f"review-answer.{_part}"
for _route in ("reviews", "reviews-draw"):
    LIKE[f"api-{_route}.batch"] = "review-answer.batch"


def routes() -> dict[str, URLPattern]:
    """{name: the route} of the API."""
    return {entry.name: entry for entry in patterns() if (entry.name or "").startswith("api-")}


def view_of(name: str) -> Any:
    """The class behind a route."""
    return routes()[name].callback.view_class


def of_projects() -> list[str]:
    """The routes below a project."""
    return [name for name in routes() if name not in OPEN | OWN]


def methods(name: str, kinds: tuple[str, ...]) -> list[str]:
    """Which of the methods the route's view has."""
    return [kind for kind in kinds if hasattr(view_of(name), kind)]


def may(role: str, name: str, method: str) -> bool:
    """Whether a member of that name may do it, by what the view says."""
    view: type[ProjectView] = view_of(name)
    return roles.may(CAST[role], view.reads if method in READING else view.act)


def parameters(name: str) -> list[str]:
    return list(routes()[name].pattern.converters)


def address(name: str, things: dict[str, Any]) -> str:
    """The address of a route, its parameters taken from `World.wells` or `.springs`."""
    if name == "api-nothing":
        return "/api/v2/"
    return reverse(name, kwargs={part: thing(name, part, things) for part in parameters(name)})


def thing(name: str, part: str, things: dict[str, Any]) -> Any:
    """What stands for a parameter: the API's own thing, else that of the page of the same name, else anybody's."""
    own, page = f"{name}.{part}", f"{name.removeprefix('api-')}.{part}"
    found = [things[key] for key in (own, LIKE.get(own), page, part) if key in things]
    return found[0] if found else None


def crossed(world: World) -> list[tuple[str, str]]:
    """(route, its address below the other project with a thing of this one)."""
    found = []
    for name in of_projects():
        for part in parameters(name):
            foreign, own = thing(name, part, world.wells), thing(name, part, world.springs)
            if part != "slug" and foreign != own:
                given = {each: thing(name, each, world.springs) for each in parameters(name)}
                found.append((name, reverse(name, kwargs=given | {part: foreign})))
    return found
