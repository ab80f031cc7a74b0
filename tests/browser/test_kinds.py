"""Every kind of batch can be finished: options, yes and no, no answer, sentences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]


def test_multiple_choice_is_answered_by_digits(desk: WorkPage) -> None:
    seat = desk("choices")
    for _ in range(2):
        assert seat.page.locator("[name=support], #answer-text").count() == 0
        seat.page.keyboard.press("2")
        seat.page.keyboard.press("3")
        expect(seat.page.locator("input[name=option]").nth(2)).to_be_checked()
        seat.submit()
    assert seat.is_done()
    assert [row["answer"]["option"] for row in seat.answers()] == [2, 2]
    assert {row["answer"]["kind"] for row in seat.answers()} == {"option"}


@pytest.mark.soak
def test_selecting_text_is_no_answer_to_a_multiple_choice_question(desk: WorkPage) -> None:
    seat = desk("choices")
    seat.page.locator("[data-text] p").dblclick()
    assert seat.field("kind") == "option"
    expect(seat.page.locator("#missing")).to_contain_text("an answer")
    seat.page.keyboard.press("9")
    assert "option" not in seat.fields()


def test_yes_and_no_are_one_key_each(desk: WorkPage) -> None:
    seat = desk("yesno", options={"yes_no": True})
    seat.select("larch")
    seat.page.keyboard.press("n")
    seat.page.keyboard.press("y")
    seat.tick(0)
    seat.tick(1)
    seat.submit()
    assert seat.is_done()
    answer = seat.answers()[0]["answer"]
    assert (answer["kind"], answer["paragraph"], len(answer["support"])) == ("yes", None, 2)


@pytest.mark.soak
def test_no_answer_needs_no_support(desk: WorkPage) -> None:
    seat = desk("unanswerable", options={"no_answer": True})
    seat.page.keyboard.press("0")
    expect(seat.page.locator("#missing")).to_have_text("Ready to submit")
    seat.submit()
    assert seat.is_done()
    answer = seat.answers()[0]["answer"]
    assert (answer["kind"], answer["text"]) == ("none", "")


@pytest.mark.soak
def test_words_selected_after_a_yes_are_the_answer_again(desk: WorkPage) -> None:
    seat = desk("yesno", options={"yes_no": True})
    seat.page.keyboard.press("y")
    seat.select("larch")
    assert seat.field("kind") == "span"
    expect(seat.page.get_by_role("radio", name="Words")).to_be_checked()


def test_sentences_support_an_answer_that_stands_behind_an_emoji(desk: WorkPage) -> None:
    seat = desk("sentences", options={"sentences": True})
    position = seat.select("Brooks")
    expect(seat.page.locator("#propose")).to_be_visible()
    seat.page.locator("#propose").click()
    assert seat.fields()["fact"] == [f"{position}.1"]
    seat.page.locator(f"input[name=fact][value='{position}.2']").check()
    seat.submit()
    assert seat.is_done()
    row = seat.answers()[0]
    answer = row["answer"]
    paragraph = answer["paragraph"]
    assert row["texts"][paragraph][answer["start"] : answer["end"]] == answer["text"] == "Brooks"
    assert row["titles"][paragraph] == "Lum Bridge"
    assert (answer["facts"], answer["support"]) == ([[paragraph, 1], [paragraph, 2]], [paragraph])


@pytest.mark.soak
def test_a_selection_over_two_sentences_is_one_span(desk: WorkPage) -> None:
    seat = desk("sentences", options={"sentences": True})
    words = "Brooks built it. It is made"
    position, start, end = seat.place_of(words)
    seat.select(words)
    assert (int(seat.field("start")), int(seat.field("end"))) == (start, end)
    assert seat.marked() == words
    seat.page.locator(f"input[name=fact][value='{position}.1']").check()
    seat.submit()
    assert seat.answers()[0]["answer"]["text"] == words
