"""A PostgreSQL that takes no writes for a while: pages pause, keep what was typed, and go on when it does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from http.client import HTTPConnection
from urllib.parse import urlencode

import psycopg
import pytest

from tests.process.installation import Installation
from tests.process.test_metrics import ask
from tests.waiting import until

FIELDS = re.compile(r'<textarea hidden name="(.*?)">\n(.*?)</textarea>', re.S)


@pytest.fixture
def database(on_postgresql: str) -> str:
    """SQLite says itself that it cannot write."""
    return on_postgresql


def set_read_only(url: str, state: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = {state}')  # type: ignore[call-overload]
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


def post(installation: Installation, path: str, fields: dict[str, str], session: dict[str, str]) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", installation.port, timeout=20)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, urlencode(fields), session | form)
    response = connection.getresponse()
    result = response.status, response.read().decode()
    connection.close()
    return result


@pytest.mark.soak
def test_a_database_that_takes_no_writes_is_a_pause(install: Callable[..., Installation], database: str) -> None:
    first = install()
    built = first.world("build", "hits=4", "assignments=1", "workers=1")
    first.start_web(workers=1)
    session = {"Cookie": f"sessionid={built['sessions'][0]}; csrftoken={'a' * 32}"}
    set_read_only(database, "on")
    until(lambda: ask(first, "/readyz")[0] == 503)
    assert json.loads(ask(first, "/readyz")[1])["checks"]["database"] == "is read-only"
    sent = {"csrfmiddlewaretoken": "a" * 32, "name": "Ana “Ü”\n\nB", "contact": "x"}
    start = f"/work/batches/{built['batch']}/start/"
    status, page = post(first, start, sent, session)
    assert status == 503
    again = {name: unescape(value) for name, value in FIELDS.findall(page)}
    assert again == sent
    assert ask(first, "/work/", **session)[0] in {200, 503}
    set_read_only(database, "off")
    until(lambda: ask(first, "/readyz")[0] == 200)
    assert post(first, start, sent, session)[0] == 303
