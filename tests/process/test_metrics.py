"""All web processes count together, and what waits is read from the rows."""

from __future__ import annotations

import json
import re
from http.client import HTTPConnection

import pytest

from tests.process.installation import Installation


@pytest.fixture
def database(on_sqlite: str) -> str:
    """One kind of database is enough."""
    return on_sqlite


def ask(installation: Installation, path: str, **headers: str) -> tuple[int, str, str]:
    """Status, body and request id; a connection of its own, so that any process may answer."""
    connection = HTTPConnection("127.0.0.1", installation.port, timeout=20)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    result = response.status, response.read().decode(), response.getheader("X-Request-ID") or ""
    connection.close()
    return result


def test_two_web_processes_count_together_and_tell_it_to_this_machine_only(installation: Installation) -> None:
    installation.environment |= {"LOG_FORMAT": "json", "METRICS_TOKEN": "a token of the monitor"}
    installation.start_web()
    canary = "canary-of-an-invite"
    for k in range(40):
        status, _body, name = ask(
            installation, f"/join/{canary}/?email=canary@lab.example", **{"X-Request-ID": f"r{k:09}"}
        )
        assert (status, name) == (410, f"r{k:09}")
    status, result, _name = ask(installation, "/metrics")
    assert status == 200
    assert 'hopscribe_requests_total{method="GET",route="join",status="410"} 40.0' in result
    assert 'hopscribe_request_seconds_count{route="join"} 40.0' in result
    assert 'hopscribe_jobs{state="waiting"} 0.0' in result
    assert "hopscribe_database_up 1.0" in result
    assert "canary" not in result
    assert ask(installation, "/metrics", **{"X-Forwarded-For": "127.0.0.1"})[0] == 404
    token = {"X-Forwarded-For": "203.0.113.9", "Authorization": "Bearer a token of the monitor"}
    assert ask(installation, "/metrics", **token)[0] == 200
    assert json.loads(ask(installation, "/readyz")[1]) == {"ready": True, "checks": {"database": "ok", "storage": "ok"}}
    log = (installation.var / "web.log").read_text()
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    joined = [line for line in lines if line.get("route") == "join"]
    assert {line["request_id"] for line in joined} == {f"r{k:09}" for k in range(40)}
    assert all(line["status"] == 410 and line["ms"] > 0 for line in joined)
    assert not re.search("canary|token of the monitor", log)
