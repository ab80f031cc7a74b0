"""Text size and line width of all pages of work at once, what a phone leaves out, and a quiet reminder of breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import rated
from tests.browser.desk import Desk
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
MINUTE = 60_000
SIZE = "() => parseFloat(getComputedStyle(document.documentElement).fontSize)"
WIDTH = "() => document.querySelector('#text-0 p').getBoundingClientRect().width"
WORKED = """([since, last]) => localStorage.setItem("hopscribe:work-since",
  JSON.stringify({since: Date.now() - since, last: Date.now() - last}))"""
DARK = {"color_scheme": "dark"}


def test_text_size_and_line_width_hold_in_the_next_item_and_in_another_task(desk: WorkPage) -> None:
    worker = desk("demo", sample=2, page={"viewport": {"width": 1280, "height": 900}})
    page = worker.page
    size, width = page.evaluate(SIZE), page.evaluate(WIDTH)
    page.keyboard.press("?")
    page.get_by_label("Text size").select_option("large")
    page.get_by_label("Line width").select_option("narrow")
    page.keyboard.press("Escape")
    expect(page.locator("#keys-box")).to_be_hidden()
    assert page.evaluate(SIZE) == pytest.approx(size * 1.15)
    assert page.evaluate(WIDTH) < width
    page.locator("#answer-text").fill(worker.texts()[0].split(". ")[0])
    worker.tick(0)
    worker.save()
    worker.submit()
    assert page.evaluate(SIZE) == pytest.approx(size * 1.15)
    page.keyboard.press("?")
    expect(page.get_by_label("Text size")).to_have_value("large")
    page.goto("/accounts/")
    assert page.evaluate(SIZE) == size
    page.get_by_label("Text size").select_option("normal")
    worker.open()
    assert page.evaluate(SIZE) == size


@pytest.mark.soak
@pytest.mark.parametrize("task", ["answer", "coreference"])
def test_very_large_text_fits_a_phone(desk: WorkPage, task: str) -> None:
    worker = desk("demo" if task == "answer" else "pairs", task=task, sample=1, page=PHONE)
    worker.page.get_by_role("button", name="Keys and settings").click()
    worker.page.get_by_label("Text size").select_option("very large")
    assert broken(worker.page) == []
    worker.page.keyboard.press("Escape")
    assert overflow(worker.page) == 0


def reminder(worker: Desk, *, since: int, last: int) -> Any:
    worker.page.evaluate(WORKED, [since * MINUTE, last * MINUTE])
    worker.page.reload()
    worker.page.wait_for_selector("#legend-keys > span", state="attached")
    return worker.notice("break")


@pytest.mark.soak
def test_after_fifty_minutes_a_line_reminds_of_a_break_until_it_is_dismissed(desk: WorkPage) -> None:
    worker = desk("yesno", page=DARK)
    expect(reminder(worker, since=51, last=0)).to_contain_text("50 minutes")
    assert broken(worker.page) == []
    worker.choose_in("break", "dismiss")
    worker.page.reload()
    worker.page.wait_for_selector("#legend-keys > span", state="attached")
    expect(worker.notice("break")).to_have_count(0)


@pytest.mark.soak
@pytest.mark.parametrize(("since", "last"), [(49, 0), (51, 6)])
def test_who_has_just_begun_or_made_a_pause_is_not_reminded(desk: WorkPage, since: int, last: int) -> None:
    expect(reminder(desk("yesno"), since=since, last=last)).to_have_count(0)


def test_nothing_is_offered_about_ticks_where_nothing_can_be_ticked(desk: WorkPage) -> None:
    page = desk("demo", sample=1, options={"support": False}).page
    assert page.locator("#pin, option[value=ticked], tr[data-action=pin]").count() == 0
    page.keyboard.press("F")  # the view is drawn all the same
    expect(page.locator("#fold-all")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(
    ("task", "kind", "options"),
    [
        ("answer", "yesno", {}),
        ("hops", "sub_questions", {"arm": "free"}),
        ("rate", "rated", {"rubric": rated.CHECK}),
    ],
)
def test_with_three_paragraphs_neither_tools_nor_their_keys_are_offered(
    desk: WorkPage, task: str, kind: str, options: dict[str, Any]
) -> None:
    page = desk(kind, task=task, options=options, sample=1).page
    for action in ("fold", "fold-all", "hide", "sort", "pin", "filter"):
        expect(page.locator(f"tr[data-action='{action}']")).to_have_count(0)
    expect(page.locator("[data-fold]:visible, [data-hide]:visible, #fold-all:visible")).to_have_count(0)
    expect(page.locator("#legend-keys")).to_contain_text("paragraph")
    page.keyboard.press("j")
    page.keyboard.press("f")
    expect(page.locator("[data-fold][aria-expanded=false]")).to_have_count(0)


def test_with_three_paragraphs_a_phone_has_no_tools_and_no_comma_begins_a_line(desk: WorkPage) -> None:
    page = desk("yesno", sample=1, page=PHONE).page
    expect(page.locator(".tools")).to_be_hidden()
    expect(page.locator("#missing")).to_have_text("Still missing: an answer, supporting paragraphs")
    expect(page.locator("#missing .nowrap").first).to_have_text("an answer,")
