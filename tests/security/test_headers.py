"""The headers that every response carries: pages, errors, fragments, files and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.db import OperationalError
from django.test import Client

from tests.long_forms import first
from tests.marketplaces.frames import ORIGIN
from tests.security.routes import TABLE, urls
from tests.security.world import SOME_ROLES, World

DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
LOOSE = ("unsafe-inline", "unsafe-eval", "unsafe-hashes", "strict-dynamic", "*", "http:", "https:", "blob:")


def own_origin(response: Any) -> list[str]:
    """What a stranger's HTML lacks to be kept out of our origin: it may run, and reach nothing of ours."""
    policy = response["Content-Security-Policy"]
    kept = policy.startswith("sandbox ") and "allow-same-origin" not in policy and "top-navigation" not in policy
    return [] if kept and "frame-ancestors 'self'" in policy else [policy]


def lets_others_frame_it(response: Any) -> list[str]:
    """What the answer to a stranger's form lacks besides the refusal to be framed: it stands in the form's place."""
    framed = response["Content-Security-Policy"] + "; frame-ancestors 'none'"
    response["Content-Security-Policy"], response["X-Frame-Options"] = framed, "DENY"
    return missing(response, file=True)


SANDBOXED = {"html-question": own_origin, "external-submit": lets_others_frame_it}


def missing(response: Any, *, market: str = "", file: bool = False) -> list[str]:
    """What a response lacks, in words; `market` is the one origin that may frame it and take its form."""
    policy = response.get("Content-Security-Policy", "")
    if market:
        framed = policy.replace(f"frame-ancestors {market}", "frame-ancestors 'none'")
        policy = framed.replace(f"form-action 'self' {market}", "form-action 'self'")
    said = {part.split()[0]: " ".join(part.split()[1:]) for part in policy.split(";") if part.strip()}
    found = [f"{name} is {said.get(name)}" for name, value in DIRECTIVES.items() if said.get(name) != value]
    found += [f"the policy allows {word}" for word in LOOSE if word in policy]
    wanted = {"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
    wanted["Cross-Origin-Opener-Policy"] = wanted["Cross-Origin-Resource-Policy"] = "same-origin"
    if market or file:
        wanted["Cross-Origin-Resource-Policy"] = "cross-origin"  # a frame may have no origin
    if market:
        wanted |= {"X-Frame-Options": None, "Referrer-Policy": "no-referrer"}
    allowed = response.get("Permissions-Policy", "")
    found += [f"{feature} may be used" for feature in ("camera", "microphone") if f"{feature}=()" not in allowed]
    return found + [f"{name} is {response.get(name)}" for name, value in wanted.items() if response.get(name) != value]


# GET: tests/security/test_writes.py, which looks at every address
@pytest.mark.parametrize("method", first(1, ["delete", "post"]))
@pytest.mark.parametrize("role", SOME_ROLES)
def test_every_refusal_and_answer_to_a_form_carries_them(role: str, method: str, world: World) -> None:
    client = Client()
    if role != "anonymous":
        client.force_login(world.users[role])
    for name, address in urls(world).items():
        if name != "sign-out":
            sent = {"data": TABLE[name].body} if method == "post" else {}
            response = getattr(client, method)(address, **sent)
            response.getvalue()
            assert not lacking(name, response), address


def lacking(name: str, response: Any) -> list[str]:
    """What a response of a route lacks, in words."""
    if name == "external-submit" or (name in SANDBOXED and response.status_code in {200, 400}):
        return SANDBOXED[name](response)
    in_frame = name.startswith("frame") and response.status_code in {200, 403}
    return missing(response, market=ORIGIN if in_frame else "")


def test_errors_carry_them(client: Any, alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    careful = Client(enforce_csrf_checks=True, raise_request_exception=False)
    careful.force_login(alice)

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a defect")

    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("the database is away")

    responses = [
        (404, careful.get("/nothing/here/")),
        (400, careful.get("/", headers={"Host": "evil.example"})),
        (403, careful.post("/accounts/preferences/")),
        (405, careful.get("/accounts/preferences/")),
        (301, careful.get("/work")),
    ]
    for status, cause in ((500, broken), (503, away)):
        monkeypatch.setattr("annotation.views.work.worker_home.open_work.obstacle", cause)
        monkeypatch.setattr("annotation.views.work.worker_home.worker_batches.worker_batches", cause)
        responses.append((status, careful.get("/work/")))
    for status, response in responses:
        assert response.status_code == status
        assert not missing(response), f"{status}: {missing(response)}"


def test_files_carry_them(db: None, settings: Any, static: Path) -> None:
    settings.STATIC_ROOT = static
    client = Client()  # the middleware looks at the folder when it is made, and that is now
    for name in ("css/base.css", "js/base.js", "icon.svg", "css/nothing.css"):
        response = client.get(f"/static/{name}")
        response.getvalue()
        assert response.status_code == (200 if finders.find(name) else 404)
        assert not missing(response, file=True), f"{name}: {missing(response, file=True)}"


def test_pages_are_kept_by_nobody_else(world: World) -> None:
    """What is shown to one person may not come out of a cache for another; an owner's pages are in test_writes.py."""
    client = Client()
    client.force_login(world.users["bob"])
    for name, address in urls(world).items():
        if is_page(name, "bob"):
            response = client.get(address)
            response.getvalue()
            assert kept_by_nobody(response), address


def is_page(name: str, role: str) -> bool:
    """Whether the route shows that role a page."""
    row = TABLE[name]
    return role in row.allowed and (row.own.get(role) or row.statuses).get("GET") == 200


def kept_by_nobody(response: Any) -> bool:
    return "no-store" in response.get("Cache-Control", "")


def test_cookies_stay_with_the_site(alice: Any) -> None:
    from tests.conftest import PASSWORD

    client = Client()
    client.post("/accounts/sign-in/", {"username": "alice", "password": PASSWORD})
    session = client.cookies["sessionid"]
    assert session["httponly"]
    assert session["samesite"] == "Lax"
    assert client.cookies["csrftoken"]["samesite"] == "Lax"


FIRST = {
    "page": "Content-Type Expires Cache-Control Vary Content-Length Content-Language Content-Encoding",
    "draft": "Content-Type Cache-Control Content-Length Vary Content-Language",
    "item": "Content-Type X-Item Vary Content-Length Content-Language Content-Encoding",
    "redirect": "Content-Type Location Vary Content-Language",
    "sign-in": "Content-Type Location Expires Cache-Control Content-Length Vary Content-Language",
    "missing": "Content-Type Vary Cache-Control Content-Length Content-Language",
    "refused": "Content-Type Allow Cache-Control Vary Content-Length Content-Language",
    "file": "Content-Type Cache-Control Access-Control-Allow-Origin Vary Last-Modified ETag Content-Length",
    "API": "Content-Type Cache-Control Allow Content-Length Vary Content-Language",
}
THEN = "X-Frame-Options Content-Security-Policy Cross-Origin-Resource-Policy Permissions-Policy X-Content-Type-Options"
THEN += " Referrer-Policy Cross-Origin-Opener-Policy X-Request-ID"


def test_each_kind_of_answer_has_its_headers_in_this_order(batch: Any, bob: Any, static: Path, settings: Any) -> None:
    settings.STATIC_ROOT = static
    client = Client()
    client.force_login(bob.user)
    place = client.post(f"/work/batches/{batch.pk}/instructions/", {"version": "1"})["Location"]
    draft = {"kind": "text", "text": "Farrow", "version": "0", "key": "0.a", "support": "1"}
    asked = {"X-Release": "", "Accept-Encoding": "gzip"}
    answers = {
        "page": client.get(place, headers={"Accept-Encoding": "gzip"}),
        "draft": client.post(f"{place}draft/", draft),
        "item": client.post(f"{place}submit/", draft, headers=asked),
        "redirect": client.get("/work"),
        "sign-in": Client().get("/work/"),
        "missing": client.get("/nothing/here/"),
        "refused": client.get("/accounts/language/"),
        "file": client.get("/static/css/base.css"),
        "API": client.get("/api/v1/projects/", headers={"Accept": "application/json"}),
    }
    answers["file"].getvalue()
    assert {kind: " ".join(answer.headers) for kind, answer in answers.items()} == {
        kind: f"{names} {THEN}" for kind, names in FIRST.items()
    }
