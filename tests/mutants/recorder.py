"""A pytest plugin that writes down which functions each test calls: one line of JSON a test, as each one ends.

`pytest -p tests.mutants.recorder` runs the tests that are new or whose file has changed. What a fixture of a whole
module calls counts for the first test of it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from importlib import import_module
from typing import Any

import pytest

from tests.mutants import ROOT, TESTS, targets
from tests.mutants.mutations import functions
from tests.mutants.replacing import forget_results, module_of, replace

CALLED = "called"
_called: set[str] = set()


@functools.cache
def digest(path: str) -> str:
    """What the file holds, in short; nothing for one that is gone."""
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.exists() else ""


def recorded() -> dict[str, dict[str, Any]]:
    """By test that passed, of files as they are now: {"test", "file", "seconds", "called"}."""
    rows = map(json.loads, TESTS.read_text().splitlines()) if TESTS.exists() else ()
    known = {row["test"]: row for row in rows}
    return {test: row for test, row in known.items() if row["file"] == digest(file_of(test))}


def file_of(test: str) -> str:
    return test.partition("::")[0]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    known = recorded()
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in known])
    items[:] = [item for item in items if item.nodeid not in known]


def pytest_collection_finish() -> None:
    """Let each function say that it was called."""
    for path in targets():
        vars(import_module(module_of(path)))["_say_called"] = _called.add
        tree = ast.parse((ROOT / path).read_text())
        for name, node in functions(tree):
            node.body.insert(0, ast.parse(f"_say_called({f'{path} {name}'!r})").body[0])
        replace(path, tree)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    forget_results()
    _called.clear()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    item.user_properties.append((CALLED, sorted(_called)))


class Writer:
    """Writes the lines, in the process that hears of all tests."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = report.nodeid
        self.seconds[test] = self.seconds.get(test, 0.0) + report.duration
        if not report.passed:
            self.failed.add(test)
        if report.when == "teardown" and test not in self.failed:
            row = {"test": test, "file": digest(file_of(test)), "seconds": round(self.seconds[test], 3)}
            with TESTS.open("a") as out:
                out.write(json.dumps(row | {CALLED: dict(report.user_properties)[CALLED]}) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        TESTS.parent.mkdir(parents=True, exist_ok=True)
        config.pluginmanager.register(Writer())
