"""Answering with the mouse: selecting, replacing, undoing, ticking."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]


def test_selecting_with_the_mouse_sets_the_answer_in_any_paragraph(desk: WorkPage) -> None:
    seat = desk("yesno")
    for words in ("made of larch", "Tarn Bridge crosses", "a fair in May"):
        position = seat.drag_over(words)
        expect(seat.page.locator("#answer-text")).to_have_value(words)
        assert seat.marked() == words
        assert int(seat.field("paragraph")) == position
        assert seat.texts()[position][int(seat.field("start")) : int(seat.field("end"))] == words


def test_a_double_click_takes_one_word(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.page.keyboard.press("c")
    assert seat.answer() == ""
    box = seat.page.locator("[data-text] p", has_text="elected by lot").bounding_box()
    seat.page.mouse.dblclick(box["x"] + 8, box["y"] + 12)
    expect(seat.page.locator("#answer-text")).to_have_value("Farrow")


def test_a_new_selection_replaces_and_undo_brings_the_old_one_back(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.select("stone")
    assert seat.marked() == "stone"
    seat.page.locator("#undo-answer").click()
    assert (seat.answer(), seat.marked()) == ("larch", "larch")
    seat.page.keyboard.press("Control+Shift+z")
    assert seat.answer() == "stone"
    seat.page.locator("#clear-answer").click()
    assert (seat.answer(), seat.marked()) == ("", "")
    seat.page.locator("#paragraphs [data-title]").first.click()
    seat.page.keyboard.press("Control+z")
    assert (seat.answer(), seat.marked()) == ("stone", "stone")


def test_a_click_that_selects_nothing_changes_nothing(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.page.locator("#paragraphs [data-title]").last.click()
    seat.page.locator("#question").click()
    assert seat.answer() == "larch"


def test_a_selection_outside_the_paragraphs_is_no_answer(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.locator("#question").click(click_count=3)
    assert seat.answer() == ""


def test_a_selection_that_begins_before_the_paragraph_is_cut_to_it(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.evaluate(
        """() => {
          const [first, second] = [...document.querySelectorAll("#paragraphs [data-text] p")].map((p) => p.firstChild);
          document.getSelection().setBaseAndExtent(first, first.length - 4, second, 3);
          document.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
        }"""
    )
    expect(seat.page.locator("#answer-text")).to_have_value(seat.texts()[0][-4:].strip())


def test_the_mark_survives_searching_sorting_and_folding(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    for query in ("lar", "larch bridge", "zzzz", ""):
        seat.page.locator("#search").fill(query)
        seat.page.wait_for_timeout(250)
        assert seat.marked() == "larch"
    for key in ("s", "f", "f", "p"):
        seat.page.locator("[data-paragraph]").first.focus()
        seat.page.keyboard.press(key)
    assert (seat.marked(), seat.answer()) == ("larch", "larch")


def test_typed_words_are_located_in_the_paragraphs(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.locator("#answer-text").fill("  made of LARCH ")
    expect(seat.page.locator("#answer-source")).to_have_text("typed; will be looked up in the paragraphs")
    seat.tick(0)
    seat.submit()
    answer = seat.answers()[0]["answer"]
    assert (answer["kind"], answer["text"]) == ("span", "made of larch")


def test_typed_words_that_stand_nowhere_are_refused_and_nothing_is_lost(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.locator("#answer-text").fill("made of cheese")
    seat.tick(1)
    seat.page.keyboard.press("Control+Enter")
    expect(seat.page.locator("#problems")).to_contain_text("“made of cheese” is not in any paragraph")
    expect(seat.page.locator("#answer-text")).to_be_focused()
    assert (seat.answer(), seat.ticked()) == ("made of cheese", [1])
    seat.select("larch")
    expect(seat.page.locator("#problems")).to_have_count(0)
    seat.submit()
    assert seat.answers()[0]["answer"]["text"] == "larch"


def test_the_tick_of_the_answers_paragraph_is_proposed_and_not_forced(desk: WorkPage) -> None:
    seat = desk("yesno")
    position = seat.select("larch")
    assert seat.ticked() == []
    expect(seat.page.locator("#propose")).to_contain_text(f"Tick {position + 1}, which holds it?")
    other = (position + 1) % 3
    seat.tick(other)
    seat.submit()
    assert len(seat.answers()[0]["answer"]["support"]) == 1


def test_taking_up_the_proposal_ticks_the_paragraph(desk: WorkPage) -> None:
    seat = desk("yesno")
    position = seat.select("larch")
    seat.page.locator("#propose").click()
    assert seat.ticked() == [position]
    expect(seat.page.locator("#propose")).to_be_hidden()


@pytest.mark.parametrize("missing", ["answer", "support"])
def test_the_bar_says_what_is_missing_and_leads_there(desk: WorkPage, missing: str) -> None:
    seat = desk("yesno")
    if missing == "answer":
        seat.tick(0)
    else:
        seat.select("larch")
    link = seat.page.locator("#missing a")
    expect(link).to_have_count(1)
    link.click()
    focused = seat.page.evaluate("() => document.activeElement.closest('[id^=control-]').id")
    assert focused == ("control-text" if missing == "answer" else "control-support")


def test_a_problem_is_reported_and_the_next_one_comes(desk: WorkPage) -> None:
    seat = desk("demo", sample=2)
    before = seat.page.url
    seat.page.get_by_role("button", name="Report a problem").click()
    seat.page.get_by_label("Several answers are right").check()
    seat.page.locator("#problem-report-text").fill("Two ships fit 🚢")
    with seat.page.expect_navigation():
        seat.page.get_by_role("button", name="Send the report").click()
    expect(seat.page.locator("main")).to_contain_text("The requester will look at it.")
    assert seat.page.url != before
