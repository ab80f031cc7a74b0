"""Simulated annotators who use the real pages: they sign in, read, answer and submit over HTTP."""

from __future__ import annotations

import random
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar

from annotation.demo.world import simulated_answer
from annotation.pure.example import Example


class Page(HTMLParser):
    """The parts of a page that an annotator acts on: its forms, the question, the paragraphs' titles."""

    def __init__(self, url: str, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.url = url
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.question = ""
        self.titles: dict[int, str] = {}
        self._reading = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        if tag == "form" and at.get("method", "").lower() == "post":
            self.forms.append((urllib.parse.urljoin(self.url, at.get("action", "")), {}))
        elif tag == "input" and at.get("type") == "hidden" and self.forms and "name" in at:
            self.forms[-1][1][at["name"]] = at.get("value", "")
        elif at.get("id") == "question" or at.get("id", "").startswith("title-"):
            self._reading = at["id"]

    def handle_data(self, text: str) -> None:
        if self._reading == "question":
            self.question += text
        elif self._reading:
            place = int(self._reading.removeprefix("title-"))
            self.titles[place] = self.titles.get(place, "") + text

    def handle_endtag(self, tag: str) -> None:
        if tag in {"h1", "h2", "h3"}:
            self._reading = ""

    def form(self, ending: str) -> tuple[str, dict[str, str]]:
        """The form whose address ends so, with its hidden fields; LookupError when there is none."""
        for url, hidden in self.forms:
            if urllib.parse.urlsplit(url).path.endswith(ending):
                return url, dict(hidden)
        raise LookupError(f"{self.url} has no form to {ending}")


@dataclass
class Visitor:
    """One simulated annotator with a browser's cookies."""

    base: str
    username: str
    password: str
    skill: float
    rng: random.Random
    _cookies: CookieJar = field(default_factory=CookieJar)

    def __post_init__(self) -> None:
        jar = urllib.request.HTTPCookieProcessor(self._cookies)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)

    def sign_in(self) -> Page:
        """Sign in, and accept the project's consent text where it is asked for."""
        url, hidden = self._get("/accounts/sign-in/").form("/accounts/sign-in/")
        return self.post(url, hidden | {"username": self.username, "password": self.password})

    def consent(self, project: str) -> Page:
        url, hidden = self._get(f"/projects/{project}/consent/").form("/consent/")
        return self.post(url, hidden)

    def start(self, batch: int) -> Page:
        """Open the batch's first assignment, by way of its guide where that is to be read."""
        page = self._get(f"/work/batches/{batch}/guide/")
        url, hidden = page.form("/guide/")
        return self.post(url, hidden)

    def answer(self, page: Page, examples: Mapping[str, Example]) -> Page:
        """Answer the assignment on the page and submit; the page that comes next. KeyError: unknown question."""
        example = examples[page.question.strip()]
        shown = {title.strip(): place for place, title in page.titles.items()}
        given = simulated_answer(example, self.skill, self.rng)
        place = {k: shown[paragraph.title] for k, paragraph in enumerate(example.paragraphs)}
        url, hidden = page.form("/submit/")
        fields = hidden | {
            "kind": "span",
            "text": given["text"],
            "paragraph": str(place[given["paragraph"]]),
            "start": str(given["start"]),
            "end": str(given["end"]),
            "active_seconds": str(round(self.rng.lognormvariate(4.6, 0.4))),
        }
        ticks = [("support", str(place[k])) for k in given["support"]]
        return self.post(url, fields, ticks)

    def give_back(self, page: Page) -> Page:
        """Return the assignment on the page."""
        url, hidden = page.form("/return/")
        return self.post(url, hidden)

    def _get(self, path: str) -> Page:
        return self._open(urllib.request.Request(urllib.parse.urljoin(self.base, path)))  # noqa: S310

    def post(self, url: str, fields: Mapping[str, str], more: list[tuple[str, str]] | None = None) -> Page:
        """Send a form as a browser would; the page that comes next."""
        body = urllib.parse.urlencode([*fields.items(), *(more or [])]).encode()
        request = urllib.request.Request(url, body, {"Referer": url, "Origin": self.base})  # noqa: S310
        return self._open(request)

    def _open(self, request: urllib.request.Request) -> Page:
        with self._opener.open(request, timeout=30) as response:
            return Page(response.url, response.read().decode())


def is_assignment(page: Page) -> bool:
    """Whether there is something to answer on the page."""
    return bool(page.question) and "/assignments/" in page.url
