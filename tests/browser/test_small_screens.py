"""A phone in one hand, a zoomed window: everything fits, everything is in reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import SELECT, Desk, units

WorkPage = Callable[..., Desk]
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}  # 1280 x 800 at 200 %
REFLOW = {"viewport": {"width": 320, "height": 512}, "device_scale_factor": 2}  # 1280 x 2048 at 400 %

# Whether the middle of an element is inside the window and not under something else.
IN_REACH = """(element) => {
  const {left, right, top, bottom} = element.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const there = document.elementFromPoint(x, y);
  return x > 0 && y > 0 && x < innerWidth && y < innerHeight && (element === there || element.contains(there));
}"""


def overflow(page: Any) -> int:
    """CSS pixels by which the page is wider than its window."""
    return int(page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def touch_select(worker: Desk, words: str) -> int:
    """Select as a finger does: the selection stands, and no mouse button is ever let go."""
    worker.page.locator("#paragraphs").dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    position, start, end = worker.place_of(words)
    text = worker.texts()[position]
    worker.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
    expect(worker.page.locator("#answer-text")).to_have_value(words)
    return position


def test_an_assignment_is_finished_with_taps_only(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, page=PHONE)
    for _ in range(2):
        words = worker.texts()[2].split(". ")[0]
        position = touch_select(worker, words)
        assert overflow(worker.page) == 0
        assert worker.page.locator("button[form=work]").evaluate(IN_REACH)
        tick = worker.page.locator(f"#support-{position}")
        tick.scroll_into_view_if_needed()
        tick.tap()
        expect(tick).to_be_checked()
        expect(worker.page.locator("#missing")).to_have_text("Ready to submit")
        with worker.page.expect_navigation():
            worker.page.locator("button[form=work]").tap()
    assert worker.is_done()
    assert len(worker.answers()) == 2


@pytest.mark.parametrize("screen", [PHONE, ZOOMED, REFLOW], ids=["phone", "zoom 200 %", "zoom 400 %"])
def test_nothing_is_lost_on_a_small_screen(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("demo", sample=1, page=screen)
    page = worker.page
    assert overflow(page) == 0
    for control in ("#question", "#answer-text", "#search", "#sort", "#filter", "#pin", "#fold-all"):
        page.locator(control).scroll_into_view_if_needed()
        expect(page.locator(control)).to_be_visible()
    for last in ("#text-9", "#paragraph-0 [data-fold]", "#paragraph-9 [data-hide]"):
        page.locator(last).evaluate("(element) => element.scrollIntoView({block: 'center'})")
        expect(page.locator(last)).to_be_in_viewport()
    page.locator("button[form=work]").scroll_into_view_if_needed()
    assert page.locator("button[form=work]").evaluate(IN_REACH)
    for box in ("keys-box", "instructions-box", "return-box", "problem-report-box"):
        page.locator(f"[popovertarget={box}]").first.click()
        expect(page.locator(f"#{box}")).to_be_in_viewport()
        assert overflow(page) == 0
        page.locator(f"#{box} [popovertargetaction=hide]").click()


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, ZOOMED], ids=["phone", "zoom 200 %"])
def test_what_has_the_focus_is_not_covered_by_the_bars(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("demo", sample=1, page=screen)
    for _ in range(6):
        worker.page.keyboard.press("j")
        worker.page.keyboard.press("Tab")
        assert worker.page.evaluate(
            f"() => ({IN_REACH})(document.activeElement.closest('label') ?? document.activeElement)"
        )


@pytest.mark.soak
@pytest.mark.parametrize("screen", [PHONE, REFLOW], ids=["phone", "zoom 400 %"])
def test_texts_in_any_script_and_long_words_stay_inside(desk: WorkPage, screen: dict[str, Any]) -> None:
    worker = desk("nasty", sample=1, page=screen)
    assert overflow(worker.page) == 0
    worker.page.locator("#answer-text").fill("W" * 300)
    worker.tick(0)
    assert overflow(worker.page) == 0


def test_controls_are_large_enough_for_a_thumb(desk: WorkPage) -> None:
    worker = desk("demo", sample=1, page=PHONE)
    sizes = worker.page.locator(
        "button:visible, select:visible, input:visible:not([type=checkbox]), label.tick:visible"
    ).evaluate_all(
        """all => all.map((element) => {
          const {width, height} = element.getBoundingClientRect();
          return [width, height, element.outerHTML.slice(0, 90)];
        })"""
    )
    assert [each for each in sizes if each[0] < 24 or each[1] < 24] == []


@pytest.mark.soak
def test_the_page_that_is_open_is_in_sight_among_its_mates(visit: Any, furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["bob"], **PHONE)
    for path in ("/work/earnings/", "/work/messages/"):
        page.goto(path)
        assert page.locator(".tabs [aria-current]").evaluate(IN_REACH)
