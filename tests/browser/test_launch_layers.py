"""The page of a new batch: what it shows at first, on a desk and on a phone, and that the first item follows it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.desk import held, poll
from tests.browser.site import Site

MOST_CONTROLS, MOST_WORDS = 25, 200
MOST_WITHOUT_DATA = 15  # controls, before any data is chosen
RUBRIC = {"show": ["question"], "criteria": [{"name": "clear", "ask": "Is it clear?", "choice": ["yes", "no"]}]}
SHOWN = """() => {
  const seen = (el) => el.checkVisibility({visibilityProperty: true}) && !el.closest(".unseen, #first-item");
  const controls = [...document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary)")]
    .filter((el) => seen(el) && el.type !== "hidden" && !el.disabled && !el.closest(".breadcrumbs, .glossary-link"));
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const {parentElement: parent, textContent} = walker.currentNode;
    if (!parent.closest("script, style, noscript, template, option, textarea") && seen(parent)) {
      words += textContent.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
    }
  }
  return [controls.length, words];
}"""

SETTLED = """() => {
  window.settled = new Promise((done) => addEventListener("htmx:afterSettle", () => done(true), {once: true}));
}"""


def bottom(page: Page, *places: str) -> float:
    """How far down the lowest of these ends, in pixels from the top of the page."""
    return max(page.locator(place).evaluate("(el) => el.getBoundingClientRect().bottom + scrollY") for place in places)


def open_new(site: Site, visit: Callable[..., Any], kind: str = "demo", **screen: Any) -> tuple[Page, dict[str, Any]]:
    made = site.batch(kind)
    page = visit(site.ask("requester", batch=made["batch"])["session"], **screen)
    page.goto(f"/projects/{made['project']}/batches/new/")
    page.locator("input[name=datasets]").first.check()
    expect(page.locator("#first-item iframe")).to_be_visible()
    return page, made


def test_the_first_layer_fits_one_screen(site: Site, visit: Callable[..., Any]) -> None:
    page, _made = open_new(site, visit, viewport={"width": 1280, "height": 800})
    controls, words = page.evaluate(SHOWN)
    assert controls <= MOST_CONTROLS
    assert words <= MOST_WORDS
    assert bottom(page, ".first-layer", "#more", "button[name=launch]") <= 800
    page.get_by_label("Paid work").check()
    expect(page.locator("#id_reward")).to_be_visible()
    assert bottom(page, ".first-layer") <= 800


def test_without_data_the_tasks_are_folded(site: Site, visit: Callable[..., Any]) -> None:
    made = site.batch("demo")
    page = visit(site.ask("requester", batch=made["batch"])["session"], viewport={"width": 1280, "height": 800})
    page.goto(f"/projects/{made['project']}/batches/new/")
    for chosen in page.locator("input[name=datasets]:checked").all():
        chosen.uncheck()
    expect(page.locator("#control-task")).to_contain_text("Choose from")
    expect(page.locator("input[name=task]").first).to_be_hidden()
    controls, words = page.evaluate(SHOWN)
    assert controls <= MOST_WITHOUT_DATA
    assert words <= MOST_WORDS
    page.locator("input[name=datasets]").first.check()
    expect(page.locator("input[name=task]").first).to_be_visible()
    expect(page.locator("#changed-settings")).to_contain_text("all as proposed")


def test_the_first_layer_fits_one_screen_before_there_is_a_rubric(site: Site, visit: Callable[..., Any]) -> None:
    page, _made = open_new(site, visit, "rated", viewport={"width": 1280, "height": 800})
    page.locator("input[name=task][value=rate]").check()
    expect(page.get_by_role("button", name="Add a criterion")).to_be_visible()
    assert page.evaluate(SHOWN)[0] <= MOST_CONTROLS
    assert bottom(page, ".first-layer", "#more", "button[name=launch]") <= 800


def test_the_first_layer_fits_two_screens_of_a_phone(site: Site, visit: Callable[..., Any]) -> None:
    page, _made = open_new(site, visit, viewport={"width": 390, "height": 844})
    assert bottom(page, ".first-layer", "#first-item", "#consequences", "button[name=launch]") <= 2 * 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_first_item_and_the_lines_follow_what_is_chosen(site: Site, visit: Callable[..., Any]) -> None:
    page, _made = open_new(site, visit)
    item = page.frame_locator("#first-item iframe")
    expect(item.locator("#answer-text")).to_be_visible()
    page.locator("input[name=task][value=rate]").check()
    expect(page.locator("#first-item iframe")).to_have_count(0)
    page.get_by_text("As text", exact=True).click()
    rubric = page.locator("#id_option-rubric")
    rubric.fill(json.dumps(RUBRIC))
    expect(item.get_by_text("Is it clear?").first).to_be_visible()
    expect(rubric).to_be_focused()
    page.locator("#more > summary").click()
    page.locator("#more-items > summary").click()
    page.get_by_label("Seed").fill("11")
    page.keyboard.press("Tab")
    expect(page.locator("#line-items")).to_contain_text("changed")
    expect(page.locator("#line-items")).to_contain_text("Seed: 11")
    expect(page.locator("#changed-settings")).to_contain_text("1 changed")


def test_instructions_are_not_changed_under_the_cursor(site: Site, visit: Callable[..., Any]) -> None:
    page, _made = open_new(site, visit)
    page.locator("#more > summary").click()
    page.locator("#more-instructions > summary").click()
    instructions = page.get_by_label("Instructions", exact=True)
    before = instructions.input_value()
    with held(page, "**/consequences/") as replies:
        page.locator("input[name=task]:not(:checked)").first.check()
        poll(page, lambda: replies)
        instructions.focus()
        page.evaluate(SETTLED)
    page.evaluate("() => window.settled")
    assert instructions.input_value() == before
    page.keyboard.press("Tab")
    expect(instructions).not_to_have_value(before)


def test_a_launch_leads_to_the_batch_and_its_first_step(site: Site, visit: Callable[..., Any]) -> None:
    page, made = open_new(site, visit)
    page.get_by_label("Title shown").fill("Straight there")
    page.get_by_role("button", name="Launch").click()
    page.wait_for_url("**/jobs/**")
    site.ask("work_off")
    page.wait_for_url(f"**/projects/{made['project']}/batches/straight-there/")
    expect(page.locator("main")).to_contain_text("Your batch is live")
