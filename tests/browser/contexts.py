"""Contexts of the browser that tests share, one after the other.

A new context has an empty cache, so that a page's first visit costs three times the work of its second. What a test
leaves in a context goes before the next one gets it: pages, cookies, stored data, permissions. A context whose clock a
test set is used no more: all later pages of it would have that clock, whose `performance` forgets every mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PATIENCE = 45_000  # milliseconds until something that should happen counts as not happening, on a busy machine too
STORED = "local_storage,indexeddb,websql,service_workers,cache_storage"  # not the cache of HTTP: that is what is shared

BROWSERS_CLOCK = "String(performance.now).includes('native code')"
# Asks a page for a frame and for a timer. ALIVE says whether they came, and what the page did before.
ASK = """globalThis.came = [];
requestAnimationFrame(() => came.push("frame"));
setTimeout(() => came.push("timer"));"""
ALIVE = """JSON.stringify({
  came, now: performance.now(), state: document.readyState, visible: document.visibilityState,
  marks: performance.getEntriesByType("mark").map(({name, startTime}) => [name, startTime]),
  loaded: performance.getEntriesByType("resource").map(({name, responseStatus}) => [name, responseStatus]),
})"""


def _state_of(page: Any) -> str:
    """What a page shows, and whether it lives; asked without what Playwright keeps of it, which may be what hangs."""
    from playwright.sync_api import Error

    try:
        devtools = page.context.new_cdp_session(page)
        devtools.send("Runtime.evaluate", {"expression": ASK})
        page.wait_for_timeout(2_000)  # for the frame and the timer: without them there is nothing to wait for
        alive = devtools.send("Runtime.evaluate", {"expression": ALIVE})["result"]
        return f"{alive.get('value', alive)}\n{page.locator('body').inner_text(timeout=2_000)}"
    except Error as error:
        return str(error)


def leave(page: Any) -> None:
    """Close a page that stands still: to close one that is on its way to another can wait for ever in Chromium."""
    from playwright.sync_api import Error

    for _try in range(3):  # the way to another page may begin only now
        with suppress(Error):
            page.goto("about:blank")
            break
    page.close()


class Contexts:
    """Contexts by their options; two that a test has at once are two."""

    def __init__(self, launch: Callable[[], Any], url: str) -> None:
        self._launch, self.url = launch, url
        self._browser = launch()
        self._free: dict[str, list[Any]] = {}
        self._taken: list[tuple[str, Any]] = []
        self.failed = False  # whether the test that has them failed
        self.errors: list[str] = []  # of scripts, or refused by the Content Security Policy: no page may have any
        self.heard: list[str] = []  # what did not load, which many tests bring about

    def take(self, options: dict[str, Any]) -> tuple[Any, Any]:
        """A context with nothing in it, and a page of it; in a new browser, if the one before was ended."""
        if not self._browser.is_connected():
            self._free.clear()
            self._browser = self._launch()
        key = json.dumps(options, sort_keys=True)
        free = self._free.setdefault(key, [])
        context = free.pop() if free else self._new(options)
        page = context.new_page()
        if not page.evaluate(BROWSERS_CLOCK):
            context.close()
            return self.take(options)
        self._taken.append((key, context))
        devtools = context.new_cdp_session(page)
        devtools.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": STORED})
        devtools.detach()
        return context, page

    def _new(self, options: dict[str, Any]) -> Any:
        context = self._browser.new_context(
            base_url=self.url, **({"viewport": {"width": 1280, "height": 800}} | options)
        )
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("console", self._console)
        context.on("requestfailed", lambda request: self.heard.append(f"{request.url}: {request.failure}"))
        return context

    def _console(self, said: Any) -> None:
        if "Content Security" in said.text:
            self.errors.append(said.text)
        elif said.type == "error":
            self.heard.append(f"{said.text} {said.location['url']}")

    def report(self) -> list[tuple[str, str]]:
        """URL and state of each page that is open, or why it cannot be read, and what did not load."""
        pages = [(page.url, _state_of(page)) for _key, context in self._taken for page in context.pages]
        return [*pages, ("did not load", "\n".join(self.heard))]

    def give_back(self) -> None:
        """Empty the contexts that are in use, for the next test; a test that failed may have left anything in them.

        What Playwright does to each page of a context, such as taking it online, can wait for ever once one was closed:
        tests undo that themselves.
        """
        if not self._browser.is_connected():
            self._taken.clear()
        while self._taken:
            key, context = self._taken.pop()
            for page in context.pages:
                leave(page)
            if self.failed:
                context.close()
                continue
            context.clear_cookies()
            context.clear_permissions()
            self._free[key].append(context)
        self.failed = False
        self.errors, self.heard = [], []

    def close(self) -> None:
        if self._browser.is_connected():
            self._browser.close()
