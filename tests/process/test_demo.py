"""The demo, set up twice by its command: believable work, and nothing doubled."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.process import wheels
from tests.process.installation import Installation

ROOT = Path(__file__).resolve().parent.parent.parent
PROBE = """
import json
from annotation.flow.batches import batch_progress
from annotation.flow.money import ledger_audit, wages
from annotation.flow.reports import batch_scores, score_looks
from annotation.models import *
project = Project.objects.get()
study, second, graphs, written = (Batch.objects.get(slug=f"vennory-{slug}")
    for slug in ("first-study", "second-study", "composing", "model-written-checked"))
reports = [batch_scores.kept_report(batch) for batch in (study, graphs)]
hours = [count for _hour, count in batch_progress.by_hour(study) if count]
print(json.dumps({
    "faults": len(ledger_audit.audit(project)),
    "wage": float(wages.summary(wages.of_batch(study)).median or 0),
    "hours": len(hours), "busiest": max(hours),
    "fresh": [batch_scores.is_fresh(study, reports[0]), batch_scores.is_fresh(graphs, reports[1])],
    "adjudicate": study.activity.to_adjudicate,
    "problems": batch_progress.open_problem_reports(second).count(),
    "finished": [study.state, score_looks.is_complete(study), study.hits.count(), study.assignments.filter(
        state="submitted").count()],
    "rated": [written.state, batch_scores.is_fresh(written, batch_scores.kept_report(written)),
        written.assignments.filter(state="submitted").count()],
    "left": second.hits.filter(done__lt=3).count(),
    "passed": Attempt.objects.filter(passed=True).count(), "failed": Attempt.objects.filter(passed=False).count(),
    "undecided": second.assignments.filter(state="submitted", approval="").count(),
    "counts": [model.objects.count() for model in (
        Assignment, Payment, Entry, Payout, Qualification, Message, Invite, Dataset, Batch, User, Review, Feedback)],
}))
"""


def manage(var: Path, *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    more = wheels.elsewhere({"HOPSCRIBE_VAR": str(var)})
    done = subprocess.run(command, cwd=ROOT, env=more, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout + done.stderr


def world(var: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(manage(var, "shell", "-v0", "-c", PROBE).splitlines()[0])
    return found


SERVED = """
import json, socket, sys
from http.client import HTTPConnection
from annotation.operations import local_server
def status(host, name):
    connection = HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/accounts/sign-in/", headers={"Host": f"{name}:{port}"})
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()
own, found = local_server.network_name(local_server.EVERY), {}
for host in (local_server.LOOPBACK, local_server.EVERY):
    port = local_server.free_port()
    with local_server.served(port, host):
        found[host] = [status("127.0.0.1", "localhost"), status(own, own), status(own, "elsewhere.example")]
print(json.dumps(found))
"""


def has_network() -> bool:
    """Whether this machine has an address besides its own loop, as `network_name` finds it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        return not probe.getsockname()[0].startswith("127.")
    return False


@pytest.mark.soak
@pytest.mark.skipif(not has_network(), reason="this machine is in no network")
def test_the_network_reaches_the_demo_only_where_it_is_let_in(
    install: Callable[..., Installation], tmp_path: Path
) -> None:
    found = json.loads(install().manage("shell", "-v0", "-c", SERVED).splitlines()[-1])
    assert found == {"127.0.0.1": [200, 0, 0], "0.0.0.0": [200, 200, 400]}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--host", "nowhere.invalid"), "nowhere.invalid is no IPv4 address of this computer"),
        (("--port", "99999"), "give a whole number from 1 to 65535"),
    ],
)
def test_an_address_that_is_none_is_refused_before_anything_is_set_up(
    given: tuple[str, str], said: str, tmp_path: Path
) -> None:
    command = [sys.executable, "manage.py", "demo", *given]
    more = wheels.elsewhere({"HOPSCRIBE_VAR": str(tmp_path)})
    done = subprocess.run(command, cwd=ROOT, env=more, capture_output=True, text=True, check=False)
    assert done.returncode
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "hopscribe.sqlite3").exists()


@pytest.fixture
def database(on_sqlite: str) -> str:
    """Where the site is served does not depend on the database."""
    return on_sqlite


@pytest.mark.soak
def test_the_demo_is_full_of_believable_work_and_completes_once(tmp_path: Path) -> None:
    said = manage(tmp_path, "demo", "--no-serve")
    assert "7 of 7" in said
    found = world(tmp_path)
    assert found["faults"] == 0
    assert 8 < found["wage"] < 25
    assert found["hours"] >= 6
    assert found["busiest"] <= 60
    assert found["fresh"] == [True, True]
    assert found["adjudicate"] >= 1
    assert found["problems"] == 1
    assert found["finished"] == ["closed", True, 40, 120]
    assert found["rated"] == ["closed", True, 72]
    assert found["left"] == 12
    assert (found["passed"], found["failed"]) == (3, 1)
    assert found["undecided"] > 0
    assert all(found["counts"])
    assert " of " not in manage(tmp_path, "demo", "--no-serve")
    assert world(tmp_path) == found
