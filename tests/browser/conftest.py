"""Headless Chromium on a real installation: one browser and one site for each test process, a project for each test."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.browser.chromium import ARGUMENTS, CHROMIUM, MISSING
from tests.browser.contexts import PATIENCE, Contexts
from tests.browser.desk import Desk
from tests.browser.site import Site
from tests.browser.watchdog import Watchdog
from tests.conftest import case_order

LONG = {"test_compose_anywhere.py", "test_pointer.py"}  # odd screens, scripts and pointers, page by page: for the soak
SCANS = {"broken", "look"}  # what looks for broken rules of axe is called


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Of a test on several screens or kinds of items the first is for every run, the others are for `make soak`."""
    first: dict[str, list[int]] = {}  # as written: the order of `items` is random
    ours = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.browser)
        if CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason=MISSING))
        if SCANS.intersection((*item.function.__code__.co_names, *item.fixturenames)):
            item.add_marker(pytest.mark.axe)
        if not item.get_closest_marker("soak"):
            name = item.nodeid.partition("[")[0]
            first[name] = min(first.get(name, case_order(item)), case_order(item))
    for item in ours:
        later = case_order(item) > first.get(item.nodeid.partition("[")[0], [])
        if item.path.name in LONG or later:
            item.add_marker(pytest.mark.soak)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Function, nextitem: pytest.Item | None) -> bool:
    """A test whose browser hung runs once more, in a new one."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports, dog = _watched(item, nextitem)
    if dog.bit and any(report.failed for report in reports):
        item._initrequest()
        reports, dog = _watched(item, nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _watched(item: pytest.Function, nextitem: pytest.Item | None) -> tuple[list[pytest.TestReport], Watchdog]:
    dog = Watchdog(item.nodeid)
    dog.start()
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    dog.stop()
    return reports, dog


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """With a failure comes what its pages showed, and whether they lived."""
    report = yield
    contexts = getattr(item, "funcargs", {}).get("contexts")
    if report.when == "call" and report.failed and contexts:
        contexts.failed = True
        report.sections += contexts.report()
    return report


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, static: Path, migrated: Path) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"), static=static, migrated=migrated)
    yield made
    made.close()


@pytest.fixture(scope="session")
def launch() -> Iterator[Callable[..., Any]]:
    """Starts Chromium, with more arguments where they are given."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    # Playwright's own loop runs in this thread; without this Django would refuse its database to all other tests.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        yield lambda *more: playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *more])
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def furnished(site: Site) -> dict[str, Any]:
    """Something behind every address: sessions by name, and the addresses of a project."""
    return dict(site.ask("furnish"))


@pytest.fixture(scope="session")
def contexts(launch: Callable[..., Any], site: Site) -> Iterator[Contexts]:
    made = Contexts(launch, site.url)
    yield made
    dog = Watchdog("closing the browser", 30)
    dog.start()
    made.close()
    dog.stop()


@pytest.fixture
def visit(contexts: Contexts) -> Iterator[Callable[..., Any]]:
    """Opens an empty page, signed in where a session is given; no page may have an error of a script."""

    def open_page(session: str = "", **options: Any) -> Any:
        context, page = contexts.take(options)
        if session:
            context.add_cookies([{"name": "sessionid", "value": session, "url": contexts.url}])
        return page

    yield open_page
    errors = [*contexts.errors]  # those so far: not of pages that are closed
    contexts.give_back()
    assert not errors


@pytest.fixture
def desk(visit: Callable[..., Any], site: Site) -> Callable[..., Desk]:
    """Seats a new annotator before the first assignment of a new batch of a kind of records."""

    def seat(
        kind: str = "demo", *, page: dict[str, Any] | None = None, batch: Any = None, start: str = "", **settings: Any
    ) -> Desk:
        of = batch or site.batch(kind, **settings)
        person = site.ask("person", batch=of["batch"])
        seated = Desk(site, visit(person["session"], **(page or {})), person)
        seated.open()
        return seated

    return seat
