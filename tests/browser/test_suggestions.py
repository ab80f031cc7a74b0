"""A suggested page is submitted by one key if it is untouched, and can be changed; a blind page has nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.browser.desk import Desk, nothing_sent, poll, settle

WorkPage = Callable[..., Desk]
MARK = "#suggested"


def judge(desk: WorkPage) -> Desk:
    return desk("two_paragraphs", task="sufficiency", assignments_per_hit=1, predicted={"verdict": "insufficient"})


def to_arm(worker: Desk, *, shown: bool) -> None:
    """Decide on items until one of this arm is there."""
    while bool(worker.page.locator(MARK).count()) is not shown:
        settle(worker.page)
        worker.submit("s")


def verdicts(worker: Desk, number: int) -> list[Any]:
    poll(worker.page, lambda: len(worker.answers()) >= number)
    return [row["answer"]["verdict"] for row in worker.answers()]


def test_one_key_submits_an_untouched_suggestion(desk: WorkPage) -> None:
    worker = judge(desk)
    to_arm(worker, shown=True)
    expect(worker.page.locator(MARK)).to_contain_text("A model suggested this answer.")
    expect(worker.page.locator("input[value=insufficient]")).to_be_checked()
    before = len(worker.answers())
    settle(worker.page)
    worker.submit("=")
    assert verdicts(worker, before + 1)[-1] == "insufficient"


def test_a_suggestion_can_be_changed(desk: WorkPage) -> None:
    worker = judge(desk)
    to_arm(worker, shown=True)
    before = len(worker.answers())
    settle(worker.page)
    worker.submit("s")
    assert verdicts(worker, before + 1)[-1] == "sufficient"


def test_a_blind_page_has_no_suggestion_and_the_key_does_nothing(desk: WorkPage) -> None:
    worker = judge(desk)
    to_arm(worker, shown=False)
    assert worker.page.locator("#work input:checked").count() == 0
    assert worker.page.locator("[data-action=accept-suggestion]").count() == 0
    settle(worker.page)
    with nothing_sent(worker.page, "/submit/"):
        worker.page.keyboard.press("=")


def test_an_edited_suggestion_is_not_submitted_as_unchanged(desk: WorkPage) -> None:
    worker = desk("demo", predicted={"kind": "text", "text": "Lum", "support": [0]}, assignments_per_hit=1)
    while not worker.page.locator(MARK).count():
        worker.select(worker.texts()[0].split(". ")[0])
        worker.tick(0)
        worker.save()
        worker.submit()
    expect(worker.page.locator("#answer-text")).to_have_value("Lum")
    worker.page.locator("#answer-text").fill("Larch")
    worker.save()
    worker.page.locator("#question").focus()
    with nothing_sent(worker.page, "/submit/"):
        worker.page.keyboard.press("=")
    worker.page.reload()
    expect(worker.page.locator("#answer-text")).to_have_value("Larch")
    expect(worker.page.locator(MARK)).to_be_visible()
