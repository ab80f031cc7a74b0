"""A pytest plugin that tries mutants: each in a forked process, with the tests that call its function.

The first process collects and sets up the database once. A mutant dies by the first test that fails with it and passes
without it after the same other tests, or because it does not end. Each result is one line of JSON, written at once.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol

from tests.mutants import RESULTS, ROOT
from tests.mutants.mutations import Mutant, mutants
from tests.mutants.replacing import all_functions, forget_results, replace

PLAN = "MUTANTS_PLAN"  # the file that says what to try: lines of {"mutant", "source", "against", "tests"}
CPU_SECONDS, WALL_SECONDS = 90, 900
KILLED, SURVIVED, ENDLESS = "killed", "survived", "endless"


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Property tests begin alike each time, keep nothing, and do not look for the shortest example."""
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    usual = hypothesis.settings.get_profile("untimed")
    hypothesis.settings.register_profile("mutants", usual, derandomize=True, database=None, phases=phases)
    hypothesis.settings.load_profile("mutants")


def pytest_runtestloop(session: pytest.Session) -> bool:
    items = {item.nodeid: item for item in session.items}
    plan = [json.loads(line) for line in Path(os.environ[PLAN]).read_text().splitlines()]
    _warm_up([items[test] for wish in plan for test in wish["tests"][:1] if test in items])
    for wish in plan:
        chosen = [items[test] for test in wish["tests"] if test in items]
        row = wish | {"tests": len(chosen)} | _tried(Mutant(**wish["mutant"]), chosen)
        with RESULTS.open("a") as out:
            out.write(json.dumps(row) + "\n")
    os._exit(0)  # fixtures of the session end with their process


def _warm_up(items: list[pytest.Item]) -> None:
    """Load what most tests need, once: a test of some folders, none with a server, since a fork has no threads."""
    fit = [item for item in items if "live_server" not in getattr(item, "fixturenames", ())]
    fit = list({item.path.parent: item for item in fit}.values())
    for item, following in zip(fit, [*fit[1:], *fit[:1]], strict=True):
        runtestprotocol(item, log=False, nextitem=following)
    all_functions()
    gc.collect()
    gc.freeze()


def _tried(mutant: Mutant, chosen: list[pytest.Item]) -> dict[str, Any]:
    """{"result", "by": the test that noticed}. A test that fails without the mutant too has no say."""
    output = _forked(mutant, chosen)
    while output["result"] == KILLED:
        upto = [item.nodeid for item in chosen].index(output["by"])
        if _forked(None, chosen[: upto + 1])["result"] == SURVIVED:
            break
        chosen = [*chosen[:upto], *chosen[upto + 1 :]]
        output = _forked(mutant, chosen)
    return output


def _forked(mutant: Mutant | None, chosen: list[pytest.Item]) -> dict[str, Any]:
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            os.write(writing, json.dumps(_run(mutant, chosen)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    if not select.select([reading], [], [], WALL_SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
    output = os.read(reading, 1 << 16)
    os.close(reading)
    os.waitpid(child, 0)
    return dict(json.loads(output)) if output else {"result": ENDLESS, "by": ""}


def _run(mutant: Mutant | None, chosen: list[pytest.Item]) -> dict[str, Any]:
    if mutant and not any(_break(mutant)):
        return {"result": "not found", "by": ""}
    forget_results()
    for item, following in zip(chosen, [*chosen[1:], *chosen[:1]], strict=True):
        item.session._setupstate.teardown_exact(item)
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return {"result": KILLED, "by": item.nodeid}
    return {"result": SURVIVED, "by": ""}


def _break(mutant: Mutant) -> list[int]:
    """Put the mutant in the place of its function; how many functions that were."""
    found = mutants(mutant.path, (ROOT / mutant.path).read_text())
    return [replace(mutant.path, tree, only=mutant.function) for one, tree in found if one == mutant]
