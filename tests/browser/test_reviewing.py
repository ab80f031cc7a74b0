"""Reading compositions without a mouse: judge, accept, edit, return, discard, undo, tell the worker."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site

FIELDS = {
    "edit": "#review-text",
    "return": "#review-message",
    "discard": "#review-reason",
    "feedback": "textarea[name=feedback]",
}


@dataclass
class Reader:
    """A requester before the first of five answers of one worker."""

    site: Site
    page: Any
    batch: int
    composer: str  # the worker's session

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def decide(self, *keys: str) -> None:
        """Press keys of which the last one sends, and wait for the next page."""
        self.press(*keys[:-1])
        with self.page.expect_navigation():
            self.press(keys[-1])
        self.page.wait_for_load_state()

    @property
    def here(self) -> str:
        """The public id of the answer that is shown."""
        return re.search(r"/review/([\w-]+)/", self.page.url)[1]  # type: ignore[index]

    def progress(self) -> str:
        return str(self.page.locator(".review-bar b").inner_text())

    def decisions(self) -> list[tuple[str, str]]:
        rows = self.site.ask("decisions", batch=self.batch)
        return [(row["assignment"], row["decision"]) for row in rows]

    def last(self) -> dict[str, Any]:
        return dict(self.site.ask("decisions", batch=self.batch)[-1])


@pytest.fixture
def reader(site: Site, visit: Callable[..., Any]) -> Reader:
    made = site.batch("pairs", task="compose", assignments_per_hit=1)
    (composer,) = site.ask("compositions", batch=made["batch"], workers=1, each=5)
    page = visit(site.ask("requester", batch=made["batch"])["session"])
    page.goto(f"/projects/{made['project']}/batches/study/review/")
    page.get_by_role("link", name="Continue reviewing").click()
    page.wait_for_load_state()
    return Reader(site, page, made["batch"], composer)


@pytest.mark.soak
def test_a_comment_is_posted_and_erased_beside_a_half_written_decision(reader: Reader) -> None:
    page, here = reader.page, reader.here
    reader.press("d")
    page.locator(FIELDS["discard"]).fill("Too short.")
    field = page.locator("#comments textarea")
    field.fill("Is this <b>too</b> short?")
    field.press("Control+Enter")
    page.locator("#comments li", has_text="Is this <b>too</b> short?").wait_for()
    expect(field).to_be_focused()
    assert field.input_value() == ""
    assert page.locator(FIELDS["discard"]).input_value() == "Too short."
    page.get_by_role("button", name="Erase…").click()
    page.locator("dialog:popover-open").get_by_role("button", name="Erase", exact=True).click()
    page.locator("#comments li").wait_for(state="detached")
    expect(field).to_be_focused()
    assert (reader.here, reader.decisions()) == (here, [])
    page.locator(FIELDS["discard"]).focus()
    reader.decide("Control+Enter")
    assert reader.decisions() == [(here, "discarded")]


def test_five_answers_are_read_with_the_keyboard_alone(reader: Reader) -> None:
    first = reader.here
    assert reader.progress() == "0 of 5 reviewed"
    reader.decide("1", "2", "2", "a")
    assert (reader.last()["decision"], reader.last()["marks"]) == ("accepted", {"correct": True, "coherent": False})
    assert reader.progress() == "1 of 5 reviewed"

    reader.press("e")
    assert reader.page.locator(FIELDS["edit"]).input_value().startswith("Which tower")
    reader.press("Control+a")
    reader.page.keyboard.type("Which ferry did Osla build?")
    reader.decide("Control+Enter")
    assert (reader.last()["decision"], reader.last()["text"]) == ("edited", "Which ferry did Osla build?")

    reader.press("r", "3")
    message = reader.page.locator(FIELDS["return"]).input_value()
    reader.page.keyboard.type(" 2 words less.")
    reader.decide("Control+Enter")
    assert len(message) > 20
    assert (reader.last()["decision"], reader.last()["reason"]) == ("returned", f"{message} 2 words less.")

    fourth = reader.here
    reader.press("1", "1", "d")
    reader.page.keyboard.type("Two questions.")
    reader.decide("Control+Enter")
    assert reader.last()["marks"] == {"correct": False}
    assert reader.decisions()[-1] == (fourth, "discarded")

    reader.decide("u")
    assert reader.here == fourth
    assert reader.decisions()[-1] == (fourth, "reopened")
    assert reader.page.locator(FIELDS["discard"]).input_value() == "Two questions."
    assert reader.progress() == "3 of 5 reviewed"
    reader.decide("a")
    reader.decide("a")
    assert "All drawn responses are reviewed." in reader.page.locator("main").inner_text()
    assert len(reader.decisions()) == 7
    reader.page.locator("#undo button").click()
    reader.page.wait_for_url("**/review/*/")
    assert reader.here not in {first, fourth}


@pytest.mark.soak
def test_letters_are_letters_while_writing_and_escape_leaves(reader: Reader) -> None:
    here = reader.here
    reader.press("d")
    reader.page.keyboard.type("a bad one, due for discarding")
    assert reader.page.locator(FIELDS["discard"]).input_value() == "a bad one, due for discarding"
    reader.press("Escape")
    assert not reader.page.locator(FIELDS["discard"]).is_visible()
    reader.decide("j")
    assert reader.here != here
    reader.decide("k")
    assert reader.here == here
    assert reader.decisions() == []


@pytest.mark.soak
def test_feedback_goes_out_without_leaving_the_answer(reader: Reader, visit: Callable[..., Any]) -> None:
    here = reader.here
    reader.press("1", "f", "2")
    words = reader.page.locator(FIELDS["feedback"]).input_value()
    reader.press("Control+Enter")
    reader.page.locator(".message").wait_for()
    assert reader.page.locator(".message p").inner_text() == words
    assert reader.here == here
    assert reader.page.locator("input[name=mark-correct][value=yes]").is_checked(), "what was judged stays"
    reader.press("f")
    reader.page.keyboard.type("Another one.")
    reader.press("Control+Enter")
    reader.page.locator(".message").nth(1).wait_for()
    reader.press("Escape")
    reader.decide("a")

    worker = visit(reader.composer)
    worker.goto("/work/")
    worker.get_by_role("button", name=re.compile("Next item|Start|Go on")).click()
    for said in (words, "Another one."):
        worker.wait_for_url("**/feedback/**")
        assert said in worker.locator("main").inner_text()
        worker.get_by_role("button", name="Continue to the work").click()
    worker.wait_for_url(re.compile("/assignments/"))


@pytest.mark.soak
def test_a_key_pressed_twice_decides_once(reader: Reader) -> None:
    with reader.page.expect_navigation():
        reader.page.evaluate(
            """() => { for (let k = 0; k < 3; k += 1)
              document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: true})) }"""
        )
    reader.page.wait_for_load_state()
    assert [decision for _row, decision in reader.decisions()] == ["accepted"]
    assert reader.progress() == "1 of 5 reviewed"


@pytest.mark.soak
def test_without_scripts_it_is_forms(reader: Reader, visit: Callable[..., Any], site: Site) -> None:
    boss = site.ask("requester", batch=reader.batch)["session"]
    page = visit(boss, java_script_enabled=False)
    page.goto(reader.page.url)
    page.locator("label", has_text="No").first.click()
    page.locator("summary", has_text="Exclude").click()
    page.locator(FIELDS["discard"]).fill("Two questions.")
    page.get_by_role("button", name="Exclude ⌃⏎").click()
    page.wait_for_url("**undo=**")
    assert (reader.last()["decision"], reader.last()["marks"]) == ("discarded", {"correct": False})
    page.locator("summary", has_text="Feedback").click()
    page.locator(FIELDS["feedback"]).fill("Fewer words.")
    page.get_by_role("button", name="Send the feedback").click()
    page.locator(".message").wait_for()
    assert "Fewer words." in page.locator(".message").inner_text()
