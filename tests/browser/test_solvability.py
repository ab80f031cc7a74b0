"""An ablated question judged in a browser: answer and rationale marked, then hidden; the original only afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, held, settle
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
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


def press(worker: Desk, *keys: str) -> None:
    for key in keys:
        settle(worker.page)
        worker.page.keyboard.press(key)


def sent(worker: Desk, key: str) -> Any:
    settle(worker.page)
    with worker.page.expect_navigation():
        worker.page.keyboard.press(key)
    return worker.answers()[-1]["answer"]


def mark(worker: Desk, words: str, key: str) -> None:
    worker.page.evaluate(SELECT, words)
    worker.page.keyboard.press(key)


def asked(worker: Desk) -> str:
    """What the answer to the question is, by what it asks."""
    return "Ada Lorne" if "launched" in worker.page.locator("#question").inner_text() else "Jory Finch"


@pytest.mark.soak
def test_answer_and_rationale_are_marked_and_then_out_of_sight(judging: WorkPage) -> None:
    worker = judging(sample=2)
    words = asked(worker)
    press(worker, "y")
    mark(worker, words, "a")
    mark(worker, "Grey Heron ⛵", "m")
    expect(worker.page.locator("[data-text] mark.mark-answer")).to_have_text(words)
    expect(worker.page.locator("[data-text] mark.mark-rationale")).to_have_text("Grey Heron ⛵")
    press(worker, "d")
    expect(worker.page.locator("[data-text] mark")).to_have_count(0)
    expect(worker.page.locator("input[name=text]")).to_be_hidden()
    press(worker, "y")
    expect(worker.page.locator("#control-necessary")).to_be_visible()
    answer = sent(worker, "n")
    assert (answer["solvable"], answer["text"], answer["guessable"], answer["necessary"]) == (True, words, True, False)
    ((paragraph, start, end),) = answer["rationale"]
    assert (paragraph, end - start) == (0, len("Grey Heron ⛵"))


@pytest.mark.parametrize("task", ["solvability", "cloze"])
def test_what_waits_for_a_script_is_not_shown_before_it_and_the_bar_stays(judging: WorkPage, task: str) -> None:
    worker = judging(task=task, sample=1, page=PHONE)
    page, bar = worker.page, worker.page.locator(".decisions")
    ready = bar.bounding_box(), bar.inner_text()
    with held(page, "**/*.js"):
        page.reload(wait_until="commit")
        expect(bar).to_be_visible()
        assert (bar.bounding_box(), bar.inner_text()) == ready
        page.wait_for_function("document.readyState !== 'loading'")


def test_what_is_missing_is_what_the_page_asks_and_submit_comes_when_nothing_is(judging: WorkPage) -> None:
    worker = judging(sample=1)
    missing, submit = worker.page.locator("#missing"), worker.page.get_by_role("button", name="Submit")
    expect(missing).to_be_hidden()
    press(worker, "y")
    expect(missing).to_have_text("Still missing: an answer, a rationale")
    expect(submit).to_be_hidden()
    mark(worker, asked(worker), "a")
    mark(worker, "twelve years", "m")
    missing.get_by_role("link", name="guessable or not").click()
    expect(worker.page.locator("#control-guessable")).to_be_visible()
    sent(worker, "n")
    worker.page.go_back()
    press(worker, "d")
    expect(submit).to_be_visible()


@pytest.mark.parametrize("page", [{}, PHONE], ids=["desk", "phone"])
def test_all_of_what_can_be_undone_is_said(judging: WorkPage, page: dict[str, Any]) -> None:
    worker = judging(sample=2, page=page)
    press(worker, "n", "y")
    sent(worker, "y")
    said, bar = worker.page.locator("#undo .said"), worker.page.locator("#undo")
    expect(said).to_have_text("Your decision: Not solvable, Guessable, Necessary")
    assert said.evaluate("(one) => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
    if page:
        assert bar.bounding_box()["x"] == 0
        assert bar.bounding_box()["width"] == page["viewport"]["width"]


CLICK = """(sought) => sought.forEach((one) => document.querySelector(one).dispatchEvent(
  new MouseEvent("click", {detail: 1, bubbles: true, cancelable: true})))"""


def test_a_click_that_comes_with_another_counts_for_nothing(judging: WorkPage) -> None:
    worker = judging(sample=2)
    settle(worker.page)
    first, second = "input[name=solvable][value=no]", "input[name=guessable][value=no]"
    worker.page.evaluate(CLICK, [first, second, second])  # as by a press too many
    expect(worker.page.locator("#control-guessable")).to_be_visible()
    settle(worker.page)
    assert not worker.page.locator(second).is_checked()
    assert worker.answers() == []
    with worker.page.expect_navigation():
        worker.page.evaluate(CLICK, [second, second])
    assert [one["answer"]["guessable"] for one in worker.answers()] == [False]


@pytest.mark.soak
def test_what_is_not_solvable_needs_two_keys(judging: WorkPage) -> None:
    worker = judging(sample=2)
    press(worker, "n")
    answer = sent(worker, "n")
    assert (answer["solvable"], answer["guessable"], answer["necessary"]) == (False, False, None)


@pytest.mark.soak
def test_a_step_goes_back_and_a_contradiction_is_told(judging: WorkPage) -> None:
    worker = judging()
    press(worker, "n", "y", "z", "z")
    expect(worker.page.locator("#control-solvable")).to_be_visible()
    press(worker, "n", "y", "n")
    expect(worker.page.locator("#problems")).to_contain_text("So it is either necessary, or the question is solvable")
    assert sent(worker, "y")["necessary"] is True


@pytest.mark.soak
def test_words_can_be_selected_by_keys_alone(judging: WorkPage) -> None:
    worker = judging()
    press(worker, "y", "v")
    for _ in range(2):
        worker.page.keyboard.press("ArrowRight")
    worker.page.keyboard.press("Enter")
    expect(worker.page.locator("[data-text] mark.mark-answer")).to_have_count(1)
    press(worker, "v")
    worker.page.keyboard.press("Enter")
    expect(worker.page.locator("[data-text] mark.mark-rationale")).to_have_count(1)


@pytest.mark.soak
def test_submit_ends_the_first_step_and_never_passes_over_the_second(judging: WorkPage) -> None:
    worker = judging()
    press(worker, "y")
    mark(worker, asked(worker), "a")
    mark(worker, "salt", "m")
    press(worker, "Control+Enter")
    expect(worker.page.locator("#control-guessable")).to_be_visible()
    expect(worker.page.locator("#missing")).to_contain_text("guessable or not")
    assert sent(worker, "n")["guessable"] is False


@pytest.mark.soak
def test_options_are_chosen_by_digits(judging: WorkPage) -> None:
    worker = judging("shuffled_options")
    press(worker, "2")
    mark(worker, "Jory", "m")
    press(worker, "d")
    answer = sent(worker, "n")
    assert (answer["kind"], answer["text"], answer["guessable"]) == ("option", "Jory Finch", False)


def test_the_original_comes_after_the_response_which_is_then_final(judging: WorkPage) -> None:
    worker = judging(sample=2, options={"show_original": True})
    assert "was launched by" not in worker.page.content()
    press(worker, "n")
    sent(worker, "n")
    assert worker.url in worker.page.url
    expect(worker.page.locator("#original")).to_contain_text("was launched by Ada Lorne")
    expect(worker.page.locator("input[name=solvable][value=no]")).to_be_disabled()
    with worker.page.expect_navigation():
        worker.page.keyboard.press("Control+Enter")
    assert worker.url not in worker.page.url
    assert len(worker.answers()) == 1


@pytest.mark.soak
def test_a_draft_comes_back(judging: WorkPage) -> None:
    worker = judging()
    press(worker, "y")
    mark(worker, asked(worker), "a")
    expect(worker.page.locator("#saved")).to_contain_text("Saved")
    worker.page.reload()
    expect(worker.page.locator("input[name=solvable][value=yes]")).to_be_checked()
    expect(worker.page.locator("[data-text] mark.mark-answer")).to_have_count(1)


@pytest.mark.parametrize(("kind", "page"), [("content_words", {}), ("shuffled_options", PHONE)], ids=["desk", "phone"])
def test_the_page_is_accessible_and_fits(judging: WorkPage, kind: str, page: dict[str, Any]) -> None:
    worker = judging(kind, page=page, options={"show_original": True})
    picture(worker, f"{kind}-{len(page)}-1")
    press(worker, "y")
    if kind == "content_words":
        mark(worker, asked(worker), "a")
    else:
        press(worker, "1")
    mark(worker, "launched" if asked(worker) == "Ada Lorne" else "sold", "m")
    picture(worker, f"{kind}-{len(page)}-2")
    assert overflow(worker.page) == 0
    assert broken(worker.page) == []
    press(worker, "d")
    picture(worker, f"{kind}-{len(page)}-3")
    assert overflow(worker.page) == 0
    assert broken(worker.page) == []
    sent(worker, "n")
    picture(worker, f"{kind}-{len(page)}-4")
    assert overflow(worker.page) == 0
    assert broken(worker.page) == []


def picture(worker: Desk, name: str) -> None:
    """For who wants to look: a screenshot in the folder that PICTURES names."""
    if folder := os.environ.get("PICTURES"):
        worker.page.screenshot(path=f"{folder}/{name}.png")


@pytest.mark.soak
def test_the_text_uses_the_width_and_gaps_are_smaller_than_words(judging: WorkPage) -> None:
    page = judging(sample=1).page
    text, column = (page.locator(where).first.bounding_box() for where in ("[data-text]", ".ablated"))
    assert column["width"] == 960
    assert text["width"] >= 0.95 * column["width"]
    sizes = [
        float(page.locator(where).first.evaluate("(each) => getComputedStyle(each).fontSize.slice(0, -2)"))
        for where in ("[data-text]", "[data-text] .gap")
    ]
    assert sizes[0] >= 18
    assert sizes[1] < sizes[0]
    page.set_viewport_size(PHONE["viewport"])
    assert overflow(page) == 0
