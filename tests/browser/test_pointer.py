"""Answering with the mouse: selecting, replacing, undoing, ticking."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]


def test_selecting_with_the_mouse_sets_the_answer_in_any_paragraph(desk: WorkPage) -> None:
    worker = desk("yesno")
    for words in ("made of larch", "Tarn Bridge crosses", "a fair in May"):
        position = worker.drag_over(words)
        expect(worker.page.locator("#answer-text")).to_have_value(words)
        assert worker.marked() == words
        assert int(worker.field("paragraph")) == position
        assert worker.texts()[position][int(worker.field("start")) : int(worker.field("end"))] == words


def test_a_double_click_takes_one_word(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.page.keyboard.press("c")
    assert worker.answer() == ""
    box = worker.page.locator("[data-text] p", has_text="elected by lot").bounding_box()
    worker.page.mouse.dblclick(box["x"] + 8, box["y"] + 12)
    expect(worker.page.locator("#answer-text")).to_have_value("Farrow")


def test_a_new_selection_replaces_and_undo_brings_the_old_one_back(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.select("stone")
    assert worker.marked() == "stone"
    worker.page.locator("#undo-answer").click()
    assert (worker.answer(), worker.marked()) == ("larch", "larch")
    worker.page.keyboard.press("Control+Shift+z")
    assert worker.answer() == "stone"
    worker.page.locator("#clear-answer").click()
    assert (worker.answer(), worker.marked()) == ("", "")
    worker.page.locator("#paragraphs [data-title]").first.click()
    worker.page.keyboard.press("Control+z")
    assert (worker.answer(), worker.marked()) == ("stone", "stone")


def test_a_click_that_selects_nothing_changes_nothing(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.page.locator("#paragraphs [data-title]").last.click()
    worker.page.locator("#question").click()
    assert worker.answer() == "larch"


def test_a_selection_outside_the_paragraphs_is_no_answer(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.locator("#question").click(click_count=3)
    assert worker.answer() == ""


def test_a_selection_that_begins_before_the_paragraph_is_cut_to_it(desk: WorkPage) -> None:
    worker = desk("yesno")
    last = " ".join(worker.texts()[0].split()[-2:])
    worker.page.evaluate(
        """(length) => {
          const [first, second] = [...document.querySelectorAll("#paragraphs [data-text] p")].map((p) => p.firstChild);
          document.getSelection().setBaseAndExtent(first, first.length - length, second, 3);
          document.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
        }""",
        len(last),
    )
    expect(worker.page.locator("#answer-text")).to_have_value(last)


def test_the_mark_survives_searching_sorting_and_folding(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    for query in ("lar", "larch bridge", "zzzz", ""):
        worker.search(query)
        assert worker.marked() == "larch"
    for key in ("s", "f", "f", "p"):
        worker.page.locator("[data-paragraph]").first.focus()
        worker.page.keyboard.press(key)
    assert (worker.marked(), worker.answer()) == ("larch", "larch")


def test_typed_words_are_located_in_the_paragraphs(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.locator("#answer-text").fill("  made of LARCH ")
    expect(worker.page.locator("#answer-source")).to_contain_text("found in paragraph")
    worker.tick(0)
    worker.submit()
    answer = worker.answers()[0]["answer"]
    assert (answer["kind"], answer["text"]) == ("span", "made of larch")


def test_typed_words_that_stand_nowhere_are_refused_and_nothing_is_lost(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.locator("#answer-text").fill("made of cheese")
    worker.tick(1)
    worker.page.keyboard.press("Control+Enter")
    expect(worker.page.locator("#problems")).to_contain_text("“made of cheese” is not in any paragraph")
    expect(worker.page.locator("#answer-text")).to_be_focused()
    assert (worker.answer(), worker.ticked()) == ("made of cheese", [1])
    worker.select("larch")
    expect(worker.page.locator("#problems")).to_have_count(0)
    worker.submit()
    assert worker.answers()[0]["answer"]["text"] == "larch"


def test_the_tick_of_the_answers_paragraph_is_proposed_and_not_forced(desk: WorkPage) -> None:
    worker = desk("yesno")
    position = worker.select("larch")
    assert worker.ticked() == []
    expect(worker.page.locator("#propose")).to_contain_text(f"Tick paragraph {position + 1}?")
    other = (position + 1) % 3
    worker.tick(other)
    worker.submit()
    assert len(worker.answers()[0]["answer"]["support"]) == 1


def test_taking_up_the_proposal_ticks_the_paragraph(desk: WorkPage) -> None:
    worker = desk("yesno")
    position = worker.select("larch")
    worker.page.locator("#propose").click()
    assert worker.ticked() == [position]
    expect(worker.page.locator("#propose")).to_be_hidden()


@pytest.mark.parametrize("missing", ["answer", "support"])
def test_the_bar_says_what_is_missing_and_leads_there(desk: WorkPage, missing: str) -> None:
    worker = desk("yesno")
    if missing == "answer":
        worker.tick(0)
    else:
        worker.select("larch")
    link = worker.page.locator("#missing a")
    expect(link).to_have_count(1)
    link.click()
    focused = worker.page.evaluate("() => document.activeElement.closest('[id^=control-]').id")
    assert focused == ("control-text" if missing == "answer" else "control-support")


def test_a_problem_is_reported_and_the_next_one_comes(desk: WorkPage) -> None:
    worker = desk("demo", sample=2)
    before = worker.page.url
    worker.page.get_by_role("button", name="Report a problem").click()
    worker.page.get_by_label("Several answers are right").check()
    worker.page.locator("#problem-report-text").fill("Two ships fit 🚢")
    with worker.page.expect_navigation():
        worker.page.get_by_role("button", name="Send the report").click()
    expect(worker.page.locator("main")).to_contain_text("The requester will look at it.")
    assert worker.page.url != before
