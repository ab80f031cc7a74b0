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


def judge_all(worker: Desk) -> None:
    for _ in range(worker.page.locator(".bridge").count()):
        worker.page.keyboard.press("y")
    expect(worker.page.locator("#question")).to_be_focused()


def seen(worker: Desk, text: str) -> None:
    expect(worker.page.locator(".findings")).to_have_attribute("data-question", text)


def paste(worker: Desk, text: str) -> None:
    """From the clipboard, as a person would."""
    worker.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    worker.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    worker.page.keyboard.press("Control+v")


def test_pasting_is_counted_and_said_and_moving_ones_own_words_is_not_pasting(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    paste(worker, "What did the captain of the Petrel 🚢 bring")
    page.keyboard.type(" to the town with the Tide Organ?")
    assert worker.field("pasted") == "42"
    expect(page.locator("#paste-note[data-told]")).to_contain_text("noted for the requester")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+x")
    page.keyboard.press("Control+v")
    assert worker.field("pasted") == "0"
    paste(worker, " So?")
    seen(worker, "What did the captain of the Petrel 🚢 bring to the town with the Tide Organ? So?")
    worker.submit()
    assert worker.answers()[0]["answer"]["pasted"] == pytest.approx(4 / 79, abs=0.001)


def test_where_pasting_is_off_nothing_is_pasted_and_that_is_said(compose: WorkPage) -> None:
    worker = compose(options={"paste": False})
    judge_all(worker)
    expect(worker.page.locator("#paste-note")).to_contain_text("pasting is disabled")
    paste(worker, "What did she bring?")
    expect(worker.page.locator("#voice")).to_contain_text("Pasting is disabled here")
    expect(worker.page.locator("#question")).to_have_value("")
    worker.page.keyboard.type("Typed, then")
    worker.page.keyboard.press("Control+a")
    worker.page.keyboard.press("Control+x")
    worker.page.keyboard.press("Control+v")
    expect(worker.page.locator("#question")).to_have_value("Typed, then")


def test_an_item_is_composed_with_one_thumb(compose: WorkPage) -> None:
    worker = compose(page=PHONE)
    page = worker.page
    for _ in range(2):
        button = page.locator(".case:visible label").first
        assert button.evaluate(IN_REACH)
        button.tap()
    field = page.locator("#question")
    assert field.evaluate(IN_REACH)
    field.fill("What did the captain of the Petrel bring home?")
    seen(worker, "What did the captain of the Petrel bring home?")
    page.locator("#missing a").tap()
    page.locator("#override-hop_missing-2").fill("implied")
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    assert overflow(page) == 0
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    with page.expect_navigation():
        page.locator("button[form=work]").tap()
    assert worker.answers()[0]["answer"]["overrides"] == {"hop_missing-2": "implied"}


def test_an_item_is_put_aside_and_taken_back_with_one_thumb(compose: WorkPage) -> None:
    worker = compose(page=PHONE)
    page = worker.page
    page.locator(".case:visible label", has_text="Not the same").tap()
    undo = page.locator(".aside [data-undo]")
    assert undo.evaluate(IN_REACH)
    undo.tap()
    expect(page.locator("#compose[data-stage=judging]")).to_be_visible()
    page.locator(".case:visible label", has_text="Cannot tell").tap()
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    with page.expect_navigation():
        page.locator("button[form=work]").tap()
    assert worker.answers()[0]["answer"]["bridges"] == ["unsure", ""]


@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_texts_in_any_script_stay_inside_a_small_screen(compose: WorkPage, screen: dict[str, Any]) -> None:
    worker = compose("scripts", page=screen)
    page = worker.page
    assert overflow(page) == 0
    judge_all(worker)
    page.keyboard.type("W" * 120 + " 👩‍👩‍👧 مارا?")
    seen(worker, page.locator("#question").input_value())
    assert overflow(page) == 0


def test_both_mentions_are_in_sight_at_once_however_long_the_paragraphs_are(compose: WorkPage) -> None:
    page = compose("long").page
    for mention in page.locator(".case:visible .passage .hop").all():
        assert mention.evaluate(IN_REACH)
    assert page.locator(".judge:visible label").first.evaluate(IN_REACH)
    assert broken(page) == []


def test_controls_are_large_enough_for_a_thumb(compose: WorkPage) -> None:
    worker = compose(page=PHONE)
    measure = """all => all.map((element) => {
      const {width, height} = element.getBoundingClientRect();
      return [width, height, element.outerHTML.slice(0, 90)];
    })"""
    controls = "button:visible, input:visible, textarea:visible, .hop-card summary:visible"
    small = [each for each in worker.page.locator(controls).evaluate_all(measure) if min(each[:2]) < 24]
    judge_all(worker)
    small += [each for each in worker.page.locator(controls).evaluate_all(measure) if min(each[:2]) < 24]
    assert small == []


def test_nothing_moves_by_itself_while_one_judges_and_writes(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    page.evaluate(SHIFTS)
    judge_all(worker)
    page.wait_for_timeout(600)  # what moves soon after a key counts as caused by it
    field = page.locator("#question").bounding_box()
    for text in ("What", " did Mara Quell", " the captain of the Petrel bring to the town with the Tide Organ?"):
        page.keyboard.type(text)
        seen(worker, page.locator("#question").input_value())
        assert page.locator("#question").bounding_box() == field
    page.wait_for_timeout(600)  # in which something might still move
    assert page.evaluate("() => window.moved || 0") < 0.01


def test_an_item_is_composed_without_scripts(compose: WorkPage) -> None:
    worker = compose(page=OFF)
    page = worker.page
    assert page.locator(".needs-js:visible").count() == 0
    page.locator("input[name=bridge-1][value=same]").check()
    page.locator("input[name=bridge-2][value=same]").check()
    page.locator("#question").fill("What did the captain of the Petrel bring home?")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems")).to_be_visible()
    expect(page.locator("#question")).to_have_value("What did the captain of the Petrel bring home?")
    page.locator("#override-hop_missing-2").fill("implied")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: worker.person["assignment"] not in url)
    answer = worker.answers()[0]["answer"]
    assert (answer["bridges"], answer["overrides"]) == (["same", "same"], {"hop_missing-2": "implied"})


def test_an_item_is_put_aside_without_scripts(compose: WorkPage) -> None:
    worker = compose(page=OFF)
    page = worker.page
    page.locator("input[name=bridge-1][value=different]").check()
    page.locator("#why").fill("Two ships.")
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: worker.person["assignment"] not in url)
    assert worker.answers()[0]["answer"]["why"] == "Two ships."


@pytest.mark.parametrize("stage", ["judging", "aside", "writing", "examples"])
def test_every_stage_is_accessible(compose: WorkPage, stage: str) -> None:
    worker = compose()
    page = worker.page
    if stage == "aside":
        page.keyboard.press("n")
    if stage == "writing":
        judge_all(worker)
        page.keyboard.type("What did Mara Quell bring from the Petrel?")
        seen(worker, "What did Mara Quell bring from the Petrel?")
    if stage == "examples":
        page.keyboard.press("e")
    assert broken(page) == []


def test_the_page_is_accessible_in_any_script(compose: WorkPage) -> None:
    assert broken(compose("scripts").page) == []


def test_a_requester_reads_compositions_on_accessible_pages(
    compose: WorkPage, site: Site, visit: Callable[..., Any]
) -> None:
    worker = compose()
    judge_all(worker)
    worker.page.keyboard.type(GOOD)
    worker.submit()
    page = visit(site.ask("requester", batch=worker.person["batch"])["session"])
    page.goto(f"/projects/{worker.person['project']}/batches/study/hits/")
    page.locator("main table a").first.click()
    expect(page.locator(".composed").first).to_have_text(GOOD)
    assert broken(page) == []


def test_the_page_is_light(compose: WorkPage) -> None:
    worker = compose()
    weights = """() => [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")]
      .map((entry) => entry.encodedBodySize)"""
    worker.page.context.clear_cookies()
    assert sum(worker.page.evaluate(weights)) < 100_000
