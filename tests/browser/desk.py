"""An annotator before the answer page: what they see and what they do, in the words of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from tests.browser.site import Site
from tests.waiting import until

# Selects [start, end) (UTF-16 units) of a paragraph's text as a person would, and lets go of the mouse.
SELECT = """([position, start, end]) => {
  const walker = document.createTreeWalker(document.querySelector(`#text-${position}`), NodeFilter.SHOW_TEXT);
  const ends = [];
  let at = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.closest("[data-piece]")) continue;
    for (const [k, unit] of [start, end].entries()) {
      if (!ends[k] && (k ? unit <= at + node.length : unit < at + node.length)) ends[k] = [node, unit - at];
    }
    at += node.length;
  }
  document.getSelection().setBaseAndExtent(...ends[0], ...ends[1]);
}"""
FIELDS = "() => new URLSearchParams(new FormData(document.getElementById('work'))).toString()"
TEXTS = """() => [...document.querySelectorAll("#paragraphs > [data-paragraph]")]
  .sort((a, b) => a.dataset.paragraph - b.dataset.paragraph)
  .map((item) => [...item.querySelectorAll("[data-text] [data-piece]")].map((piece) => piece.textContent).join(""))"""

# Whether what is shown has been there long enough to be decided on (static/js/press_guard.js).
TAKES_DECISIONS = """() => {
  const [shown] = performance.getEntriesByName("shown");
  return shown && performance.now() - shown.startTime > 260;
}"""

# Promises that what a search for the query found is on the page.
SETTLED = """(query) => {
  window.settled = new Promise((done) => document.addEventListener("htmx:afterSettle", ({detail}) => {
    if (detail.requestConfig.parameters.q === query) done();
  }));
}"""


def settle(page: Any) -> None:
    """Wait until the page takes a decision, as somebody who has read it."""
    page.wait_for_function(TAKES_DECISIONS, polling=20)  # by default it waits for frames, which may not come


def poll(page: Any, happened: Callable[[], Any]) -> Any:
    """Wait for the first true value of `happened`, while routes and events of the page are handled."""
    return until(happened, pause=lambda seconds: page.wait_for_timeout(1000 * seconds))  # which handles them


@contextmanager
def held(page: Any, address: str) -> Iterator[list[Any]]:
    """Requests to the address wait until the end of the block; gives those that do."""
    waiting: list[Any] = []
    page.route(address, lambda route: waiting.append(route))
    yield waiting
    for route in waiting:
        route.continue_()
    page.unroute(address)


@contextmanager
def nothing_sent(page: Any, address: str = "") -> Iterator[None]:
    """What happens in the block loads no page, nor asks for an address that has these words.

    A last request is made and answered: whatever was asked for before has been seen by then.
    """
    asked: list[Any] = []
    page.on("request", lambda sent: asked.append(sent))
    yield
    page.evaluate("() => fetch(document.querySelector('link[rel=stylesheet]').href, {cache: 'reload'})")
    assert [one.url for one in asked if one.is_navigation_request() or (address and address in one.url)] == []


def units(text: str, points: int) -> int:
    """UTF-16 units of the first `points` code points."""
    return len(text[:points].encode("utf-16-le")) // 2


class Desk:
    """`page` is Playwright's; `person` what the server's side said of the worker."""

    def __init__(self, site: Site, page: Any, person: dict[str, Any]) -> None:
        self.site, self.page, self.person = site, page, person

    @property
    def url(self) -> str:
        return f"/assignments/{self.person['assignment']}/"

    def open(self) -> None:
        self.page.goto(self.url)

    def again(self) -> Desk:
        """The same assignment in another tab."""
        other = Desk(self.site, self.page.context.new_page(), self.person)
        other.open()
        return other

    def texts(self) -> list[str]:
        """The paragraphs' texts by shown position."""
        return list(self.page.evaluate(TEXTS))

    def fields(self) -> dict[str, list[str]]:
        """What the form would send."""
        return parse_qs(self.page.evaluate(FIELDS), keep_blank_values=True)

    def field(self, name: str) -> str:
        return self.fields().get(name, [""])[0]

    def answer(self) -> str:
        return str(self.page.locator("#answer-text").input_value())

    def marked(self) -> str:
        return "".join(self.page.locator("#paragraphs mark.mark-answer").all_text_contents())

    def ticked(self) -> list[int]:
        return [int(value) for value in self.fields().get("support", [])]

    def place_of(self, words: str) -> tuple[int, int, int]:
        """(shown position, start, end) of the first occurrence, in code points."""
        for position, text in enumerate(self.texts()):
            start = text.find(words)
            if start >= 0:
                return position, start, start + len(words)
        raise AssertionError(f"{words!r} is in no paragraph")

    def select(self, words: str) -> int:
        """Select the first occurrence with the mouse's button let go; returns the shown position."""
        position, start, end = self.place_of(words)
        text = self.texts()[position]
        self.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
        self.page.evaluate("document.dispatchEvent(new MouseEvent('mouseup', {bubbles: true}))")
        self.page.wait_for_function("words => document.getElementById('answer-text').value === words", arg=words)
        return position

    def drag_over(self, words: str) -> int:
        """Select the first occurrence with a real mouse; returns the shown position."""
        position, start, end = self.place_of(words)
        text = self.texts()[position]
        self.page.evaluate(SELECT, [position, units(text, start), units(text, end)])
        box = self.page.evaluate(
            """() => {
              const range = document.getSelection().getRangeAt(0);
              range.startContainer.parentElement.scrollIntoView({block: "center"});
              const boxes = range.getClientRects();
              document.getSelection().removeAllRanges();
              const ends = [boxes[0], boxes[boxes.length - 1]];
              return ends.map(({left, right, top, bottom}) => ({left, right, y: (top + bottom) / 2}));
            }"""
        )
        self.page.mouse.move(box[0]["left"] + 0.5, box[0]["y"])
        self.page.mouse.down()
        self.page.mouse.move((box[0]["left"] + box[1]["right"]) / 2, box[1]["y"], steps=3)
        self.page.mouse.move(box[1]["right"] - 0.5, box[1]["y"])
        self.page.mouse.up()
        return position

    def tick(self, position: int) -> None:
        self.page.locator(f"#support-{position}").check()

    def wait_saved(self) -> str:
        """Until the page says that everything is saved; returns how it says so."""
        self.page.wait_for_selector("#saved[data-state=saved]")
        return str(self.page.locator("#saved").text_content())

    def send_draft(self) -> None:
        """Let the page save now, as when the connection is back, instead of in the next pause."""
        self.page.evaluate("dispatchEvent(new Event('online'))")

    def save(self) -> str:
        self.send_draft()
        return self.wait_saved()

    def draft(self) -> dict[str, Any]:
        """What the server keeps of this assignment."""
        return dict(self.site.ask("draft", assignment=self.person["assignment"]))

    def answers(self) -> list[dict[str, Any]]:
        return list(self.site.ask("answers", batch=self.person["batch"]))

    def notice(self, name: str) -> Any:
        return self.page.locator(f"[data-notice='{name}']")

    def submit(self, key: str = "Control+Enter") -> None:
        """Submit and wait until the response is stored and what comes next is on the page."""
        with self.page.expect_response("**/submit/"), self.page.expect_navigation():
            self.page.keyboard.press(key)

    def is_done(self) -> bool:
        return bool(re.search(r"/done/$", self.page.url))

    def search(self, query: str) -> None:
        """Type into the search field and wait until what was found is shown."""
        self.page.evaluate(SETTLED, query)
        self.page.locator("#search").fill(query)
        self.page.evaluate("() => window.settled")

    def choose_in(self, name: str, choice: str) -> None:
        self.notice(name).locator(f"[data-choice='{choice}']").click()
