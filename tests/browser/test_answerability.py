"""Answerable or not comes first, by one key or one tap; the tools to answer follow only where there is an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import IN_REACH, PHONE, REFLOW, ZOOMED, overflow, touch_select

WorkPage = Callable[..., Desk]
OFF = {"java_script_enabled": False}
ABLE, NOT_ABLE = ("#control-answerable input[value=yes]", "#control-answerable input[value=no]")


@pytest.fixture
def judge(desk: WorkPage) -> WorkPage:
    return lambda kind="yesno", **more: desk(kind, task="answerability", **more)


def told(seat: Desk) -> dict[str, Any]:
    return dict(seat.answers()[-1]["answer"])


@pytest.mark.soak
def test_what_is_not_answerable_takes_one_key_and_submit(judge: WorkPage) -> None:
    seat = judge()
    expect(seat.page.locator("#missing")).to_contain_text("whether it is answerable")
    seat.page.keyboard.press("n")
    expect(seat.page.locator("#missing")).to_have_text("Ready to submit")
    expect(seat.page.locator("#answer-text")).to_be_hidden()
    seat.submit()
    assert (told(seat)["answerable"], told(seat)["kind"], told(seat)["support"]) == (False, "none", [])


def test_a_batch_is_judged_and_answered_by_keyboard_alone(judge: WorkPage) -> None:
    seat = judge("demo", sample=2)
    press = seat.page.keyboard.press
    for key in "yn":
        expect(seat.page.locator("#answer-text")).to_be_hidden()
        press("j")
        press(key)
        if key == "y":
            expect(seat.page.locator("#answer-text")).to_be_visible()
            for each in ("v", "Shift+ArrowRight", "a", "x"):
                press(each)
        expect(seat.page.locator("#missing")).to_have_text("Ready to submit")
        seat.submit()
    first, second = (row["answer"] for row in seat.answers())
    assert first["answerable"] is True
    assert first["kind"] == "span"
    assert first["support"] == [first["paragraph"]]
    assert second["answerable"] is False
    assert seat.is_done()


@pytest.mark.soak
def test_words_cannot_become_the_answer_before_there_is_one(judge: WorkPage) -> None:
    seat = judge()
    for keys in (("v", "a"), ("n", "v", "a")):
        for key in keys:
            seat.page.keyboard.press(key)
        assert seat.field("text") == ""
        assert seat.marked() == ""
    expect(seat.page.locator("#voice")).to_contain_text("First choose “Answerable”")


def test_going_back_and_forth_loses_nothing_and_can_be_undone(judge: WorkPage) -> None:
    seat = judge()
    press = seat.page.keyboard.press
    press("y")
    seat.select("larch")
    press("n")
    assert seat.marked() == ""
    press("y")
    assert seat.answer() == seat.marked() == "larch"
    press("Control+z")
    expect(seat.page.locator(NOT_ABLE)).to_be_checked()
    press("Control+z")
    press("Control+z")
    assert (seat.field("answerable"), seat.answer()) == ("yes", "")
    press("Control+z")
    assert seat.field("answerable") == ""
    press("Control+Shift+z")
    assert seat.field("answerable") == "yes"


@pytest.mark.soak
def test_yes_and_no_have_keys_of_their_own(judge: WorkPage) -> None:
    seat = judge(options={"yes_no": True})
    press = seat.page.keyboard.press
    press("Shift+Y")
    assert seat.field("answerable") == ""
    press("y")
    press("Shift+N")
    assert (seat.field("answerable"), seat.field("kind")) == ("yes", "no")
    press("j")
    press("x")
    seat.submit()
    assert (told(seat)["kind"], told(seat)["answerable"]) == ("no", True)


@pytest.mark.soak
def test_a_draft_with_only_the_first_decision_comes_back(judge: WorkPage) -> None:
    seat = judge()
    seat.page.keyboard.press("y")
    seat.wait_saved()
    seat.open()
    expect(seat.page.locator(ABLE)).to_be_checked()
    expect(seat.page.locator("#answer-text")).to_be_visible()
    seat.page.keyboard.press("n")
    seat.wait_saved()
    assert seat.draft()["draft"]["answerable"] is False
    seat.open()
    expect(seat.page.locator(NOT_ABLE)).to_be_checked()
    assert not seat.page.locator("[data-notice]:visible").count()


@pytest.mark.soak
def test_what_is_missing_is_said_where_it_is_missing(judge: WorkPage) -> None:
    seat = judge()
    seat.page.keyboard.press("Control+Enter")
    expect(seat.page.locator("#problems")).to_contain_text("Say whether the question is answerable")
    seat.page.keyboard.press("y")
    seat.page.keyboard.press("Control+Enter")
    expect(seat.page.locator("#problems")).to_contain_text("Give an answer")
    assert seat.answers() == []


def test_a_phone_judges_and_answers_by_taps(judge: WorkPage) -> None:
    seat = judge("demo", sample=2, page=PHONE)
    able = seat.page.locator("#control-answerable label").first
    assert able.evaluate(IN_REACH)
    able.tap()
    position = touch_select(seat, seat.texts()[2].split(". ")[0])
    assert overflow(seat.page) == 0
    tick = seat.page.locator(f"#support-{position}")
    tick.scroll_into_view_if_needed()
    tick.tap()
    expect(seat.page.locator("#missing")).to_have_text("Ready to submit")
    with seat.page.expect_navigation():
        seat.page.locator("button[form=work]").tap()
    seat.page.locator("#control-answerable label").last.tap()
    with seat.page.expect_navigation():
        seat.page.locator("button[form=work]").tap()
    assert [row["answer"]["answerable"] for row in seat.answers()] == [True, False]


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_everything_is_in_reach_on_a_small_screen(judge: WorkPage, screen: dict[str, Any]) -> None:
    seat = judge("yesno", options={"yes_no": True}, page=screen)
    for choice in seat.page.locator("#control-answerable label").all():
        assert choice.evaluate(IN_REACH)
    seat.page.keyboard.press("y")
    assert overflow(seat.page) == 0
    for control in ("#answer-text", "#control-answerable label >> nth=1", "#control-text label >> nth=2"):
        assert seat.page.locator(control).evaluate(IN_REACH), control
    seat.page.locator("button[form=work]").scroll_into_view_if_needed()
    assert seat.page.locator("button[form=work]").evaluate(IN_REACH)


def test_it_needs_no_scripts(judge: WorkPage) -> None:
    seat = judge("yesno", page=OFF)
    submit = seat.page.get_by_role("button", name="Submit")
    submit.click()
    expect(seat.page.locator("#problems")).to_contain_text("Say whether the question is answerable")
    seat.page.locator(ABLE).check()
    seat.page.get_by_label("Answer in words").fill("larch")
    seat.page.locator("#support-0").check()
    submit.click()
    expect(seat.page.locator("main")).to_contain_text("No HITs for you here at the moment")
    assert (told(seat)["answerable"], told(seat)["text"]) == (True, "larch")


@pytest.mark.soak
@pytest.mark.parametrize("key", ["", "y", "n"])
def test_no_rule_of_axe_is_broken(judge: WorkPage, key: str) -> None:
    seat = judge(options={"yes_no": True})
    if key:
        seat.page.keyboard.press(key)
    assert not broken(seat.page)
