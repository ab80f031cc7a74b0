"""Hostile text in a real browser: nothing of it runs, with the content security policy and also without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.models import Hit
from tests.security import hostile as scene
from tests.security.payloads import TEXTS, chunks

SENTINEL = """
window.ran = [];
window.hopx = (...said) => window.ran.push(`hopx ${said}`);
addEventListener("securitypolicyviolation", (event) => window.ran.push(`refused ${event.blockedURI}`));
"""


@pytest.fixture
def hostile(transactional_db: None, tmp_path: Path) -> scene.Hostile:
    made = scene.build(tmp_path, chunks(400))
    scene.submit(scene.answer(made, made.bob))
    scene.report(made, scene.answer(made, made.carol), "".join(chunks(1900)[:1]))
    scene.judge(made, tmp_path, TEXTS)
    scene.rename(made, chunks(150)[0])
    return made


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.soak)], ids=["with the policy", "without it"])
def visit(request: Any, launch: Callable[..., Any], live_server: Any) -> Iterator[Any]:
    """Opens a page as somebody; afterwards nothing may have run, been refused, been asked of elsewhere or popped up."""
    browser, wrong = launch(), []

    def open_page(user: Any) -> Any:
        context = browser.new_context(base_url=live_server.url, bypass_csp=request.param)
        client = Client()
        client.force_login(user)
        cookie = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies["sessionid"].value}
        context.add_cookies([cookie | {"url": live_server.url}])
        context.add_init_script(SENTINEL)
        context.on("request", lambda sent: sent.url.startswith(live_server.url) or wrong.append(sent.url))
        page = context.new_page()
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        return page

    yield open_page
    browser.close()
    assert not [what for what in wrong if not what.startswith("data:image/svg+xml")]


def settled(page: Any) -> None:
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.ran") == [], page.url


def test_nothing_runs_on_the_annotators_pages(hostile: scene.Hostile, visit: Any) -> None:
    page = visit(hostile.bob.user)
    row = scene.answer(hostile, hostile.bob)
    page.goto(reverse("assignment", args=[row.public_id]))
    assert "hopx" in page.inner_text("main")
    settled(page)
    for words in ("script hopx", "<img src=x onerror=hopx()>"):
        with page.expect_response(lambda found: "/live/search/" in found.url):
            page.get_by_role("searchbox").first.fill(words)
        settled(page)
    page.locator("[data-text]").first.click(click_count=3)
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    settled(page)
    page.reload()
    settled(page)
    for address in scene.pages_of_the_worker(hostile):
        page.goto(address)
        settled(page)


@pytest.mark.soak
def test_nothing_runs_on_the_requesters_pages(hostile: scene.Hostile, visit: Any) -> None:
    page = visit(hostile.alice)
    addresses = scene.pages_of_the_requester()
    addresses += [reverse("item", args=["hostile", "set", k]) for k in range(2)]
    addresses += [reverse("hit", args=["hostile", "one", hit.public_id]) for hit in Hit.objects.order_by("pk")[:2]]
    assert len(addresses) > 4
    for address in addresses:
        page.goto(address)
        settled(page)
