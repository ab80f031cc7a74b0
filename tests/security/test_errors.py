"""Errors in the site's own dress, without a trace; and a database that is away is a pause, not a loss."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import InterfaceError, InternalError, OperationalError
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation

from annotation.models import Assignment
from tests.security.routes import url
from tests.security.world import World

CANARY = "canary of a defect"
TRACES = ("Traceback", "Exception", "Error at", ".py", "line ", CANARY, "sqlite", "psycopg", "SELECT", "django")


def plain(response: Any) -> str:
    """The page of an error, which must be one of ours and tell nothing of the inside."""
    html: str = response.content.decode()
    assert "components" in html
    assert "Hopscribe</title>" in html
    assert "<h1>" in html
    visible = html.replace('"/static/django_htmx', "")
    assert not [trace for trace in TRACES if trace in visible]
    return html


def broken(error: Exception) -> Any:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


@pytest.fixture
def careful(alice: Any) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    return client


def test_what_is_not_there(careful: Client) -> None:
    response = careful.get("/projects/nobodys/")
    assert response.status_code == 404
    assert "Page not found" in plain(response)


def test_a_forged_post(alice: Any) -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/sign-in/")
    assert response.status_code == 403
    assert "Please send the form again" in plain(response)


def test_what_is_forbidden(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.exceptions import PermissionDenied

    monkeypatch.setattr(
        "annotation.views.work.worker_home.worker_batches.worker_batches", broken(PermissionDenied(CANARY))
    )
    response = careful.get("/work/")
    assert response.status_code == 403
    assert "You have no access to this page" in plain(response)


def test_what_cannot_be_read(careful: Client) -> None:
    response = careful.post("/projects/wells/settings/", {str(k): k for k in range(2000)})
    assert response.status_code == 400
    assert "Invalid request" in plain(response)


def test_what_cannot_be_read_is_said_in_german_too() -> None:
    with translation.override("de"):
        assert "Ungültige Anfrage" in render_to_string("400.html")


def test_a_defect(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.views.work.worker_home.worker_batches.worker_batches", broken(RuntimeError(CANARY)))
    response = careful.get("/work/")
    assert response.status_code == 500
    assert "on our side" in plain(response)


def test_the_page_of_a_defect_asks_nothing_of_what_may_be_broken() -> None:
    text = Path(settings.ROOT / "templates/500.html").read_text()
    assert "{%" not in text.replace("{% comment %}", "").replace("{% endcomment %}", "")
    assert "{{" not in text


def read_only() -> InternalError:
    """What Django makes of PostgreSQL's refusal to write."""
    error = InternalError(CANARY)
    error.__cause__ = psycopg.errors.ReadOnlySqlTransaction()
    return error


AWAY = [OperationalError(CANARY), InterfaceError(CANARY), read_only()]


def pause(response: Any) -> None:
    assert response.status_code == 503
    assert 1 <= int(response["Retry-After"]) <= 60
    assert "One moment" in plain(response)


@pytest.mark.parametrize("error", AWAY, ids=["operational", "interface", "read only"])
def test_a_page_says_that_it_will_be_back(careful: Client, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr("annotation.views.work.worker_home.worker_batches.worker_batches", broken(error))
    pause(careful.get("/work/"))
    monkeypatch.undo()
    assert careful.get("/work/").status_code == 200


@pytest.mark.parametrize("name", ["assignment", "draft", "submit", "extend", "return", "live", "back"])
def test_an_annotators_request_is_a_pause_and_changes_nothing(
    name: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(world.users["bob"])
    before = list(Assignment.objects.order_by("pk").values_list())
    send = client.get if name in {"assignment", "live", "back"} else client.post
    monkeypatch.setattr("annotation.views.work.assignment_page.own_assignment", broken(OperationalError(CANARY)))
    pause(send(url(name, world.wells), {"kind": "text", "text": "Tower 1", "key": "0.x", "version": "0"}))
    monkeypatch.undo()
    assert list(Assignment.objects.order_by("pk").values_list()) == before


def test_a_session_that_cannot_be_read_is_a_pause(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SessionStore, "load", broken(OperationalError(CANARY)))
    pause(careful.get("/work/"))


def test_a_session_that_cannot_be_kept_is_a_pause(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link keeps its token in the session, which is saved after the view."""
    monkeypatch.setattr(SessionStore, "save", broken(OperationalError(CANARY)))
    pause(Client(raise_request_exception=False).get(url("password-reset", world.wells)))


def test_a_missing_page_is_a_pause_too_while_nobody_can_be_known(
    careful: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SessionStore, "load", broken(OperationalError(CANARY)))
    pause(careful.get("/nothing/here/"))


def test_it_is_not_ready_while_the_database_is_away(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.views.health.connection", Away())
    pause(careful.get("/healthz"))


def test_a_defect_of_the_database_is_no_pause(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "annotation.views.work.worker_home.worker_batches.worker_batches", broken(InternalError(CANARY))
    )
    assert careful.get("/work/").status_code == 500


def test_a_form_that_could_not_be_stored_can_be_sent_again(careful: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = {"title": 'Wells & "towers"', "instructions": "\n\nOne.\n"}
    monkeypatch.setattr("annotation.views.access.get_object_or_404", broken(OperationalError(CANARY)))
    response = careful.post("/projects/wells/settings/?tab=pay", sent)
    pause(response)
    page = response.content.decode()
    again = re.findall(r'<textarea hidden name="(.*?)">\n(.*?)</textarea>', page, re.S)
    assert {name: unescape(value) for name, value in again} == sent
    assert 'action="/projects/wells/settings/?tab=pay"' in page
    assert response["Cache-Control"] == "no-store"
    secret = careful.post("/projects/wells/settings/", {"password": CANARY})
    pause(secret)
    assert "<textarea" not in secret.content.decode()


class Away:
    def cursor(self) -> Any:
        raise OperationalError(CANARY)
