"""Every kind of batch can be finished: options, yes and no, no answer, sentences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]


def test_multiple_choice_is_answered_by_digits(desk: WorkPage) -> None:
    worker = desk("choices")
    for _ in range(2):
        assert worker.page.locator("[name=support], #answer-text").count() == 0
        worker.page.keyboard.press("2")
        worker.page.keyboard.press("3")
        expect(worker.page.locator("input[name=option]").nth(2)).to_be_checked()
        worker.submit()
    assert worker.is_done()
    assert [row["answer"]["option"] for row in worker.answers()] == [2, 2]
    assert {row["answer"]["kind"] for row in worker.answers()} == {"option"}


@pytest.mark.soak
def test_selecting_text_is_no_answer_to_a_multiple_choice_question(desk: WorkPage) -> None:
    worker = desk("choices")
    worker.page.locator("[data-text] p").dblclick()
    assert worker.field("kind") == "option"
    expect(worker.page.locator("#missing")).to_contain_text("an answer")
    worker.page.keyboard.press("9")
    assert "option" not in worker.fields()


def test_yes_and_no_are_one_key_each(desk: WorkPage) -> None:
    worker = desk("yesno", options={"yes_no": True})
    worker.select("larch")
    worker.page.keyboard.press("n")
    worker.page.keyboard.press("y")
    worker.tick(0)
    worker.tick(1)
    worker.submit()
    assert worker.is_done()
    answer = worker.answers()[0]["answer"]
    assert (answer["kind"], answer["paragraph"], len(answer["support"])) == ("yes", None, 2)


@pytest.mark.soak
def test_no_answer_needs_no_support(desk: WorkPage) -> None:
    worker = desk("unanswerable", options={"no_answer": True})
    worker.page.keyboard.press("0")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    assert worker.is_done()
    answer = worker.answers()[0]["answer"]
    assert (answer["kind"], answer["text"]) == ("none", "")


@pytest.mark.soak
def test_words_selected_after_a_yes_are_the_answer_again(desk: WorkPage) -> None:
    worker = desk("yesno", options={"yes_no": True})
    worker.page.keyboard.press("y")
    worker.select("larch")
    assert worker.field("kind") == "span"
    expect(worker.page.get_by_role("radio", name="Words")).to_be_checked()


def test_sentences_support_an_answer_that_stands_behind_an_emoji(desk: WorkPage) -> None:
    worker = desk("sentences", options={"sentences": True})
    position = worker.select("Brooks")
    expect(worker.page.locator("#propose")).to_be_visible()
    worker.page.locator("#propose").click()
    assert worker.fields()["fact"] == [f"{position}.1"]
    worker.page.locator(f"input[name=fact][value='{position}.2']").check()
    worker.submit()
    assert worker.is_done()
    row = worker.answers()[0]
    answer = row["answer"]
    paragraph = answer["paragraph"]
    assert row["texts"][paragraph][answer["start"] : answer["end"]] == answer["text"] == "Brooks"
    assert row["titles"][paragraph] == "Lum Bridge"
    assert (answer["facts"], answer["support"]) == ([[paragraph, 1], [paragraph, 2]], [paragraph])


@pytest.mark.soak
def test_a_selection_over_two_sentences_is_one_span(desk: WorkPage) -> None:
    worker = desk("sentences", options={"sentences": True})
    words = "Brooks built it. It is made"
    position, start, end = worker.place_of(words)
    worker.select(words)
    assert (int(worker.field("start")), int(worker.field("end"))) == (start, end)
    assert worker.marked() == words
    worker.page.locator(f"input[name=fact][value='{position}.1']").check()
    worker.submit()
    assert worker.answers()[0]["answer"]["text"] == words
