"""Simulated participants: they take a place, open the study's real pages over HTTP, answer, and come back.

They know nothing of the study but its pages. Each has a habit; `run` plays one stay.
"""

from __future__ import annotations

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.client import HTTPException
from http.cookiejar import CookieJar
from random import Random
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

from prolific_emulator import studies, submissions
from prolific_emulator.world import Problem, World

SECONDS = 30.0
UNSEEN = {"script", "style", "template", "dialog"}  # without scripts a dialog never opens


@dataclass
class Field:
    """An input, textarea or select; a choice has its own row for each value."""

    name: str
    kind: str
    value: str = ""
    checked: bool = False
    required: bool = False
    options: list[str] = field(default_factory=list)


@dataclass
class Form:
    action: str
    method: str
    identity: str
    fields: list[Field] = field(default_factory=list)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)  # (name, value, class)


@dataclass
class Page:
    """What was shown: where, with which status, its forms, links and text."""

    url: str
    status: int
    forms: list[Form] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)  # (URL, class)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.texts)


class Unreachable(Exception):
    """The server gave no response."""


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self._form: Form | None = None
        self._area: Field | None = None
        self._silent = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag in UNSEEN:
            self._silent += 1
        elif tag == "form":
            action = urljoin(self.page.url, given.get("action") or self.page.url)
            self._form = Form(action, given.get("method", "get").lower(), given.get("id", ""))
            self.page.forms.append(self._form)
        elif tag == "a" and given.get("href"):
            self.page.links.append((urljoin(self.page.url, given["href"]), given.get("class", "")))
        else:
            self._control(tag, given)

    def _control(self, tag: str, given: dict[str, str]) -> None:
        owner = self._form
        if given.get("form"):
            owner = next((form for form in self.page.forms if form.identity == given["form"]), owner)
        if owner is None or "disabled" in given:
            return
        kind, name = given.get("type", "text" if tag == "input" else "submit"), given.get("name", "")
        if tag == "button" or (tag == "input" and kind == "submit"):
            if kind == "submit" and not self._silent:
                owner.buttons.append((name, given.get("value", ""), given.get("class", "")))
        elif tag == "option" and owner.fields and owner.fields[-1].kind == "select":
            owner.fields[-1].options.append(given.get("value", ""))
        elif name and tag in {"input", "textarea", "select"}:
            kind = kind if tag == "input" else tag
            value = given.get("value", "on" if kind in {"checkbox", "radio"} else "")
            row = Field(name, kind, value, "checked" in given, "required" in given)
            owner.fields.append(row)
            self._area = row if tag == "textarea" else None

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSEEN:
            self._silent = max(0, self._silent - 1)
        elif tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._area.value += data
        elif not self._silent and data.strip():
            self.page.texts.append(data.strip())


class ParticipantBrowser:
    """One person's browser with its cookies."""

    def __init__(self, agent: str = "Mozilla/5.0 (emulated participant)") -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._opener.addheaders = [("User-Agent", agent), ("Accept-Language", "en")]

    def open(self, url: str, data: list[tuple[str, str]] | None = None, *, referer: str = "") -> Page:
        """Open a URL, with a form's data if given, and follow redirects. Raises Unreachable."""
        body = urlencode(data).encode() if data is not None else None
        headers = {"Referer": referer} if referer else {}
        request = urllib.request.Request(url, body, headers)  # noqa: S310  (URLs of a study)
        try:
            with self._answer(request) as reply:
                return _read(reply.url, reply.status, reply.read())
        except (OSError, HTTPException) as broken:
            raise Unreachable(f"{url}: {broken}") from None

    def _answer(self, request: urllib.request.Request) -> Any:
        """The response, whatever its status."""
        try:
            return self._opener.open(request, timeout=SECONDS)
        except urllib.error.HTTPError as refused:
            return refused

    def submit(self, page: Page, form: Form, data: list[tuple[str, str]]) -> Page:
        """Send a form of the page."""
        if form.method == "get":
            return self.open(f"{form.action}?{urlencode(data)}", referer=page.url)
        return self.open(form.action, data, referer=page.url)


def _read(url: str, status: int, body: bytes) -> Page:
    page = Page(url, status)
    reader = _Reader(page)
    reader.feed(body.decode(errors="replace"))
    return page


DILIGENT, RETURNS, GIVES_UP, FORGETS, WRONG_CODE, LATE, NO_SHOW = (
    "diligent", "returns", "gives up", "forgets the code", "wrong code", "late", "no show"
)  # fmt: skip
HABITS = {DILIGENT: 0.7, RETURNS: 0.08, GIVES_UP: 0.06, FORGETS: 0.05, WRONG_CODE: 0.05, LATE: 0.03, NO_SHOW: 0.03}
MOST_PAGES = 400  # that one stay may take
MOST_TRIES = 40  # to reach a server that is away
AT_ONCE = 8
LONG_TEXT = 60  # letters, as a paragraph has and a label has not


@dataclass
class Stay:
    """How a stay went: forms sent, addresses of those that were accepted, the code that was shown, the last page."""

    submission: str
    habit: str
    sent: int = 0
    accepted: list[str] = field(default_factory=list)
    code: str = ""
    last: str = ""


def draw_habit(rng: Random) -> str:
    return rng.choices(list(HABITS), list(HABITS.values()))[0]


def send(world: World, study: str, number: int, *, habits: list[str] | None = None) -> None:
    """Let so many new participants come, some at once, in the background; Problem for an unknown study."""
    _check(world, study)
    threading.Thread(target=crowd, args=(world, study, number), kwargs={"habits": habits}, daemon=True).start()


def _check(world: World, study: str) -> None:
    with world.lock:
        if study not in world.studies:
            raise Problem(404, "There is no such study.")


def crowd(world: World, study: str, number: int, *, habits: list[str] | None = None) -> list[Stay]:
    """Let so many new participants come, and wait for them; those without a place are left out."""
    _check(world, study)
    with world.lock:
        plans = [(world.new_id(), (habits or [draw_habit(world.rng)])[index % len(habits or [1])], world.rng.random())
                 for index in range(number)]  # fmt: skip
    with ThreadPoolExecutor(AT_ONCE) as pool:
        stays = list(pool.map(lambda plan: run(world, study, *plan), plans))
    return [stay for stay in stays if stay is not None]


def run(world: World, study: str, participant: str, habit: str, seed: float) -> Stay | None:
    """One participant's stay; None if the study has no place for them."""
    rng = Random(seed)
    try:
        with world.lock:
            submissions.act_on_time(world)
            one = submissions.reserve(world, world.studies[study], participant)
            if habit == NO_SHOW:
                return Stay(one.id, habit)
            url = submissions.start(world, one)
    except Problem:
        return None
    stay = Stay(one.id, habit)
    most = rng.randint(1, 4) if habit in {RETURNS, GIVES_UP} else MOST_PAGES
    try:
        walk(stay, url, world.origin, rng, most)
    except Unreachable as away:
        stay.last = str(away)
    _leave(world, stay)
    return stay


def walk(stay: Stay, url: str, origin: str, rng: Random, most: int) -> None:
    """Open a study and go on until it shows the code of the service at `origin`, or after `most` forms."""
    browser = ParticipantBrowser()
    page = _patiently(partial(browser.open, url))
    for _step in range(MOST_PAGES):
        stay.last = f"{page.status} {page.url}"
        stay.code = _code(page, origin)
        if stay.code or stay.sent >= most:
            return
        form, onward = next_form(page), _onward(browser, page, rng)
        if onward is None:
            return
        page = _patiently(onward)
        stay.sent += 1
        if form is not None and page.status < 400:
            stay.accepted.append(form.action)
        if page.status >= 500:
            time.sleep(0.2)
            page = _patiently(partial(browser.open, url))


def _onward(browser: ParticipantBrowser, page: Page, rng: Random) -> Callable[[], Page] | None:
    """What a person does next: send the form with the main button, or follow the main link; None at a dead end."""
    form = next_form(page)
    if form is not None:
        return partial(browser.submit, page, form, fill(form, page, rng))
    links = [url for url, style in page.links if "primary" in style.split()]
    return partial(browser.open, links[0], referer=page.url) if links else None


def _patiently(act: Callable[[], Page]) -> Page:
    """Try again while the server is away, as a person reloads a page."""
    for _try in range(MOST_TRIES):
        with suppress(Unreachable):
            page = act()
            if page.status != 503:
                return page
        time.sleep(0.25)
    raise Unreachable("the study's server did not answer")


def _code(page: Page, origin: str) -> str:
    """The completion code, where the page links back to this service."""
    back = [url for url, _style in page.links if url.startswith(f"{origin}/submissions/complete")]
    return parse_qs(urlsplit(back[0]).query).get("cc", [""])[0] if back else ""


def _leave(world: World, stay: Stay) -> None:
    with world.lock, suppress(Problem):
        one = world.submissions[stay.submission]
        if stay.habit == RETURNS:
            submissions.return_(world, one)
        elif stay.habit == LATE:
            one.started_at = one.started_at and one.started_at - 2 * studies.longest(world.studies[one.study])
            submissions.act_on_time(world)
        elif stay.code and stay.habit in {DILIGENT, WRONG_CODE}:
            submissions.complete(world, one, stay.code if stay.habit == DILIGENT else "WRONG")


def next_form(page: Page) -> Form | None:
    """The form that goes on: that with the page's main button, the work itself last."""
    forms = [form for form in page.forms if any("primary" in style for _name, _value, style in form.buttons)]
    onward = [form for form in forms if form.identity != "work"]
    return next(iter(onward or forms), None)


def fill(form: Form, page: Page, rng: Random) -> list[tuple[str, str]]:
    """A person's entries: some of each group of choices, and words of the page where text is asked.

    What the page did not accept is given anew.
    """
    data: list[tuple[str, str]] = []
    seen: set[str] = set()
    for row in form.fields:
        if row.kind == "hidden":
            data.append((row.name, row.value))
        elif row.kind in {"radio", "checkbox"}:
            data += [(row.name, value) for value in _choices(form, row, rng)] if row.name not in seen else []
        elif row.kind == "select":
            data.append((row.name, rng.choice([value for value in row.options if value] or [""])))
        elif row.kind not in {"file", "button", "search"}:
            data.append((row.name, row.value if row.value and page.status < 400 else _words(page, rng)))
        seen.add(row.name)
    button = next(button for button in form.buttons if "primary" in button[2])
    return data + ([(button[0], button[1])] if button[0] else [])


def _choices(form: Form, row: Field, rng: Random) -> list[str]:
    values = [one.value for one in form.fields if one.name == row.name]
    return rng.sample(values, 1 if row.kind == "radio" else rng.randint(1, min(3, len(values))))


def _words(page: Page, rng: Random) -> str:
    """A word of one of the page's longer texts."""
    texts = [text for text in page.texts if len(text) > LONG_TEXT] or page.texts
    words = [word.strip(".,;:?!()") for text in texts for word in text.split() if len(word) > 4]
    return rng.choice(words or ["nothing"])
