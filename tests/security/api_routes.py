"""The routes of the API, read off the views themselves: who may what there, and what stands in their addresses.

A new route needs no row: its view says what reading and writing ask for (`reads`, `act`). Where an address names a
thing that the furnished world has under another name, `LIKE` says which it is.
"""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, reverse

from annotation.pure.people import roles
from tests.security.routes import patterns
from tests.security.world import World

OPEN = {"api-schema", "api-nothing"}  # nobody has to sign in for these
OWN = {"api-project-list", "api-token-list", "api-token"}  # of whoever calls, not of a project
READING = ("get",)
WRITING = ("post", "put", "patch", "delete")
CAST = {"alice": roles.OWNER, "quinn": roles.REQUESTER, "rita": roles.REVIEWER}

# {route or the beginning of some, and a part: the furnished world's name of it}
LIKE = {
    "api-comment.pk": "comment-erase.pk",
    "api-experiment.name": "experiment.name",
    "api-invite.pk": "invite-revoke.pk",
    "api-report-table.table": "report-table.name",
    "api-report-table.format": "report-table.suffix",
    "api-adjudication.public_id": "adjudicate-hit.public_id",
    "api-approval.public_id": "approval.public_id",
    "api-round-results.batch": "round.batch",
    "api-round.batch": "round-edit.batch",
    "api-job-undo.public_id": "dataset-restore.public_id",
    "api-job-import-checked.public_id": "job-import.public_id",
    "api-study.name": "study.name",
    "api-webhook.public_id": "webhook.public_id",
    "api-webhook-again.public_id": "delivery-again.public_id",
    "api-webhook-again.pk": "delivery-again.pk",
    "api-worker.worker": "annotator",
    "api-score.public_id": "qualification.public_id",
    "api-request.public_id": "qualification.public_id",
    "api-review.batch": "review-answer.batch",
    "api-review.public_id": "review-answer.public_id",
}


def routes() -> dict[str, URLPattern]:
    """{name: the route} of the API."""
    return {entry.name: entry for entry in patterns() if (entry.name or "").startswith("api-")}


def view_of(name: str) -> Any:
    """The class behind a route."""
    callback = routes()[name].callback
    return getattr(callback, "cls", None) or callback.view_class


def method_of(name: str, method: str) -> Any:
    """The function that an HTTP method calls, or None."""
    actions = getattr(routes()[name].callback, "actions", {method: method})
    return getattr(view_of(name), actions.get(method, ""), None)


def of_projects() -> list[str]:
    """The routes below a project."""
    return [name for name in routes() if name not in OPEN | OWN]


def methods(name: str, kinds: tuple[str, ...]) -> list[str]:
    """Which of the methods the route's view has."""
    return [kind for kind in kinds if method_of(name, kind)]


def may(role: str, name: str, method: str) -> bool:
    """Whether a member of that name may do it, by what the view says."""
    view, own = view_of(name), getattr(method_of(name, method), "operation", None)
    return roles.may(CAST[role], (own and own.act) or (view.reads if method in READING else view.act))


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
    words = name.split("-")
    like = [LIKE.get(f"{'-'.join(words[:n])}.{part}") for n in range(len(words) - 1, 1, -1)]
    found = [things[key] for key in (own, LIKE.get(own), page, *like, part) if key in things]
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
