"""Search by keys: Ctrl-K opens it, arrows choose, Enter opens, Esc closes; without scripts it is a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import broken


def test_the_project_is_searched_by_keys_alone(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["project"])
    assert broken(page) == []
    page.keyboard.press("Control+k")
    box = page.locator("#search-box")
    expect(box.get_by_role("link", name="Money")).to_be_visible()  # nothing typed: the pages
    page.keyboard.type("wells")
    expect(box.get_by_role("link", name="wells-set")).to_be_visible()
    assert broken(page) == []
    page.keyboard.press("ArrowDown")
    expect(box.get_by_role("link").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(box.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("wells-set")
    page.keyboard.press("Enter")  # before the list is there: it waits for the one that was asked for
    page.wait_for_url("**/datasets/wells-set/")


@pytest.mark.soak
def test_without_scripts_it_is_a_page(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"], java_script_enabled=False)
    page.goto(furnished["urls"]["project"])
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("money")
    page.keyboard.press("Enter")
    page.locator("main > .found").get_by_role("link", name="Money").click()
    expect(page).to_have_url(re.compile("/money/$"))


@pytest.mark.soak
def test_a_phones_icon_has_a_name(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    page.goto(furnished["urls"]["project"])
    page.locator(".site").get_by_role("link", name="Search").click()
    expect(page.locator("#search-box").get_by_role("searchbox")).to_be_focused()
