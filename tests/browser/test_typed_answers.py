"""A typed answer is looked up while somebody types: found in one place, in several, or nowhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.pure.test_locating import PLACES

WorkPage = Callable[..., Desk]
FOUND = """async (cases) => {
  const src = document.querySelector("link[rel=modulepreload][href*='js/places']").href;
  const { placesOf } = await import(src);
  return cases.map(({answer, texts, first}) =>
    placesOf(answer, texts, first).map(({paragraph, start, end}) => [paragraph, start, end]));
}"""
HEARD = """() => {
  window.heard = [];
  const voice = document.getElementById("voice");
  new MutationObserver(() => window.heard.push(voice.textContent)).observe(voice, {childList: true});
}"""
# The words under the highlight "place": where else the typed answer stands.
OTHERS = "() => [...CSS.highlights.get('place')].map((range) => range.toString())"


def type_answer(worker: Desk, words: str) -> None:
    worker.page.locator("#answer-text").fill(words)


def source(worker: Desk) -> Any:
    return expect(worker.page.locator("#answer-source"))


def missing(worker: Desk) -> Any:
    return expect(worker.page.locator("#missing"))


def test_the_browser_finds_the_places_that_the_server_finds(desk: WorkPage) -> None:
    worker = desk("yesno")
    found = worker.page.evaluate(FOUND, PLACES)
    assert json.dumps(found) == json.dumps([case["places"] for case in PLACES])


def test_words_in_one_place_are_marked_there_and_their_paragraph_is_proposed(desk: WorkPage) -> None:
    worker = desk("yesno")
    position, _start, _end = worker.place_of("larch")
    worker.page.evaluate(HEARD)
    type_answer(worker, "made of  LARCH")
    source(worker).to_have_text(f"found in paragraph {position + 1}, “Lum Bridge”")
    assert (worker.marked(), worker.answer(), worker.ticked()) == ("made of larch", "made of  LARCH", [])
    missing(worker).to_have_text("Still missing: supporting paragraphs")
    worker.page.wait_for_function("() => window.heard.length")
    assert worker.page.evaluate("() => window.heard") == [f"found in paragraph {position + 1}, “Lum Bridge”"]
    worker.page.locator("#propose").click()
    assert worker.ticked() == [position]
    missing(worker).to_have_text("Ready to submit")
    worker.submit()
    answer = worker.answers()[0]["answer"]
    assert (answer["kind"], answer["text"]) == ("span", "made of larch")


@pytest.mark.soak
def test_words_that_stand_nowhere_are_never_ready(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.tick(0)
    worker.page.evaluate(HEARD)
    field = worker.page.locator("#answer-text")
    field.press_sequentially("larches", delay=20)
    source(worker).to_have_text("No paragraph says this.")
    missing(worker).to_have_text("Still missing: an answer from the paragraphs")
    expect(field).to_have_attribute("aria-invalid", "true")
    worker.page.wait_for_function("() => window.heard.length")
    assert worker.page.evaluate("() => window.heard") == ["No paragraph says this."]
    field.press("Backspace")
    field.press("Backspace")
    source(worker).to_contain_text("found in paragraph")
    missing(worker).to_have_text("Ready to submit")
    expect(field).to_have_attribute("aria-invalid", "false")
    field.fill("")
    missing(worker).to_have_text("Still missing: an answer")


@pytest.mark.soak
def test_one_of_several_places_is_chosen_by_key_or_by_click(desk: WorkPage) -> None:
    worker = desk("yesno")
    first, second = (k for k, text in enumerate(worker.texts()) if "Ana Brook" in text)
    type_answer(worker, "ana brook")
    source(worker).to_contain_text(f"occurrence 1 of 2: paragraph {first + 1}")
    assert (worker.marked(), worker.page.evaluate(OTHERS)) == ("Ana Brook", ["Ana Brook"])
    expect(worker.page.locator("#propose")).to_be_disabled()
    worker.page.locator("#answer-text").press("ArrowDown")
    source(worker).to_contain_text(f"occurrence 2 of 2: paragraph {second + 1}")
    assert (worker.field("kind"), worker.field("paragraph"), worker.answer()) == ("span", str(second), "Ana Brook")
    expect(worker.page.locator("#propose")).to_contain_text(f"Tick paragraph {second + 1}")
    worker.page.locator("#answer-text").press("Escape")
    worker.page.keyboard.press("o")
    assert worker.field("paragraph") == str(first)
    box = worker.page.evaluate(
        """() => {
          const {left, top, width, height} = [...CSS.highlights.get("place")][0].getBoundingClientRect();
          return [left + width / 2, top + height / 2];
        }"""
    )
    worker.page.mouse.click(*box)
    source(worker).to_contain_text("occurrence 2 of 2")
    worker.page.locator("#propose").click()
    worker.submit()
    row = worker.answers()[0]
    assert row["texts"].index(worker_text(row)) == row["answer"]["support"][0]


def worker_text(row: dict[str, Any]) -> str:
    """The text that holds a stored answer."""
    return str(row["texts"][row["answer"]["paragraph"]])


@pytest.mark.soak
def test_of_several_places_the_one_in_a_ticked_paragraph_is_taken(desk: WorkPage) -> None:
    worker = desk("yesno")
    _first, second = (k for k, text in enumerate(worker.texts()) if "Ana Brook" in text)
    type_answer(worker, "Ana Brook")
    source(worker).to_contain_text("occurrence 1 of 2")
    worker.tick(second)
    source(worker).to_contain_text(f"occurrence 2 of 2: paragraph {second + 1}")
    shown = worker.texts()[second]
    worker.submit()
    assert worker_text(worker.answers()[0]) == shown


@pytest.mark.soak
def test_a_draft_that_stands_nowhere_says_so_when_it_comes_back(desk: WorkPage) -> None:
    worker = desk("yesno")
    type_answer(worker, "made of cheese")
    worker.save()
    worker.page.reload()
    source(worker).to_have_text("No paragraph says this.")
    worker.page.keyboard.press("c")
    source(worker).to_have_text("Select text to make it the answer.")
    worker.page.keyboard.press("Control+z")
    source(worker).to_have_text("No paragraph says this.")


@pytest.mark.soak
def test_where_answerability_comes_first_words_are_looked_up_as_well(desk: WorkPage) -> None:
    worker = desk("unanswerable", task="answerability")
    worker.page.keyboard.press("y")
    type_answer(worker, "larch")
    source(worker).to_contain_text("found in paragraph")
    worker.page.keyboard.press("Escape")
    worker.page.keyboard.press("n")
    assert worker.marked() == ""
    missing(worker).to_have_text("Ready to submit")


def test_own_words_are_taken_where_the_batch_allows_them(desk: WorkPage) -> None:
    worker = desk("yesno", options={"yes_no": True, "own_words": "allow"})
    type_answer(worker, "two of them")
    source(worker).to_have_text("in your own words: no paragraph has it")
    missing(worker).to_have_text("Still missing: supporting paragraphs")
    expect(worker.page.locator("#answer-text")).to_have_attribute("aria-invalid", "false")
