"""A requester looks through a batch as workers see it: every item, by button and by key, without another load."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site


@pytest.mark.parametrize(("kind", "task"), [("demo", "answer"), ("pairs", "coreference")])
def test_every_item_of_a_preview_is_reached_in_place(
    visit: Callable[..., Any], site: Site, kind: str, task: str
) -> None:
    made = site.batch(kind, task=task)
    page = visit(site.ask("requester", batch=made["batch"])["session"])
    page.goto(f"/projects/{made['project']}/batches/study/preview/")
    page.evaluate("window.sameLoad = true")
    number, total = page.locator(".work-progress .number"), int(page.locator("progress").get_attribute("max"))
    assert total > 3
    questions = set()
    for n in range(1, total + 1):
        expect(number).to_contain_text(f"{n} of {total}")
        questions.add(page.locator("#work").inner_text())
        if n == 1:
            expect(page.get_by_role("link", name="Previous item")).to_have_count(0)
            page.get_by_role("link", name="Next item").click()
        elif n < total:
            page.keyboard.press(".")
    assert len(questions) == total
    expect(page.get_by_role("link", name="Next item")).to_have_count(0)
    page.keyboard.press(",")
    expect(number).to_contain_text(f"{total - 1} of {total}")
    assert page.url.endswith(f"?n={total - 1}")
    assert page.evaluate("window.sameLoad")
