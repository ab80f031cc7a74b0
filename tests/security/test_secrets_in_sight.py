"""No secret of the installation or of a person comes out by a page, a header or a log, whatever goes wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client

from annotation.models import User
from tests.long_forms import first
from tests.security.routes import TABLE, urls
from tests.security.world import SOME_ROLES, World

TYPED = "typed-Pass-phrase-4711"
DATABASE = "canary-of-the-database-password"


class Everything(logging.Handler):
    """Keeps each record as a plain handler would write it, with its trace."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        self.lines: list[str] = []
        self.whole = False

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


# Templates and Markdown write thousands of lines for a page: at their lowest level in the soak only.
@pytest.fixture(params=first(1, [logging.INFO, logging.DEBUG]), ids=["", "whole"])
def log(request: pytest.FixtureRequest) -> Iterator[Everything]:
    """Everything that is logged while each logger says all it can."""
    kept, root = Everything(), logging.getLogger()
    kept.whole = request.param == logging.DEBUG
    known = [one for one in root.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    levels = {logger: logger.level for logger in [root, *known]}
    for logger in levels:
        logger.setLevel(logging.DEBUG)
    for logger in levels:
        if logger.name.startswith(("django.template", "markdown_it")):
            logger.setLevel(request.param)
    root.addHandler(kept)
    yield kept
    root.removeHandler(kept)
    for logger, level in levels.items():
        logger.setLevel(level)


@pytest.fixture
def database_password(db: None) -> Iterator[str]:
    before = connection.settings_dict.get("PASSWORD", "")
    connection.settings_dict["PASSWORD"] = DATABASE
    yield DATABASE
    connection.settings_dict["PASSWORD"] = before


def told(response: Any) -> str:
    body = response.getvalue().decode(errors="replace")
    return f"{response.headers}\n{body}"


def secrets(world: World) -> dict[str, str]:
    found = {"the key": settings.SECRET_KEY, "a typed password": TYPED, "the database's password": DATABASE}
    found |= {f"hash of {user}": user.password for user in User.objects.all()}
    found |= {f"pseudonym key {k}": key for k, key in enumerate(world.secrets)}
    return found | {f"session {k}": s.session_key for k, s in enumerate(Session.objects.all())}


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a defect")


def crawl(world: World, role: str, one_in: int) -> Iterator[str]:
    """What every address answers, or as an owner one in `one_in`: looked at, posted to."""
    client = Client(raise_request_exception=False)
    if role != "anonymous":
        client.force_login(world.users[role])
    addresses = urls(world)
    for name in [name for name in addresses if name != "sign-out"][:: one_in if role == "alice" else 1]:
        yield told(client.get(addresses[name]))
        if role in TABLE[name].allowed:
            body = {"username": "alice", "password": TYPED, "new_password1": TYPED, "new_password2": "other"}
            yield told(client.post(addresses[name], body)).replace(f"sessionid={session_of(client)}", "")
    yield told(client.get("/", headers={"Host": "evil.example"}))
    yield told(client.post("/projects/wells/settings/", {str(k): k for k in range(2000)}))
    if role != "anonymous":
        client.force_login(world.users[role])


def session_of(client: Client) -> str:
    return str(client.cookies["sessionid"].value) if "sessionid" in client.cookies else ""


@pytest.mark.parametrize("role", SOME_ROLES)
def test_no_page_and_no_log_tells_a_secret(role: str, world: World, log: Everything, database_password: str) -> None:
    pages = list(crawl(world, role, one_in=1 if log.whole else 12))
    for what, secret in secrets(world).items():
        assert not [page[:300] for page in pages if secret in page], what
        assert not [line for line in log.lines if secret in line], what
    assert len(log.lines) > 10


@pytest.mark.soak
def test_no_page_and_no_log_of_a_defect_tells_a_secret(
    world: World, log: Everything, database_password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.flow.people.sign_in.forget", broken)
    monkeypatch.setattr("django.contrib.auth.authenticate", broken)
    monkeypatch.setattr("django.contrib.auth.forms.authenticate", broken)
    monkeypatch.setattr("annotation.forms.sign_up.JoinForm.save", broken)
    client = Client(raise_request_exception=False)
    pages = [
        client.post("/accounts/sign-in/", {"username": "alice", "password": TYPED}),
        client.post(urls(world)["join"], {"username": "zoe", "password": TYPED, "display_name": "Zoe"}),
    ]
    assert [page.status_code for page in pages] == [500, 500]
    seen = "\n".join([*map(told, pages), *log.lines])
    assert "a defect" in seen
    for what, secret in secrets(world).items():
        assert secret not in seen, what
