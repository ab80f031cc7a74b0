"""Composing on a phone, by paste, without scripts, with texts in any script, and for those who see it otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.site import Site
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import IN_REACH, PHONE, REFLOW, ZOOMED, overflow

WorkPage = Callable[..., Desk]
GOOD = "What did the captain of the Petrel bring to the town with the Tide Organ?"
OFF = {"java_script_enabled": False}
SHIFTS = """() => new Promise((done) => {
  new PerformanceObserver((list) => { window.moved = (window.moved || 0)
    + list.getEntries().filter((e) => !e.hadRecentInput).reduce((sum, e) => sum + e.value, 0); })
    .observe({type: "layout-shift", buffered: true});
  setTimeout(done, 100);
})"""


@pytest.fixture
def compose(desk: WorkPage) -> WorkPage:
    return lambda kind="strands", **more: desk(kind, task="compose", **more)


def judge_all(seat: Desk) -> None:
    for _ in range(seat.page.locator(".bridge").count()):
        seat.page.keyboard.press("y")
    expect(seat.page.locator("#question")).to_be_focused()


def seen(seat: Desk, text: str) -> None:
    expect(seat.page.locator(".findings")).to_have_attribute("data-question", text)


def paste(seat: Desk, text: str) -> None:
    """From the clipboard, as a person would."""
    seat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    seat.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    seat.page.keyboard.press("Control+v")


def test_pasting_is_counted_and_said_and_moving_ones_own_words_is_not_pasting(compose: WorkPage) -> None:
    seat = compose()
    page = seat.page
    judge_all(seat)
    paste(seat, "What did the captain of the Petrel 🚢 bring")
    page.keyboard.type(" to the town with the Tide Organ?")
    assert seat.field("pasted") == "42"
    expect(page.locator("#paste-note[data-told]")).to_contain_text("noted for the requester")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+x")
    page.keyboard.press("Control+v")
    assert seat.field("pasted") == "0"
    paste(seat, " So?")
    seen(seat, "What did the captain of the Petrel 🚢 bring to the town with the Tide Organ? So?")
    seat.submit()
    assert seat.answers()[0]["answer"]["pasted"] == pytest.approx(4 / 79, abs=0.001)


def test_where_pasting_is_off_nothing_is_pasted_and_that_is_said(compose: WorkPage) -> None:
    seat = compose(options={"paste": False})
    judge_all(seat)
    expect(seat.page.locator("#paste-note")).to_contain_text("pasting is disabled")
    paste(seat, "What did she bring?")
    expect(seat.page.locator("#voice")).to_contain_text("Pasting is disabled here")
    expect(seat.page.locator("#question")).to_have_value("")
    seat.page.keyboard.type("Typed, then")
    seat.page.keyboard.press("Control+a")
    seat.page.keyboard.press("Control+x")
    seat.page.keyboard.press("Control+v")
    expect(seat.page.locator("#question")).to_have_value("Typed, then")


def test_an_item_is_composed_with_one_thumb(compose: WorkPage) -> None:
    seat = compose(page=PHONE)
    page = seat.page
    for _ in range(2):
        button = page.locator(".case:visible label").first
        assert button.evaluate(IN_REACH)
        button.tap()
    field = page.locator("#question")
    assert field.evaluate(IN_REACH)
    field.fill("What did the captain of the Petrel bring home?")
    seen(seat, "What did the captain of the Petrel bring home?")
    page.locator("#missing a").tap()
    page.locator("#override-hop_missing-2").fill("implied")
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    assert overflow(page) == 0
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    with page.expect_navigation():
        page.locator("button[form=work]").tap()
    assert seat.answers()[0]["answer"]["overrides"] == {"hop_missing-2": "implied"}


def test_an_item_is_put_aside_and_taken_back_with_one_thumb(compose: WorkPage) -> None:
    seat = compose(page=PHONE)
    page = seat.page
    page.locator(".case:visible label", has_text="Not the same").tap()
    undo = page.locator(".aside [data-undo]")
    assert undo.evaluate(IN_REACH)
    undo.tap()
    expect(page.locator("#compose[data-stage=judging]")).to_be_visible()
    page.locator(".case:visible label", has_text="Cannot tell").tap()
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    with page.expect_navigation():
        page.locator("button[form=work]").tap()
    assert seat.answers()[0]["answer"]["bridges"] == ["unsure", ""]


@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_texts_in_any_script_stay_inside_a_small_screen(compose: WorkPage, screen: dict[str, Any]) -> None:
    seat = compose("scripts", page=screen)
    page = seat.page
    assert overflow(page) == 0
    judge_all(seat)
    page.keyboard.type("W" * 120 + " 👩‍👩‍👧 مارا?")
    seen(seat, page.locator("#question").input_value())
    assert overflow(page) == 0


def test_both_mentions_are_in_sight_at_once_however_long_the_paragraphs_are(compose: WorkPage) -> None:
    page = compose("long").page
    for mention in page.locator(".case:visible .passage .hop").all():
        assert mention.evaluate(IN_REACH)
    assert page.locator(".judge:visible label").first.evaluate(IN_REACH)
    assert broken(page) == []


def test_controls_are_large_enough_for_a_thumb(compose: WorkPage) -> None:
    seat = compose(page=PHONE)
    measure = """all => all.map((element) => {
      const {width, height} = element.getBoundingClientRect();
      return [width, height, element.outerHTML.slice(0, 90)];
    })"""
    controls = "button:visible, input:visible, textarea:visible, .hop-card summary:visible"
    small = [each for each in seat.page.locator(controls).evaluate_all(measure) if min(each[:2]) < 24]
    judge_all(seat)
    small += [each for each in seat.page.locator(controls).evaluate_all(measure) if min(each[:2]) < 24]
    assert small == []


def test_nothing_moves_by_itself_while_one_judges_and_writes(compose: WorkPage) -> None:
    seat = compose()
    page = seat.page
    page.evaluate(SHIFTS)
    judge_all(seat)
    page.wait_for_timeout(600)  # what moves soon after a key counts as caused by it
    field = page.locator("#question").bounding_box()
    for text in ("What", " did Mara Quell", " the captain of the Petrel bring to the town with the Tide Organ?"):
        page.keyboard.type(text)
        seen(seat, page.locator("#question").input_value())
        assert page.locator("#question").bounding_box() == field
    page.wait_for_timeout(600)
    assert page.evaluate("() => window.moved || 0") < 0.01


def test_an_item_is_composed_without_scripts(compose: WorkPage) -> None:
    seat = compose(page=OFF)
    page = seat.page
    assert page.locator(".needs-js:visible").count() == 0
    page.locator("input[name=bridge-1][value=same]").check()
    page.locator("input[name=bridge-2][value=same]").check()
    page.locator("#question").fill("What did the captain of the Petrel bring home?")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems")).to_be_visible()
    expect(page.locator("#question")).to_have_value("What did the captain of the Petrel bring home?")
    page.locator("#override-hop_missing-2").fill("implied")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: seat.person["assignment"] not in url)
    answer = seat.answers()[0]["answer"]
    assert (answer["bridges"], answer["overrides"]) == (["same", "same"], {"hop_missing-2": "implied"})


def test_an_item_is_put_aside_without_scripts(compose: WorkPage) -> None:
    seat = compose(page=OFF)
    page = seat.page
    page.locator("input[name=bridge-1][value=different]").check()
    page.locator("#why").fill("Two ships.")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: seat.person["assignment"] not in url)
    assert seat.answers()[0]["answer"]["why"] == "Two ships."


@pytest.mark.parametrize("stage", ["judging", "aside", "writing", "examples"])
def test_every_stage_is_accessible(compose: WorkPage, stage: str) -> None:
    seat = compose()
    page = seat.page
    if stage == "aside":
        page.keyboard.press("n")
    if stage == "writing":
        judge_all(seat)
        page.keyboard.type("What did Mara Quell bring from the Petrel?")
        seen(seat, "What did Mara Quell bring from the Petrel?")
    if stage == "examples":
        page.keyboard.press("e")
    assert broken(page) == []


def test_the_page_is_accessible_in_any_script(compose: WorkPage) -> None:
    assert broken(compose("scripts").page) == []


def test_a_requester_reads_compositions_on_accessible_pages(
    compose: WorkPage, site: Site, visit: Callable[..., Any]
) -> None:
    seat = compose()
    judge_all(seat)
    seat.page.keyboard.type(GOOD)
    seat.submit()
    page = visit(site.ask("requester", batch=seat.person["batch"])["session"])
    page.goto(f"/projects/{seat.person['project']}/batches/study/hits/")
    page.locator("main table a").first.click()
    expect(page.locator(".composed").first).to_have_text(GOOD)
    assert broken(page) == []


def test_the_page_is_light(compose: WorkPage) -> None:
    seat = compose()
    weights = """() => [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")]
      .map((entry) => entry.encodedBodySize)"""
    seat.page.context.clear_cookies()
    assert sum(seat.page.evaluate(weights)) < 100_000
