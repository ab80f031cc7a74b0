"""What holds for every call: who is let in, how problems are told, pages, limits."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import caches
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from annotation.flow.projects import api_tokens
from annotation.models import Dataset
from tests.api.ground import PROJECT, Caller, is_problem

DATASETS = f"{PROJECT}datasets/"


@pytest.fixture
def caller(alice: Any) -> Caller:
    return Caller(alice)


def broken(error: Exception) -> Any:
    def raise_it(*_: Any, **__: Any) -> Any:
        raise error

    return raise_it


def test_a_token_opens_its_owners_projects_without_any_cookie(caller: Caller) -> None:
    response = caller.get("/api/v1/projects/")
    assert response.json()["results"][0]["slug"] == "wells"
    assert not response.cookies
    caller.token.refresh_from_db()
    assert caller.token.last_used_at is not None


def test_a_token_that_is_revoked_over_or_unknown_opens_nothing(alice: Any, caller: Caller) -> None:
    assert api_tokens.revoke(caller.token)
    assert "is not valid" in is_problem(caller.get(PROJECT), 401)["detail"]
    is_problem(Caller(alice, expires_at=timezone.now() - timedelta(seconds=1)).get(PROJECT), 401)
    assert Caller(alice, expires_at=timezone.now() + timedelta(days=1)).get(PROJECT).status_code == 200
    unknown = Client().get(PROJECT, headers={"Authorization": "Bearer hop_\xe4"})
    assert is_problem(unknown, 401)
    assert unknown["WWW-Authenticate"] == 'Bearer realm="api"'
    alice.is_active = False
    alice.save()
    is_problem(Caller(alice).get(PROJECT), 401)


def test_a_session_reads_and_writes_with_the_pages_own_token(alice: Any, dataset: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    assert client.get(DATASETS).json()["results"][0]["name"] == "wells"
    assert "CSRF" in is_problem(client.delete(f"{DATASETS}wells/"), 403)["detail"]
    client.get("/projects/wells/datasets/")
    token = client.cookies["csrftoken"].value
    assert client.delete(f"{DATASETS}wells/", headers={"X-CSRFToken": token}).status_code == 202


def test_what_is_not_there_is_a_problem_wherever_it_is_not(caller: Caller) -> None:
    for address in ("/api/", "/api/v1/", "/api/v9/x", "/api/v1/projects", f"{PROJECT}nothing/", "/api/v1/projects/é/"):
        assert is_problem(caller.get(address), 404)
        assert is_problem(Client().post(address), 404)
    assert is_problem(caller.get("/api/v1/projects/others/"), 404)
    assert is_problem(caller.get(f"{DATASETS}none/"), 404)


def test_a_request_that_cannot_be_read_is_told_why(caller: Caller) -> None:
    where, as_json = f"{PROJECT}derivations/", {"content_type": "application/json"}
    bodies = [
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"a": NaN}',
        b'{"a": "\\ud800"}',
        b'{"a": 1' + b"0" * 5000,
    ]
    for body in bodies:
        is_problem(caller.post(where, body, **as_json), 400)
    is_problem(caller.post(where, b'{"a": "' + b"x" * 2**21 + b'"}', **as_json), 413)
    is_problem(caller.post(where, b"{}", content_type="text/plain"), 415)
    is_problem(caller.post(where, b"no form", content_type="multipart/form-data; boundary=x"), 422)
    is_problem(caller.get(DATASETS, headers={"Accept": "text/html"}), 406)
    is_problem(caller.put(DATASETS), 405)
    result = is_problem(caller.send(where, {"how": "up", "options": []}), 422)
    assert {"how", "source", "name", "options"} == {flaw["field"] for flaw in result["errors"]}


def test_a_body_beyond_the_limit_is_not_stored(caller: Caller, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 1000
    for kind in ("application/octet-stream", "multipart/form-data; boundary=x"):
        assert is_problem(caller.post(f"{DATASETS}?name=large", b"x" * 1001, content_type=kind), 413)
    assert not Dataset.objects.filter(slug="large").exists()


def test_a_defect_tells_nothing_of_the_inside(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller(alice, quiet=True)
    monkeypatch.setattr("annotation.api.data.datasets.DatasetViewSet.get_queryset", broken(RuntimeError("canary")))
    response = caller.get(DATASETS)
    assert "canary" not in response.content.decode()
    is_problem(response, 500)


def test_a_database_that_is_away_is_a_pause(alice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    caller, away = Caller(alice, quiet=True), broken(OperationalError("canary"))
    with monkeypatch.context() as patched:
        patched.setattr("annotation.api.data.datasets.DatasetViewSet.get_queryset", away)
        assert is_problem(response := caller.get(DATASETS), 503)
        assert int(response["Retry-After"]) > 0
    signed_in = Client(raise_request_exception=False)
    signed_in.force_login(alice)
    monkeypatch.setattr(SessionStore, "load", away)
    assert "canary" not in is_problem(response := signed_in.get(DATASETS), 503)["detail"]
    assert int(response["Retry-After"]) > 0


def test_nobody_calls_more_often_than_the_limit_says(alice: Any, settings: Any) -> None:
    caches["counts"].clear()
    settings.API_RATE = "3/hour"
    callers = [Caller(alice), Caller(alice)]
    assert [caller.get(PROJECT).status_code for caller in callers * 2] == [200, 200, 200, 429]
    response = callers[0].get(PROJECT)
    assert "throttled" in is_problem(response, 429)["detail"]
    assert 1 <= int(response["Retry-After"]) <= 3600
    caches["counts"].clear()


def test_a_stranger_is_counted_by_where_they_call_from_and_not_by_what_they_say(db: None, settings: Any) -> None:
    caches["counts"].clear()
    settings.API_RATE = "2/hour"
    stranger = Client()
    said = [{"X-Forwarded-For": f"192.0.2.{k}"} for k in range(3)]
    assert [stranger.get("/api/v1/schema/", headers=one).status_code for one in said] == [200, 200, 429]
    caches["counts"].clear()


def test_pages_are_stable_while_rows_come_in(caller: Caller, project: Any) -> None:
    def grow(*names: str) -> None:
        for name in names:
            Dataset.objects.create(project=project, slug=name, state="ready", format="jsonl")

    grow("a", "b", "c", "d")
    first = caller.get(f"{DATASETS}?limit=2").json()
    grow("e")
    second = caller.get(first["next"]).json()
    result = [[row["name"] for row in page["results"]] for page in (first, second)]
    assert result == [["d", "c"], ["b", "a"]]
    assert [row["name"] for row in caller.get(second["previous"]).json()["results"]] == ["d", "c"]
    assert second["next"] is None
    for wrong in ("0", "-1", "1001", "x", "1e2", "9" * 30, "²"):
        assert is_problem(caller.get(f"{DATASETS}?limit={wrong}"), 422)["errors"][0]["field"] == "limit"
    is_problem(caller.get(f"{DATASETS}?cursor=cD14"), 422)  # "p=x"
    is_problem(caller.get(f"{DATASETS}?cursor=x"), 422)


def test_nobody_on_the_way_keeps_what_is_told(caller: Caller, dataset: Any) -> None:
    paths = [DATASETS, f"{DATASETS}wells/export/jsonl/", f"{DATASETS}none/", "/api/v1/projects/", "/api/v1/tokens/"]
    for path in paths:
        response = caller.get(path)
        response.close()
        assert response["Cache-Control"] == "private, no-store", path


def test_head_options_and_compression_work_as_everywhere(caller: Caller, dataset: Any) -> None:
    assert caller.head(DATASETS).content == b""
    assert caller.options(DATASETS).status_code == 200
    zipped = caller.get(f"{DATASETS}wells/items/", headers={"Accept-Encoding": "gzip"})
    assert zipped["Content-Encoding"] == "gzip"
    assert json.loads(caller.get(f"{DATASETS}wells/items/").content)["results"]


@pytest.mark.app("webhooks")
def test_a_filter_that_is_not_there_is_refused(caller: Caller, batch: Any) -> None:
    """A typing error in one would tell of everything."""
    of_batch = f"{PROJECT}batches/{batch.slug}/"
    for path in ("batches/?state=open&limit=5&tsk=answer", "webhooks/?kind=job", "derivations/?how=join"):
        wrong = is_problem(caller.get(PROJECT + path), 422)
        assert [flaw["field"] for flaw in wrong["errors"]] == [path.rpartition("=")[0].split("&")[-1].split("?")[-1]]
    is_problem(caller.get(f"{of_batch}report/?hop=2"), 422)
    assert caller.get(f"{of_batch}hits/?state=open&limit=5").status_code == 200


def test_a_cursor_that_is_none_of_ours_is_refused(caller: Caller, batch: Any) -> None:
    for cursor in ("zzz", "cD1hYmM="):
        wrong = is_problem(caller.get(f"{PROJECT}batches/?cursor={cursor}"), 422)
        assert [flaw["field"] for flaw in wrong["errors"]] == ["cursor"]


def test_problems_speak_the_caller_s_language(caller: Caller, batch: Any) -> None:
    german = {"Accept-Language": "de"}
    assert "Hier ist nichts" in is_problem(caller.get(f"{PROJECT}nothing/", headers=german), 404)["detail"]
    reader = Caller(caller.token.user, scope="read")
    refused = reader.post(f"{PROJECT}batches/", "{}", content_type="application/json", headers=german)
    assert "nur lesen" in is_problem(refused, 403)["detail"]
