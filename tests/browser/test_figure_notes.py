"""The “?” beside a figure: opened and closed by key, finger and without scripts; nothing moves or gets wider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import broken
from tests.browser.test_printing import open_scores

PHONE = {"width": 390, "height": 844}
SEEN = """() => [...document.querySelectorAll("main *")].filter((one) => one.childElementCount === 0
  && one.checkVisibility()).map((one) => one.textContent.trim()).join(" ").split(/\\s+/).length"""
FORGOTTEN = "() => document.querySelectorAll('.why').forEach((one) => one.remove())"


def is_inside(box: dict[str, float], size: dict[str, int]) -> bool:
    return box["x"] >= 0 and box["x"] + box["width"] <= size["width"]


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desk"])
def test_an_explanation_is_opened_followed_and_closed_by_keys(
    visit: Callable[..., Any], furnished: dict[str, Any], size: dict[str, int]
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport=size)
    open_scores(page, furnished)
    mark = page.get_by_role("button", name="Explain: Human score").first
    mark.focus()
    place, words = mark.bounding_box(), page.evaluate(SEEN)
    page.keyboard.press("Enter")
    opened = page.locator(".because:popover-open")
    expect(opened).to_contain_text("MuSiQue (Trivedi et al. 2022)")
    assert mark.bounding_box() == place, "nothing moves under the finger"
    assert is_inside(opened.bounding_box(), size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.because') !== null"), "the next key stop is its link"
    rows = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(mark).to_be_focused()
    page.evaluate(FORGOTTEN)
    assert page.evaluate(SEEN) == words, "a question mark is no word"
    assert rows.endswith(("HITs", "HIT"))


def test_a_finger_opens_the_explanation_of_a_column_and_of_a_folded_table_without_scripts(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    open_scores(visit(furnished["sessions"]["alice"]), furnished)
    page = visit(furnished["sessions"]["alice"], viewport=PHONE, has_touch=True, java_script_enabled=False)
    page.goto(furnished["urls"]["report"])
    page.locator("th .why").first.tap()
    opened = page.locator(".because:popover-open")
    expect(opened).to_be_visible()
    assert is_inside(opened.bounding_box(), PHONE)
    page.locator("h1").tap()
    expect(opened).to_have_count(0)
    folded = page.locator(".more-tables details.card").first
    folded.locator("summary").first.tap()
    title, mark = folded.locator("header").first.bounding_box(), folded.locator(".why").first.bounding_box()
    assert title["y"] <= mark["y"] < title["y"] + title["height"], "beside the title"
    folded.locator(".why").first.tap()
    expect(opened).to_be_visible()
    opened.get_by_role("link", name="All explanations").tap()
    page.wait_for_url("**/figures/#*")
    anchor = page.url.partition("#")[2]
    expect(page.locator(f"[id='{anchor}']")).to_be_in_viewport()


@pytest.mark.soak
def test_no_rule_of_axe_is_broken_by_an_open_explanation(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    open_scores(page, furnished)
    for mark in (page.locator(".lead .why").first, page.locator("th .why").first, page.locator("figcaption .why").last):
        mark.click()
        expect(page.locator(".because:popover-open")).to_have_count(1)
        assert broken(page) == []
        page.keyboard.press("Escape")
