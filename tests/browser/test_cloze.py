"""Blanks filled in a browser: Enter goes on, a key decides and submits; also on a phone and without scripts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, settle
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
WORDS = ["the", "was", "by", "?", "in"]


@pytest.fixture
def filling(desk: WorkPage) -> WorkPage:
    return lambda kind="content_words", **more: desk(kind, **({"task": "cloze", "assignments_per_hit": 1} | more))


def fill(worker: Desk, words: list[str]) -> None:
    """Type the words from the first empty blank on, with Enter after each."""
    settle(worker.page)
    worker.page.keyboard.press("t")
    for word in words:
        worker.page.keyboard.type(word)
        worker.page.keyboard.press("Enter")


def decide(worker: Desk, key: str) -> dict[str, Any]:
    settle(worker.page)
    worker.submit(key)
    return dict(worker.answers()[-1]["answer"])


def picture(worker: Desk, name: str) -> None:
    """For who wants to look: a screenshot in the folder that PICTURES names."""
    if folder := os.environ.get("PICTURES"):
        worker.page.screenshot(path=f"{folder}/{name}.png")
        worker.page.screenshot(path=f"{folder}/{name}-whole.png", full_page=True)


def test_blanks_are_filled_and_decided_by_keys_alone(filling: WorkPage) -> None:
    worker = filling(sample=2)
    fill(worker, WORDS)
    expect(worker.page.locator("input[value=yes]")).to_be_focused()
    assert decide(worker, "n") == {"words": WORDS, "necessary": False}
    fill(worker, WORDS[::-1])
    assert decide(worker, "y") == {"words": WORDS[::-1], "necessary": True}
    assert worker.is_done()


@pytest.mark.soak
def test_an_empty_blank_is_passed_over_once_and_holds_the_decision_back(filling: WorkPage) -> None:
    worker = filling(sample=1)
    fill(worker, ["the", "", "by", "at", "in"])
    second = worker.page.locator("#blank-1")
    expect(second).to_be_focused()
    worker.page.keyboard.press("Escape")
    settle(worker.page)
    worker.page.keyboard.press("n")
    expect(second).to_be_focused()
    expect(worker.page.locator("#missing")).to_contain_text("blank 2")
    assert worker.answers() == []
    worker.page.keyboard.type("?")
    worker.page.keyboard.press("Enter")
    worker.submit()
    assert worker.answers()[0]["answer"] == {"words": ["the", "?", "by", "at", "in"], "necessary": False}


def test_neither_the_answer_nor_a_removed_word_is_on_the_page(filling: WorkPage) -> None:
    worker = filling(sample=1)
    shown = worker.page.locator(".removed").inner_text()
    answer = "Ada Lorne" if "launched" in worker.page.locator("#question").inner_text() else "Jory Finch"
    assert answer not in shown
    assert shown.count("the answer") == 2
    source = worker.page.content()
    assert not [words for words in (answer, "@original", "was launched", "sold her") if words in source]


@pytest.mark.soak
def test_a_draft_comes_back(filling: WorkPage) -> None:
    worker = filling(sample=1)
    fill(worker, ["the", "was"])
    worker.save()
    worker.page.reload()
    expect(worker.page.locator("#blank-1")).to_have_value("was")
    fill(worker, ["by"])
    expect(worker.page.locator("#blank-2")).to_have_value("by")


@pytest.mark.soak
def test_blanks_need_no_scripts(filling: WorkPage) -> None:
    worker = filling(sample=1, page={"java_script_enabled": False})
    page = worker.page
    for number, word in enumerate(WORDS[:4], 1):
        page.get_by_label(f"Blank {number}").fill(word)
    page.get_by_label("Not necessary").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems")).to_contain_text("Type a word in blank 5, or ? if you have no idea.")
    expect(page.get_by_label("Blank 1")).to_have_value("the")
    page.get_by_label("Blank 5").fill("in")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: worker.person["assignment"] not in url)
    assert worker.answers()[0]["answer"] == {"words": WORDS, "necessary": False}


@pytest.mark.parametrize("kind", ["content_words", "anonymous"])
@pytest.mark.parametrize("page", [{}, PHONE], ids=["desk", "phone"])
def test_the_page_is_accessible_and_fits(filling: WorkPage, kind: str, page: dict[str, Any]) -> None:
    worker = filling(kind, page=page, sample=1)
    assert overflow(worker.page) == 0
    fill(worker, ["the", "internationally", "by"])
    picture(worker, f"{kind}-{len(page)}")
    assert overflow(worker.page) == 0
    assert broken(worker.page) == []


@pytest.mark.soak
def test_a_phone_needs_taps_and_typing_only(filling: WorkPage) -> None:
    worker = filling(sample=1, page=PHONE)
    for blank, word in zip(worker.page.locator("[data-blank]").all(), WORDS, strict=True):
        blank.tap()
        worker.page.keyboard.type(word)
    settle(worker.page)
    with worker.page.expect_response("**/submit/"), worker.page.expect_navigation():
        worker.page.get_by_label("Not necessary").tap()
    assert worker.answers()[0]["answer"] == {"words": WORDS, "necessary": False}
