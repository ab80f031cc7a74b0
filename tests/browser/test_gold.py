"""Nothing that the browser ever receives betrays the gold, before an answer is submitted or after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.records import CANARY, sides
from tests.browser.site import Site


class Ear:
    """Everything that a browser is sent: addresses, headers, bodies."""

    def __init__(self, page: Any) -> None:
        self.heard: dict[str, str] = {}
        page.context.route("**/*", self._listen)

    def _listen(self, route: Any) -> None:
        response = route.fetch(max_redirects=0)
        body = response.body().decode("utf-8", "replace")
        name = f"{len(self.heard)} {response.status} {response.url}"
        self.heard[name] = f"{response.url}\n{response.headers_array}\n{body}"
        route.fulfill(response=response)


def test_no_gold_reaches_the_browser(visit: Callable[..., Any], site: Site) -> None:
    batch = site.batch("canary")
    person = site.ask("person", batch=batch["batch"], ready=False)
    page = visit(person["session"])
    ear = Ear(page)
    page.goto("/work/")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue to the work").click()
    page.wait_for_url("**/assignments/**")
    worker = Desk(site, page, person | {"assignment": page.url.rstrip("/").rsplit("/", 1)[1]})
    stumble(worker)
    page.goto("/work/history/")
    page.goto("/work/")
    page.context.unroute_all(behavior="wait")
    heard = ear.heard
    assert any("/live/search/" in name for name in heard)
    assert {"200", "422", "409"} <= {name.split()[1] for name in heard}
    assert len(heard) > 20
    assert [name for name, text in heard.items() if CANARY in text.lower()] == []


def stumble(worker: Desk) -> None:
    """Search, save, be refused, meet another tab, ask for a fragment that is not there."""
    page = worker.page
    page.locator("#search").fill("what a canary answers")
    expect(page.locator("#search-result")).to_contain_text("match")
    other = worker.again()
    worker.select("larch")
    worker.save()
    other.tick(0)
    expect(other.notice("conflict")).to_be_visible()
    other.page.close()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems")).to_be_visible()
    page.reload()
    page.goto(f"{worker.url}live/gold/?q=x")
    page.goto(worker.url)


@pytest.mark.soak
def test_neither_order_nor_numbers_tell_where_the_gold_is(desk: Callable[..., Desk], site: Site) -> None:
    batch = site.batch("canary", assignments_per_hit=12, sample=1)
    firsts = set()
    for _ in range(6):
        worker = desk(batch=batch)
        titles = [text.strip() for text in worker.page.locator("#paragraphs [data-title]").all_text_contents()]
        assert sorted(titles) == sorted(title for title, _text in sides())
        shown = worker.page.locator("#paragraphs > [data-paragraph]")
        assert shown.evaluate_all("all => all.map((e) => e.dataset.paragraph)") == ["0", "1", "2"]
        firsts.add(tuple(titles))
    assert len(firsts) > 1
