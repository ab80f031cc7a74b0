"""The whole job without a pointing device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import SETTLED
from tests.browser.site import Site

FOCUSED = "() => document.activeElement.closest('[data-paragraph]')?.dataset.paragraph ?? null"


def follow(page: Any, name: str) -> None:
    """Press Tab until the control of that name has the focus, then Enter, and see where it leads."""
    for _ in range(40):
        page.keyboard.press("Tab")
        here = page.evaluate("() => document.activeElement.textContent.trim()")
        if here.startswith(name):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError(f"Tab never reaches {name!r}")


def come_in(page: Any, name: str, password: str) -> None:
    """From the start page to the first assignment."""
    page.goto("/")
    page.keyboard.press("Tab")
    if page.evaluate("() => document.activeElement.name") != "username":
        page.locator("[name=username]").focus()
    page.keyboard.type(name)
    page.keyboard.press("Tab")
    page.keyboard.type(password)
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for name in ("Start", "I agree", "Continue to the work"):
        follow(page, name)


def answer_one(page: Any, query: str) -> str:
    """Search, go to the best paragraph, take its first two words as the answer, tick it, submit; returns the words."""
    press = page.keyboard.press
    page.evaluate(SETTLED, query)
    press("/")
    page.keyboard.type(query)
    page.evaluate("() => window.settled")
    press("Escape")
    first = page.evaluate(FOCUSED)
    press("j")
    assert page.evaluate(FOCUSED) != first
    press("k")
    assert page.evaluate(FOCUSED) == first
    for key in ("v", "Shift+ArrowRight", "a"):
        press(key)
    words = page.locator("#answer-text").input_value()
    press("x")
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    with page.expect_navigation():
        press("Control+Enter")
    return str(words)


def test_a_batch_is_finished_by_keyboard_alone(visit: Callable[..., Any], site: Site) -> None:
    batch = site.batch("demo", sample=3)
    person = site.ask("person", batch=batch["batch"], password="a long enough phrase", ready=False)
    page = visit()
    come_in(page, person["name"], "a long enough phrase")
    given = []
    while "/assignments/" in page.url:
        given.append(answer_one(page, page.locator("#question").text_content()))
    expect(page.locator("main")).to_contain_text("Nothing is left to do here")
    stored = site.ask("answers", batch=batch["batch"])
    assert [row["answer"]["text"] for row in stored] == given
    assert len(given) == 3
    for row in stored:
        answer = row["answer"]
        assert len(answer["text"].split()) >= 2
        assert answer["text"] == row["texts"][answer["paragraph"]][answer["start"] : answer["end"]]
        assert answer["support"] == [answer["paragraph"]]


def test_the_caret_walks_by_words_lines_and_characters(desk: Callable[..., Any]) -> None:
    page = desk("yesno").page
    press = page.keyboard.press
    chosen = lambda: page.evaluate("() => document.getSelection().toString()")  # noqa: E731
    press("j")
    press("v")
    words = page.locator("[data-paragraph]").first.locator("[data-text]").text_content().split()
    assert chosen() == words[0]
    press("ArrowRight")
    assert chosen() == words[1]
    press("Shift+ArrowRight")
    assert chosen() == f"{words[1]} {words[2]}"
    press("+")
    assert chosen() == f"{words[1]} {words[2]} "
    press("-")
    press("-")
    assert chosen() == f"{words[1]} {words[2]}"[:-1]
    press("Home")
    assert chosen() == words[0]
    press("Escape")
    assert chosen() == ""


@pytest.mark.soak
def test_going_back_and_forth_and_returning_needs_no_mouse(desk: Callable[..., Any]) -> None:
    worker = desk("demo", sample=2)
    page = worker.page
    first = page.url
    answer_one(page, page.locator("#question").text_content())
    with page.expect_navigation():
        page.keyboard.press("b")
    assert page.url == first
    expect(page.locator("main")).to_contain_text("While the batch is open you can change your response")
    page.keyboard.press("t")
    page.keyboard.press("Control+a")
    page.keyboard.type(worker.texts()[0].split()[0])
    worker.submit()
    assert [row["revision"] for row in worker.answers()] == [1, 2]
    page.keyboard.press("r")
    expect(page.locator("#return-box")).to_be_visible()
    with page.expect_navigation():
        page.keyboard.press("Enter")


@pytest.mark.soak
def test_the_instructions_is_one_key_away(desk: Callable[..., Any]) -> None:
    page = desk("yesno").page
    page.keyboard.press("g")
    expect(page.locator("#instructions-box")).to_contain_text("Select the answer and tick what it rests on.")
    page.keyboard.press("Escape")
    expect(page.locator("#instructions-box")).to_be_hidden()
