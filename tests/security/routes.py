"""Who may do what at which address: the table that the access tests hold the site to.

A row names who is let in and what they get: the status per method. Whoever is not let in gets 404, as if nothing
were there; who is not signed in is sent to sign in (401 where a script asks); any other method gets 405.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.urls import URLPattern, get_resolver, reverse

from tests.security.world import ROLES, World

EVERYBODY = frozenset(ROLES)
SIGNED_IN = EVERYBODY - {"anonymous"}
OWNER = frozenset({"bob"})
WORKERS = frozenset({"bob", "carol"})
REQUESTER = frozenset({"alice"})


@dataclass(frozen=True)
class Row:
    """`statuses` {method: what those let in get}; `anonymous` is what the others get who are not signed in."""

    allowed: frozenset[str]
    statuses: dict[str, int]
    body: dict[str, Any] = field(default_factory=dict)
    anonymous: int = 302
    own: dict[str, dict[str, int]] = field(default_factory=dict)  # {role: its statuses}, where they differ


def look(allowed: frozenset[str], status: int = 200, **more: Any) -> Row:
    return Row(allowed, {"GET": status, "HEAD": status}, **more)


def act(allowed: frozenset[str], status: int = 303, **more: Any) -> Row:
    return Row(allowed, {"POST": status}, **more)


def fill(allowed: frozenset[str], status: int = 422, *, get: int = 200, **more: Any) -> Row:
    """A page with a form; `status` is what an empty POST gets, or `body`."""
    return Row(allowed, {"GET": get, "HEAD": get, "POST": status}, **more)


HOME = {"bob": {"GET": 302, "HEAD": 302}}
for _name, _like in (("carol", "bob"), ("erin", "bob"), ("alice", "bob"), ("dave", "bob")):
    HOME[_name] = HOME[_like]
SENT_HOME = {role: {"GET": 302, "HEAD": 302, "POST": 302} for role in SIGNED_IN}

TABLE: dict[str, Row] = {
    "healthz": look(EVERYBODY),
    "home": look(SIGNED_IN, own=HOME),
    "sign-in": fill(EVERYBODY, 200, own=SENT_HOME),
    "sign-out": act(EVERYBODY, 302),
    "password-reset": fill(EVERYBODY, 302, get=302),
    "preferences": act(SIGNED_IN, 400, anonymous=401),
    "set-language": Row(EVERYBODY, {"POST": 302}),
    "join": fill(EVERYBODY, 422, own={role: {"POST": 302} for role in SIGNED_IN}),
    "consent": fill(WORKERS, 302, body={"version": "1"}),
    "work": look(SIGNED_IN),
    "history": look(SIGNED_IN),
    "batch-start": act(WORKERS),
    "batch-guide": fill(WORKERS, 303),
    "batch-done": look(WORKERS),
    "practice": fill(WORKERS),
    "practice-done": act(WORKERS),
    "practice-live": look(WORKERS, anonymous=401),
    "feedback": fill(OWNER, 303),
    "assignment": look(OWNER),
    "submit": act(OWNER, 422),
    "draft": act(OWNER, 200, anonymous=401),
    "return": act(OWNER),
    "skip": act(OWNER),
    "take-up": act(OWNER),
    "extend": act(OWNER, 200, anonymous=401),
    "flag": act(OWNER),
    "back": look(OWNER, 302),
    "live": look(OWNER, anonymous=401),
    "project": look(REQUESTER),
    "project-settings": fill(REQUESTER),
    "datasets": look(REQUESTER),
    "dataset-new": fill(REQUESTER),
    "dataset": look(REQUESTER),
    "item": look(REQUESTER),
    "dataset-export": look(REQUESTER),
    "dataset-derive": fill(REQUESTER),
    "dataset-document": look(REQUESTER),
    "dataset-remove": act(REQUESTER),
    "dataset-restore": act(REQUESTER),
    "people": fill(REQUESTER, body={"role": ""}),
    "invite-revoke": act(REQUESTER),
    "worker-active": act(REQUESTER),
    "password-link": act(REQUESTER, 200),
    "job": look(REQUESTER),
    "job-again": act(REQUESTER),
    "job-import": act(REQUESTER),
    "batches": look(REQUESTER),
    "batch-new": fill(REQUESTER),
    "batch-consequences": act(REQUESTER, 200),
    "guide-preview": act(REQUESTER, 200),
    "batch": look(REQUESTER),
    "batch-edit": fill(REQUESTER, 302, get=302),
    "batch-launch": act(REQUESTER),
    "batch-preview": look(REQUESTER),
    "preview-live": look(REQUESTER),
    "batch-move": act(REQUESTER),
    "batch-discard": act(REQUESTER),
    "batch-judgments": act(REQUESTER),
    "batch-top-up": act(REQUESTER),
    "batch-assignments": look(REQUESTER),
    "hits": look(REQUESTER),
    "hit": look(REQUESTER),
    "hit-void": act(REQUESTER),
    "hit-restore": act(REQUESTER),
    "review": look(REQUESTER),
    "review-draw": act(REQUESTER),
    "review-answer": fill(REQUESTER, 409),
    "review-undo": act(REQUESTER),
    "review-choose": act(REQUESTER),
    "review-feedback": act(REQUESTER),
    "review-withdraw": act(REQUESTER),
    "adjudicate": look(REQUESTER),
    "adjudicate-hit": fill(REQUESTER),
    "adjudicate-undo": act(REQUESTER),
    "gold": look(REQUESTER),
    "gold-correct": act(REQUESTER),
    "gold-item": fill(REQUESTER),
    "gold-undo": act(REQUESTER),
    "batch-workers": look(REQUESTER),
    "flags": look(REQUESTER),
    "flag-keep": act(REQUESTER),
    "flag-void": act(REQUESTER),
    "flag-reopen": act(REQUESTER),
    "report": look(REQUESTER),
    "report-refresh": act(REQUESTER),
    "report-progress": look(REQUESTER),
    "guide": fill(REQUESTER),
    "batch-settings": fill(REQUESTER),
    "batch-gather": act(REQUESTER),
    "batch-export": look(REQUESTER),
}


def patterns() -> list[URLPattern]:
    """Every address of the site, included ones too."""
    waiting, found = list(get_resolver().url_patterns), []
    while waiting:
        entry = waiting.pop(0)
        if isinstance(entry, URLPattern):
            found.append(entry)
        else:
            waiting.extend(entry.url_patterns)
    return found


def parameters(name: str) -> dict[str, Any]:
    """{parameter: its converter} of a route."""
    entry = next(e for e in patterns() if e.name == name)
    return dict(entry.pattern.converters)


def url(name: str, things: dict[str, Any]) -> str:
    """The address of a route, its parameters taken from `World.wells` or `.springs`."""
    given = {p: things.get(f"{name}.{p}", things.get(p)) for p in parameters(name)}
    return reverse(name, kwargs=given)


def urls(world: World) -> dict[str, str]:
    return {name: url(name, world.wells) for name in TABLE}
