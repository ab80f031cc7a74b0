"""Contexts of the browser that tests share, one after the other.

A new context has an empty cache, so that a page's first visit costs three times the work of its second. What a test
leaves in a context goes before the next one gets it: pages, cookies, stored data, permissions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PATIENCE = 45_000  # milliseconds until something that should happen counts as not happening, on a busy machine too
STORED = "local_storage,indexeddb,websql,service_workers,cache_storage"  # not the cache of HTTP: that is what is shared


def _text_of(page: Any) -> str:
    from playwright.sync_api import Error

    try:
        return str(page.locator("body").inner_text(timeout=2_000))
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

    def take(self, options: dict[str, Any]) -> tuple[Any, Any]:
        """A context with nothing in it, and a page of it; in a new browser, if the one before was ended."""
        if not self._browser.is_connected():
            self._free.clear()
            self._browser = self._launch()
        key = json.dumps(options, sort_keys=True)
        free = self._free.setdefault(key, [])
        context = free.pop() if free else self._new(options)
        self._taken.append((key, context))
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": STORED})
        devtools.detach()
        return context, page

    def _new(self, options: dict[str, Any]) -> Any:
        context = self._browser.new_context(
            base_url=self.url, **({"viewport": {"width": 1280, "height": 800}} | options)
        )
        context.set_default_timeout(PATIENCE)
        return context

    def shown(self) -> list[tuple[str, str]]:
        """URL and text of each page that is open, or why its text cannot be read."""
        return [(page.url, _text_of(page)) for _key, context in self._taken for page in context.pages]

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

    def close(self) -> None:
        if self._browser.is_connected():
            self._browser.close()
