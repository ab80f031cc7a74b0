"""Spans in any script: what the server stores is what Python cuts out of the text at the same place."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import SELECT, Desk, units
from tests.browser.records import NASTY

WorkPage = Callable[..., Desk]
SPACES = (  # what JavaScript calls white space
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)

# Selects each [position, start, end] (UTF-16) in turn, and submits what the form then holds as one more revision.
ROUND = (
    """async ([trials, support]) => {
  const choose = """
    + SELECT
    + """;
  const form = document.getElementById("work");
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  const token = /csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? form.elements.csrfmiddlewaretoken.value;
  const headers = {"X-CSRFToken": token};
  const statuses = [];
  for (const [k, trial] of trials.entries()) {
    for (const _ of ["whole words", "as drawn"]) {
      choose(trial);
      document.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
      await settled();
      await settled();
    }
    const body = new URLSearchParams(new FormData(form));
    body.set("key", `${k}.trial`);
    body.append("support", support);
    const reply = await fetch(form.action, {method: "POST", body, headers, redirect: "manual"});
    statuses.push(reply.type === "opaqueredirect" ? 303 : reply.status);
  }
  return statuses;
}"""
)


def trials_of(texts: list[str], rng: Random, *, count: int) -> list[tuple[int, int, int]]:
    """(shown position, start, end) in UTF-16 units, also between the halves of a code point; never blank."""
    chosen: list[tuple[int, int, int]] = []
    while len(chosen) < count:
        position = rng.randrange(len(texts))
        size = units(texts[position], len(texts[position]))
        start, end = sorted(rng.sample(range(size + 1), 2))
        end = min(end, start + rng.choice([1, 2, 5, 30, size]))
        if expected(texts[position], start, end):
            chosen.append((position, start, end))
    return chosen


def expected(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The code points that UTF-16 [start, end) touches, without white space at the ends; None for nothing else."""
    edges = [units(text, k) for k in range(len(text) + 1)]
    first = max(k for k, edge in enumerate(edges) if edge <= start)
    last = min(k for k, edge in enumerate(edges) if edge >= end)
    while first < last and text[first] in SPACES:
        first += 1
    while last > first and text[last - 1] in SPACES:
        last -= 1
    return (first, last) if first < last else None


def go_round(desk: WorkPage, rng: Random, *, pages: int, each: int) -> int:
    """Compare `each` selections on each of so many pages; returns how many were compared."""
    compared = 0
    for _ in range(pages):
        worker = desk("nasty", sample=1, options={"support": True})
        texts = worker.texts()
        assert sorted(texts) == sorted(NASTY.values())
        trials = trials_of(texts, rng, count=each)
        statuses = worker.page.evaluate(ROUND, [[list(trial) for trial in trials], "0"])
        assert set(statuses) == {303}
        for trial, row in zip(trials, worker.answers(), strict=True):
            position, start, end = trial
            first, last = expected(texts[position], start, end) or (0, 0)
            answer = row["answer"]
            where = texts.index(row["texts"][answer["paragraph"]])
            assert (answer["kind"], where, answer["start"], answer["end"]) == ("span", position, first, last), trial
            assert answer["text"] == texts[position][first:last]
            compared += 1
    return compared


def test_random_selections_are_stored_as_python_cuts_them(desk: WorkPage) -> None:
    assert go_round(desk, Random(17), pages=1, each=60) == 60


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(18, 28))  # together they take longer than the watchdog waits for a browser
def test_five_thousand_random_selections_are_stored_as_python_cuts_them(desk: WorkPage, seed: int) -> None:
    assert go_round(desk, Random(seed), pages=2, each=250) == 500


@pytest.mark.parametrize(
    "words",
    [
        "👨‍👩‍👧‍👦 waved the flags",
        "🇳🇴🇸🇪",
        "Cafe\u0301 in",
        "श्रीमती ज्योत्स्ना",
        "𝔽-algebra with 𝛼",
        "Grey Petrel",
        "an &amp; entity",
    ],
)
def test_a_real_mouse_takes_what_it_is_drawn_over(desk: WorkPage, words: str) -> None:
    worker = desk("nasty", sample=1)
    position = worker.drag_over(words)
    worker.page.wait_for_function("() => document.getElementById('answer-text').value")
    shown = worker.page.evaluate("() => document.getSelection().toString()")
    worker.tick(position)
    worker.submit()
    row = worker.answers()[0]
    answer = row["answer"]
    assert answer["text"] == words == shown
    assert answer["text"] == row["texts"][answer["paragraph"]][answer["start"] : answer["end"]]


def test_a_mouse_that_misses_a_letter_takes_the_word_and_then_a_part_of_it(desk: WorkPage) -> None:
    worker = desk("nasty", sample=1)
    text = worker.page.locator("#answer-text")
    worker.drag_over("rey Pe")
    expect(text).to_have_value("Grey Petrel")
    worker.drag_over("rey")
    expect(text).to_have_value("rey")


@pytest.mark.soak
@pytest.mark.parametrize("word", ["الرَّبّانُ", "הגיעה"])
def test_a_double_click_takes_a_word_that_runs_from_right_to_left(desk: WorkPage, word: str) -> None:
    worker = desk("nasty", sample=1)
    position, start, end = worker.place_of(word)
    text = worker.texts()[position]
    worker.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
    box: Any = worker.page.evaluate(
        """() => {
          const range = document.getSelection().getRangeAt(0);
          range.startContainer.parentElement.scrollIntoView({block: "center"});
          const box = range.getBoundingClientRect();
          document.getSelection().removeAllRanges();
          return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        }"""
    )
    worker.page.mouse.dblclick(*box)
    worker.page.wait_for_function("() => document.getElementById('answer-text').value")
    worker.tick(position)
    worker.submit()
    row = worker.answers()[0]
    answer = row["answer"]
    assert answer["text"] == row["texts"][answer["paragraph"]][answer["start"] : answer["end"]]
    assert answer["text"] in {word, word.rstrip("\u200f\u200e")}


def test_keyboard_words_in_every_script_are_stored_exactly(desk: WorkPage) -> None:
    worker = desk("nasty", sample=4)
    for k in range(4):
        for _ in range(2 * k + 1):
            worker.page.keyboard.press("j")
        for key in ("v", "ArrowRight", "Shift+ArrowRight", "a", "x"):
            worker.page.keyboard.press(key)
        worker.submit()
    for row in worker.answers():
        answer = row["answer"]
        assert answer["text"] == row["texts"][answer["paragraph"]][answer["start"] : answer["end"]]
        assert answer["text"].strip() == answer["text"] != ""
    assert len(worker.answers()) == 4
