"""A question taken apart in a browser: by keys alone, on a phone, without scripts, and one step after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import SELECT, Desk, units
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]


@pytest.fixture
def asked(desk: WorkPage) -> Callable[..., Desk]:
    def opened(arm: str, *, kind: str = "sub_questions", **more: Any) -> Desk:
        return desk(kind, task="hops", options={"arm": arm}, assignments_per_hit=1, **more)

    return opened


def selected(worker: Desk, words: str) -> int:
    """Select words as with a mouse; returns the number of their paragraph, from 1."""
    position, start, end = worker.place_of(words)
    text = worker.texts()[position]
    worker.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
    worker.page.evaluate("document.dispatchEvent(new MouseEvent('mouseup', {bubbles: true}))")
    expect(worker.page.locator("#paragraphs mark.mark-answer")).to_have_text(words)
    return position + 1


def keys(worker: Desk, *pressed: str) -> None:
    for key in pressed:
        worker.page.keyboard.press(key)


def value(worker: Desk, name: str) -> str:
    return str(worker.page.locator(f"[name='{name}']").input_value())


def test_a_question_is_taken_apart_by_keys_alone(asked: WorkPage) -> None:
    worker = asked("free")
    page = worker.page
    page.locator("#hop-1-question").fill("Who built the organ?")
    keys(worker, "Enter")
    expect(page.get_by_label("Answer of step 1")).to_be_focused()
    page.keyboard.type("Tamsin Vole")
    number = worker.place_of("Tamsin Vole")[0] + 1
    page.locator(f"#paragraph-{number - 1}").focus()
    keys(worker, "x")
    assert value(worker, "hop-1-support") == str(number)
    page.get_by_label("Answer of step 1").focus()
    keys(worker, "Enter")
    expect(page.locator("#hop-2-question")).to_be_focused()
    page.keyboard.type("Where was she born?")
    page.keyboard.press("Escape")
    place = selected(worker, "Quillhaven")
    page.locator(f"#paragraph-{place - 1}").focus()
    keys(worker, "Enter")  # in the paragraph of the answer: one step on
    expect(page.locator("#hop-3-question")).to_be_focused()
    page.locator("#hop-2-question").focus()
    assert not page.locator(f"#support-{number - 1}").is_checked()  # that is the first step's
    page.locator(f"#paragraph-{place - 1}").focus()
    keys(worker, "x")
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    hops = worker.answers()[-1]["answer"]["hops"]
    assert [(hop["question"], hop["text"]) for hop in hops] == [
        ("Who built the organ?", "Tamsin Vole"),
        ("Where was she born?", "Quillhaven"),
    ]
    assert all(len(hop["support"]) == 1 and hop["kind"] == "span" for hop in hops)


@pytest.mark.soak
def test_what_was_changed_is_undone_and_a_draft_comes_back(asked: WorkPage) -> None:
    worker = asked("free")
    page = worker.page
    page.locator("#hop-1-question").fill("Who built it?")
    page.keyboard.press("Escape")
    selected(worker, "Quillhaven")
    keys(worker, "c")
    assert (value(worker, "hop-1-question"), value(worker, "hop-1-text")) == ("", "")
    keys(worker, "Control+z")
    assert (value(worker, "hop-1-question"), value(worker, "hop-1-text")) == ("Who built it?", "Quillhaven")
    worker.save()
    page.reload()
    assert (value(worker, "hop-1-question"), value(worker, "hop-1-text")) == ("Who built it?", "Quillhaven")
    expect(page.locator("#paragraphs mark.mark-answer")).to_have_text("Quillhaven")


@pytest.mark.soak
def test_a_given_step_closes_when_the_next_one_opens(asked: WorkPage) -> None:
    worker = asked("guided", kind="template_questions")
    page = worker.page
    expect(page.locator(".step-row")).to_have_count(1)
    assert "first master" not in page.locator("#steps").inner_text()
    selected(worker, "Jory Finch")
    keys(worker, "Enter")
    expect(page.locator(".step-row")).to_have_count(2)
    expect(page.locator(".step-row.is-closed")).to_contain_text("Jory Finch")
    expect(page.locator(".step-row").last).to_contain_text("Who was the first master of Jory Finch?")
    assert worker.answers() == []
    selected(worker, "Jory Finch")
    keys(worker, "Control+Enter")
    expect(page.locator(".step-row")).to_have_count(3)
    selected(worker, "his notebooks")
    worker.submit()
    hops = worker.answers()[-1]["answer"]["hops"]
    assert [hop["text"] for hop in hops] == ["Jory Finch", "Jory Finch", "his notebooks"]


@pytest.mark.soak
def test_the_number_of_steps_is_one_key(asked: WorkPage) -> None:
    worker = asked("kind")
    keys(worker, "2")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    assert worker.answers()[-1]["answer"] == {"kind": "several", "hops": []}


@pytest.mark.soak
@pytest.mark.parametrize("arm", ["free", "integrate"])
def test_on_a_phone_the_step_at_hand_is_under_the_thumb(asked: WorkPage, arm: str) -> None:
    worker = asked(arm, page=PHONE)
    assert not overflow(worker.page)
    if arm == "free":
        worker.page.locator("#hop-1-question").fill("Who built it?")
        worker.page.get_by_role("button", name="Next step").tap()
        expect(worker.page.locator("#hop-2-question")).to_be_visible()
        expect(worker.page.locator("#hop-1-question")).to_be_hidden()
        worker.page.get_by_role("button", name="Step 1").tap()
        expect(worker.page.locator("#hop-1-question")).to_be_visible()
    assert broken(worker.page) == []


@pytest.mark.soak
@pytest.mark.parametrize("arm", ["free", "guided", "kind"])
def test_the_page_names_everything_for_screen_readers(asked: WorkPage, arm: str) -> None:
    assert broken(asked(arm).page) == []


@pytest.mark.soak
def test_steps_need_no_scripts(asked: WorkPage) -> None:
    worker = asked("guided", kind="template_questions", page={"java_script_enabled": False})
    page = worker.page
    page.get_by_label("Answer of step 1").fill("Nobody at all")
    page.get_by_role("button", name="Next step").click()
    expect(page.locator("#problems")).to_contain_text("Step 1: select the answer in a paragraph")
    page.get_by_label("Answer of step 1").fill("the Lantern")
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_text("Who was the first master of the Lantern?")).to_be_visible()
    page.get_by_label("Answer of step 2").fill("Jory Finch")
    page.get_by_role("button", name="Next step").click()
    page.get_by_label("Answer of step 3").fill("his notebooks")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("main")).to_contain_text("You submitted 1 response in this batch")


@pytest.mark.soak
def test_paragraphs_are_numbers_where_there_are_no_scripts(asked: WorkPage) -> None:
    worker = asked("free", page={"java_script_enabled": False})
    page = worker.page
    page.locator("#hop-1-question").fill("In which town was the builder born?")
    page.get_by_label("Answer of step 1").fill("Quillhaven")
    page.locator("#hop-1-support").fill("1, 3")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("main")).to_contain_text("You submitted 1 response in this batch")
    [hop] = worker.answers()[-1]["answer"]["hops"]
    assert len(hop["support"]) == 2
