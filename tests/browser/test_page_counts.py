"""Where a batch counts pasting, its pages count text from elsewhere and time away; elsewhere they count nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]
ELSEWHERE = "As a language model I cannot know this"
PASTE = """([selector, text]) => {
  const field = document.querySelector(selector);
  field.focus();
  const data = new DataTransfer();
  data.setData("text/plain", text);
  field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
}"""
LEAVE = """(milliseconds) => {
  document.hasFocus = () => false;
  window.dispatchEvent(new Event("blur"));
  return new Promise((done) => setTimeout(() => {
    document.hasFocus = () => true;
    window.dispatchEvent(new Event("focus"));
    setTimeout(done, 50);
  }, milliseconds));
}"""


def paste(worker: Desk, text: str) -> None:
    """Paste as a person does: the event, then the text in the field."""
    worker.page.evaluate(PASTE, ["#answer-text", text])
    worker.page.keyboard.insert_text(text)


def counts(worker: Desk) -> Any:
    return worker.page.evaluate("() => JSON.parse(document.getElementById('work').elements.page_counts.value)")


def answered(worker: Desk) -> Any:
    """The counts that the server has once a right answer is submitted."""
    worker.page.locator("#answer-text").fill("")
    worker.select(worker.texts()[0].split(". ")[0])
    worker.tick(0)
    worker.save()
    worker.submit()
    return worker.answers()[-1]["page_counts"]


def test_text_from_elsewhere_is_counted_and_shown_text_is_not(desk: WorkPage) -> None:
    worker = desk("demo", counts_pasting=True)
    shown = worker.texts()[0].split(". ")[0]
    paste(worker, shown)
    assert counts(worker)["pasted"] == 0
    assert counts(worker)["entered"] == len(shown)
    paste(worker, ELSEWHERE)
    worker.page.keyboard.type("!!")
    assert counts(worker) == {
        "pasted": len(ELSEWHERE),
        "entered": len(shown) + len(ELSEWHERE) + 2,
        "away": 0,
        "away_seconds": 0,
    }
    assert ELSEWHERE not in worker.page.evaluate("() => document.getElementById('work').elements.page_counts.value")
    worker.page.reload()
    assert counts(worker)["pasted"] == len(ELSEWHERE)
    sent = answered(worker)
    assert sent["pasted"] == len(ELSEWHERE)
    assert worker.page.evaluate("() => Object.keys(localStorage).filter((name) => name.includes('counts:'))") == []


def test_only_leaving_the_page_for_more_than_five_seconds_is_counted(desk: WorkPage) -> None:
    worker = desk("demo", counts_pasting=True)
    worker.page.evaluate(LEAVE, 500)
    assert counts(worker)["away"] == 0
    worker.page.evaluate(LEAVE, 5600)
    sent = answered(worker)
    assert sent["away"] == 1
    assert 5 <= sent["away_seconds"] <= 8


def test_the_next_item_begins_at_nothing(desk: WorkPage) -> None:
    worker = desk("demo", counts_pasting=True, sample=3)
    paste(worker, ELSEWHERE)
    answered(worker)
    assert counts(worker)["pasted"] == 0


def test_a_batch_that_does_not_count_sends_nothing(desk: WorkPage) -> None:
    worker = desk("demo")
    paste(worker, ELSEWHERE)
    assert "page_counts" not in worker.fields()
    assert answered(worker) is None
    assert worker.page.evaluate("() => Object.keys(localStorage).filter((name) => name.includes('counts:'))") == []
