"""An ablated question judged in a browser: answer and rationale marked, then hidden; the original only afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
SETTLED = 400
SELECT = """(words) => {
  const root = document.querySelector("[data-text] [data-piece]");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const start = root.textContent.indexOf(words);
  const ends = [];
  let at = 0;
  while (walker.nextNode()) {
    const { length } = walker.currentNode;
    if (!ends[0] && start < at + length) ends[0] = [walker.currentNode, start - at];
    if (!ends[1] && start + words.length <= at + length) ends[1] = [walker.currentNode, start + words.length - at];
    at += length;
  }
  document.getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
}"""


@pytest.fixture
def judging(desk: WorkPage) -> WorkPage:
    return lambda kind="content_words", **more: desk(kind, **({"task": "solvability", "assignments_per_hit": 1} | more))


def press(seat: Desk, *keys: str) -> None:
    for key in keys:
        seat.page.wait_for_timeout(SETTLED)
        seat.page.keyboard.press(key)


def sent(seat: Desk, key: str) -> Any:
    seat.page.wait_for_timeout(SETTLED)
    with seat.page.expect_navigation():
        seat.page.keyboard.press(key)
    return seat.answers()[-1]["answer"]


def mark(seat: Desk, words: str, key: str) -> None:
    seat.page.evaluate(SELECT, words)
    seat.page.keyboard.press(key)


def asked(seat: Desk) -> str:
    """What the answer to the question is, by what it asks."""
    return "Ada Lorne" if "launched" in seat.page.locator("#question").inner_text() else "Jory Finch"


@pytest.mark.soak
def test_answer_and_rationale_are_marked_and_then_out_of_sight(judging: WorkPage) -> None:
    seat = judging(sample=2)
    words = asked(seat)
    press(seat, "y")
    mark(seat, words, "a")
    mark(seat, "Grey Heron ⛵", "m")
    expect(seat.page.locator("[data-text] mark.mark-answer")).to_have_text(words)
    expect(seat.page.locator("[data-text] mark.mark-rationale")).to_have_text("Grey Heron ⛵")
    press(seat, "d")
    expect(seat.page.locator("[data-text] mark")).to_have_count(0)
    expect(seat.page.locator("input[name=text]")).to_be_hidden()
    press(seat, "y")
    expect(seat.page.locator("#control-necessary")).to_be_visible()
    answer = sent(seat, "n")
    assert (answer["solvable"], answer["text"], answer["guessable"], answer["necessary"]) == (True, words, True, False)
    ((paragraph, start, end),) = answer["rationale"]
    assert (paragraph, end - start) == (0, len("Grey Heron ⛵"))


@pytest.mark.soak
def test_what_is_not_solvable_needs_two_keys(judging: WorkPage) -> None:
    seat = judging(sample=2)
    press(seat, "n")
    answer = sent(seat, "n")
    assert (answer["solvable"], answer["guessable"], answer["necessary"]) == (False, False, None)


@pytest.mark.soak
def test_a_step_goes_back_and_a_contradiction_is_told(judging: WorkPage) -> None:
    seat = judging()
    press(seat, "n", "y", "z", "z")
    expect(seat.page.locator("#control-solvable")).to_be_visible()
    press(seat, "n", "y", "n")
    expect(seat.page.locator("#problems")).to_contain_text("So it is either necessary, or the question is solvable")
    assert sent(seat, "y")["necessary"] is True


def test_words_can_be_selected_by_keys_alone(judging: WorkPage) -> None:
    seat = judging()
    press(seat, "y", "v")
    for _ in range(2):
        seat.page.keyboard.press("ArrowRight")
    seat.page.keyboard.press("Enter")
    expect(seat.page.locator("[data-text] mark.mark-answer")).to_have_count(1)
    press(seat, "v")
    seat.page.keyboard.press("Enter")
    expect(seat.page.locator("[data-text] mark.mark-rationale")).to_have_count(1)


@pytest.mark.soak
def test_submit_ends_the_first_step_and_never_passes_over_the_second(judging: WorkPage) -> None:
    seat = judging()
    press(seat, "y")
    mark(seat, asked(seat), "a")
    mark(seat, "salt", "m")
    press(seat, "Control+Enter")
    expect(seat.page.locator("#control-guessable")).to_be_visible()
    expect(seat.page.locator("#missing")).to_contain_text("guessable or not")
    assert sent(seat, "n")["guessable"] is False


@pytest.mark.soak
def test_options_are_chosen_by_digits(judging: WorkPage) -> None:
    seat = judging("shuffled_options")
    press(seat, "2")
    mark(seat, "Jory", "m")
    press(seat, "d")
    answer = sent(seat, "n")
    assert (answer["kind"], answer["text"], answer["guessable"]) == ("option", "Jory Finch", False)


def test_the_original_comes_after_the_response_which_is_then_final(judging: WorkPage) -> None:
    seat = judging(sample=2, options={"show_original": True})
    assert "was launched by" not in seat.page.content()
    press(seat, "n")
    sent(seat, "n")
    assert seat.url in seat.page.url
    expect(seat.page.locator("#original")).to_contain_text("was launched by Ada Lorne")
    expect(seat.page.locator("input[name=solvable][value=no]")).to_be_disabled()
    with seat.page.expect_navigation():
        seat.page.keyboard.press("Control+Enter")
    assert seat.url not in seat.page.url
    assert len(seat.answers()) == 1


def test_a_draft_comes_back(judging: WorkPage) -> None:
    seat = judging()
    press(seat, "y")
    mark(seat, asked(seat), "a")
    expect(seat.page.locator("#saved")).to_contain_text("Saved")
    seat.page.reload()
    expect(seat.page.locator("input[name=solvable][value=yes]")).to_be_checked()
    expect(seat.page.locator("[data-text] mark.mark-answer")).to_have_count(1)


@pytest.mark.parametrize(("kind", "page"), [("content_words", {}), ("shuffled_options", PHONE)], ids=["desk", "phone"])
def test_the_page_is_accessible_and_fits(judging: WorkPage, kind: str, page: dict[str, Any]) -> None:
    seat = judging(kind, page=page, options={"show_original": True})
    picture(seat, f"{kind}-{len(page)}-1")
    press(seat, "y")
    if kind == "content_words":
        mark(seat, asked(seat), "a")
    else:
        press(seat, "1")
    mark(seat, "launched" if asked(seat) == "Ada Lorne" else "sold", "m")
    picture(seat, f"{kind}-{len(page)}-2")
    assert overflow(seat.page) == 0
    assert broken(seat.page) == []
    press(seat, "d")
    picture(seat, f"{kind}-{len(page)}-3")
    assert overflow(seat.page) == 0
    assert broken(seat.page) == []
    sent(seat, "n")
    picture(seat, f"{kind}-{len(page)}-4")
    assert overflow(seat.page) == 0
    assert broken(seat.page) == []


def picture(seat: Desk, name: str) -> None:
    """For who wants to look: a screenshot in the folder that PICTURES names."""
    if folder := os.environ.get("PICTURES"):
        seat.page.screenshot(path=f"{folder}/{name}.png")
