"""Closed-book items: the answer is typed or chosen by key or by tap, and there is nothing else on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import IN_REACH, PHONE, overflow

WorkPage = Callable[..., Desk]
CLOSED: dict[str, Any] = {"options": {"context": "none", "no_answer": True, "yes_no": True}}


def test_a_closed_book_batch_is_done_by_keyboard_alone(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, **CLOSED)
    press = worker.page.keyboard.press
    expect(worker.page.locator("#missing")).to_contain_text("an answer")
    press("t")
    worker.page.keyboard.type("the tall tower")
    press("Escape")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    expect(worker.page.locator("#missing")).to_contain_text("an answer")
    for key, kind in (("y", "yes"), ("0", "none")):
        press(key)
        assert worker.field("kind") == kind
    press("Control+z")
    assert worker.field("kind") == "yes"
    worker.submit()
    assert [(row["answer"]["kind"], row["answer"]["text"]) for row in worker.answers()] == [
        ("typed", "the tall tower"),
        ("yes", "yes"),
    ]
    assert worker.is_done()


@pytest.mark.soak
def test_a_draft_comes_back_after_the_page_is_loaded_again(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, **CLOSED)
    worker.page.locator("#answer-text").fill("a tower")
    worker.save()
    worker.open()
    assert worker.answer() == "a tower"
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")


@pytest.mark.soak
def test_confidence_is_given_by_keyboard_and_missing_until_then(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, options={"confidence": True})
    press = worker.page.keyboard.press
    for key in ("j", "v", "Shift+ArrowRight", "a", "x"):
        press(key)
    expect(worker.page.locator("#missing")).to_have_text("Still missing: how sure you are")
    press("u")
    worker.page.keyboard.type("120")
    expect(worker.page.locator("#missing")).to_contain_text("how sure you are")
    press("Backspace")
    press("Escape")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    press("Control+z")
    expect(worker.page.locator("#missing")).to_contain_text("how sure you are")
    press("Control+Shift+z")
    assert worker.field("confidence") == "12"
    assert not broken(worker.page)
    worker.submit()
    assert worker.answers()[-1]["answer"]["confidence"] == 12
    assert worker.field("confidence") == ""


@pytest.mark.soak
def test_who_does_not_know_is_not_asked_how_sure(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, options={"context": "none", "no_answer": True, "confidence": True})
    worker.page.keyboard.press("0")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    worker.page.locator("#answer-text").fill("a tower")
    worker.page.locator("#confidence").fill("100")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    assert [row["answer"].get("confidence") for row in worker.answers()] == [None, 100]
    assert worker.is_done()


@pytest.mark.soak
def test_all_answers_and_a_date_are_given_by_keyboard(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, options={"context": "none", "several": True, "as_of": True, "no_answer": True})
    press, missing = worker.page.keyboard.press, worker.page.locator("#missing")
    press("t")
    worker.page.keyboard.type("a tower")
    press("Enter")
    worker.page.keyboard.type("a well")
    press("Escape")
    expect(missing).to_have_text("Still missing: for which date your answer holds")
    worker.page.locator("#as-of").fill("2024-05-31")
    expect(missing).to_have_text("Ready to submit")
    worker.save()
    worker.open()
    assert (worker.answer(), worker.field("as_of"), worker.field("kind")) == (
        "a tower\na well",
        "2024-05-31",
        "several",
    )
    press("0")
    assert worker.field("kind") == "none"
    press("Control+z")
    assert worker.field("kind") == "several"
    assert not broken(worker.page)
    worker.submit()
    assert worker.answers()[-1]["answer"]["text"] == "a tower\na well"


@pytest.mark.parametrize("page", [PHONE, {"viewport": {"width": 1280, "height": 800}}], ids=["phone", "desktop"])
def test_the_page_fits_and_everything_is_in_reach(desk: WorkPage, page: dict[str, Any]) -> None:
    worker = desk("demo", sample=2, page=page, **CLOSED)
    assert overflow(worker.page) == 0
    worker.page.locator("#answer-text").fill("a tower")
    for control in ("#answer-text", ".work-acts button[form=work]", "#question"):
        assert worker.page.locator(control).evaluate(IN_REACH), control
    assert not broken(worker.page)
