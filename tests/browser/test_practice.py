"""Practice in a browser: refused, remarked upon, tried again, left behind; nothing that was typed is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.test_accessibility import broken

POOR = "Which trees line the shore of Brackwater?"
GOOD = "Which trees line the shore of the town where the Skerrit Yard was?"


@pytest.fixture
def page(visit: Callable[..., Any], site: Site) -> Any:
    """The first exercise of a composing batch ("practice"), the bridge judged."""
    batch = site.batch("strands", task="compose")["batch"]
    opened = visit(site.ask("person", batch=batch)["session"])
    opened.goto(f"/work/batches/{batch}/practice/1/")
    opened.keyboard.press("y")
    expect(opened.locator("#question")).to_be_focused()
    return opened


def answer(page: Any, text: str) -> None:
    page.locator("#question").fill(text)
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")


@pytest.mark.soak
def test_a_refused_exercise_keeps_the_words_and_leads_to_them(page: Any) -> None:
    answer(page, POOR)
    expect(page.locator("#problems")).to_contain_text("Brackwater")
    expect(page.locator("#question")).to_have_value(POOR)
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#remarks")).to_have_count(0)


def test_remarks_have_the_focus_and_the_answer_stays_to_be_tried_again(page: Any) -> None:
    answer(page, GOOD)
    expect(page.locator("#remarks")).to_be_focused()
    expect(page.locator("#question")).to_have_value(GOOD)
    answer(page, GOOD.replace("trees", "tall trees"))
    expect(page.locator("#remarks")).to_be_focused()
    page.keyboard.press("t")
    chosen = "([field]) => field.value.slice(field.selectionStart, field.selectionEnd) === field.value"
    assert page.locator("#question").evaluate_all(chosen)  # to be written over
    page.locator("#remarks").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/practice/2/")


def test_what_is_wrong_is_said_in_one_place_until_the_answer_changes(page: Any) -> None:
    answer(page, POOR)
    expect(page.locator("#problems")).to_contain_text("Brackwater")
    expect(page.locator("#missing")).to_be_hidden()
    expect(page.locator(".findings > .error:visible")).to_have_count(0)
    page.locator("#question").fill(f"{POOR} Or not?")
    expect(page.locator("#problems")).to_have_count(0)
    expect(page.locator("#missing")).to_be_visible()


@pytest.mark.parametrize("field", ["#question", "#remarks"])
def test_what_submits_goes_on_from_remarks_until_the_answer_changes(page: Any, field: str) -> None:
    answer(page, GOOD)
    expect(page.get_by_role("button", name="Check again")).to_be_hidden()
    page.locator(field).focus()
    with page.expect_navigation():
        page.keyboard.press("Control+Enter")
    assert page.url.endswith("/practice/2/")


@pytest.mark.soak
def test_no_rule_of_axe_is_broken_before_and_after_the_remarks(page: Any) -> None:
    assert broken(page) == []
    answer(page, GOOD)
    assert broken(page) == []
