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


def told(worker: Desk) -> dict[str, Any]:
    return dict(worker.answers()[-1]["answer"])


@pytest.mark.soak
def test_what_is_not_answerable_takes_one_key_and_submit(judge: WorkPage) -> None:
    worker = judge()
    expect(worker.page.locator("#missing")).to_contain_text("whether it is answerable")
    worker.page.keyboard.press("n")
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    expect(worker.page.locator("#answer-text")).to_be_hidden()
    worker.submit()
    assert (told(worker)["answerable"], told(worker)["kind"], told(worker)["support"]) == (False, "none", [])


def test_a_batch_is_judged_and_answered_by_keyboard_alone(judge: WorkPage) -> None:
    worker = judge("demo", sample=2)
    press = worker.page.keyboard.press
    for key in "yn":
        expect(worker.page.locator("#answer-text")).to_be_hidden()
        press("j")
        press(key)
        if key == "y":
            expect(worker.page.locator("#answer-text")).to_be_visible()
            for each in ("v", "Shift+ArrowRight", "a", "x"):
                press(each)
        expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
        worker.submit()
    first, second = (row["answer"] for row in worker.answers())
    assert first["answerable"] is True
    assert first["kind"] == "span"
    assert first["support"] == [first["paragraph"]]
    assert second["answerable"] is False
    assert worker.is_done()


@pytest.mark.soak
def test_words_cannot_become_the_answer_before_there_is_one(judge: WorkPage) -> None:
    worker = judge()
    for keys in (("v", "a"), ("n", "v", "a")):
        for key in keys:
            worker.page.keyboard.press(key)
        assert worker.field("text") == ""
        assert worker.marked() == ""
    expect(worker.page.locator("#voice")).to_contain_text("First choose “Answerable”")


@pytest.mark.soak
def test_going_back_and_forth_loses_nothing_and_can_be_undone(judge: WorkPage) -> None:
    worker = judge()
    press = worker.page.keyboard.press
    press("y")
    worker.select("larch")
    press("n")
    assert worker.marked() == ""
    press("y")
    assert worker.answer() == worker.marked() == "larch"
    press("Control+z")
    expect(worker.page.locator(NOT_ABLE)).to_be_checked()
    press("Control+z")
    press("Control+z")
    assert (worker.field("answerable"), worker.answer()) == ("yes", "")
    press("Control+z")
    assert worker.field("answerable") == ""
    press("Control+Shift+z")
    assert worker.field("answerable") == "yes"


@pytest.mark.soak
def test_yes_and_no_have_keys_of_their_own(judge: WorkPage) -> None:
    worker = judge(options={"yes_no": True})
    press = worker.page.keyboard.press
    press("Shift+Y")
    assert worker.field("answerable") == ""
    press("y")
    press("Shift+N")
    assert (worker.field("answerable"), worker.field("kind")) == ("yes", "no")
    press("j")
    press("x")
    worker.submit()
    assert (told(worker)["kind"], told(worker)["answerable"]) == ("no", True)


@pytest.mark.soak
def test_a_draft_with_only_the_first_decision_comes_back(judge: WorkPage) -> None:
    worker = judge()
    worker.page.keyboard.press("y")
    worker.save()
    worker.open()
    expect(worker.page.locator(ABLE)).to_be_checked()
    expect(worker.page.locator("#answer-text")).to_be_visible()
    worker.page.keyboard.press("n")
    worker.save()
    assert worker.draft()["draft"]["answerable"] is False
    worker.open()
    expect(worker.page.locator(NOT_ABLE)).to_be_checked()
    assert not worker.page.locator("[data-notice]:visible").count()


@pytest.mark.soak
def test_what_is_missing_is_said_where_it_is_missing(judge: WorkPage) -> None:
    worker = judge()
    worker.page.keyboard.press("Control+Enter")
    expect(worker.page.locator("#problems")).to_contain_text("Say whether the question is answerable")
    worker.page.keyboard.press("y")
    worker.page.keyboard.press("Control+Enter")
    expect(worker.page.locator("#problems")).to_contain_text("Give an answer")
    assert worker.answers() == []


@pytest.mark.soak
def test_a_phone_judges_and_answers_by_taps(judge: WorkPage) -> None:
    worker = judge("demo", sample=2, page=PHONE)
    able = worker.page.locator("#control-answerable label").first
    assert able.evaluate(IN_REACH)
    able.tap()
    position = touch_select(worker, worker.texts()[2].split(". ")[0])
    assert overflow(worker.page) == 0
    tick = worker.page.locator(f"#support-{position}")
    tick.scroll_into_view_if_needed()
    tick.tap()
    expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
    with worker.page.expect_navigation():
        worker.page.locator("button[form=work]").tap()
    worker.page.locator("#control-answerable label").last.tap()
    with worker.page.expect_navigation():
        worker.page.locator("button[form=work]").tap()
    assert [row["answer"]["answerable"] for row in worker.answers()] == [True, False]


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_everything_is_in_reach_on_a_small_screen(judge: WorkPage, screen: dict[str, Any]) -> None:
    worker = judge("yesno", options={"yes_no": True}, page=screen)
    for choice in worker.page.locator("#control-answerable label").all():
        assert choice.evaluate(IN_REACH)
    worker.page.keyboard.press("y")
    assert overflow(worker.page) == 0
    for control in ("#answer-text", "#control-answerable label >> nth=1", "#control-text label >> nth=2"):
        assert worker.page.locator(control).evaluate(IN_REACH), control
    worker.page.locator("button[form=work]").scroll_into_view_if_needed()
    assert worker.page.locator("button[form=work]").evaluate(IN_REACH)


@pytest.mark.soak
def test_it_needs_no_scripts(judge: WorkPage) -> None:
    worker = judge("yesno", page=OFF)
    submit = worker.page.get_by_role("button", name="Submit")
    submit.click()
    expect(worker.page.locator("#problems")).to_contain_text("Say whether the question is answerable")
    worker.page.locator(ABLE).check()
    worker.page.get_by_label("Answer in words").fill("larch")
    worker.page.locator("#support-0").check()
    submit.click()
    expect(worker.page.locator("main")).to_contain_text("Nothing is left to do here")
    assert (told(worker)["answerable"], told(worker)["text"]) == (True, "larch")


@pytest.mark.soak
@pytest.mark.parametrize("key", ["", "y", "n"])
def test_no_rule_of_axe_is_broken(judge: WorkPage, key: str) -> None:
    worker = judge(options={"yes_no": True})
    if key:
        worker.page.keyboard.press(key)
    assert not broken(worker.page)
