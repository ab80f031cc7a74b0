"""Simulated workers who use the real pages over HTTP."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.demo.encyclopedia import simulated_answer
from annotation.models import Batch, Worker
from annotation.operations.page_browser import Browser, FormPage
from annotation.pure.data.example import Example
from annotation.views.work.practice import right_fields


class Page(FormPage):
    """The parts of a page that a worker acts on: its forms, the question, the paragraphs' titles."""

    def __init__(self, url: str, html: str) -> None:
        self.question = ""
        self.titles: dict[int, str] = {}
        self._reading = ""
        super().__init__(url, html)

    @property
    def assignment(self) -> str:
        """The public id of the assignment on the page."""
        return self.url.rstrip("/").rsplit("/", 1)[-1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        name = dict(attrs).get("id") or ""
        if name == "question" or name.startswith("title-"):
            self._reading = name

    def handle_data(self, text: str) -> None:
        if self._reading == "question":
            self.question += text
        elif self._reading:
            place = int(self._reading.removeprefix("title-"))
            self.titles[place] = self.titles.get(place, "") + text

    def handle_endtag(self, tag: str) -> None:
        if tag in {"h1", "h2", "h3"}:
            self._reading = ""


@dataclass
class SimulatedWorker:
    """A simulated worker with a browser's cookies."""

    base: str
    username: str
    password: str
    skill: float
    rng: random.Random

    def __post_init__(self) -> None:
        self._browser = Browser(self.base, read=Page)

    def sign_in(self) -> Page:
        """Sign in; returns the next page."""
        url, hidden = self._browser.open("/accounts/sign-in/").form("/accounts/sign-in/")
        return self.post(url, hidden | {"username": self.username, "password": self.password})

    def consent(self, project: str) -> Page:
        """Accept the project's consent text."""
        url, hidden = self._browser.open(f"/projects/{project}/consent/").form("/consent/")
        return self.post(url, hidden)

    def begin(self, batch: Batch) -> Page:
        """Read the batch's instructions and do the practice that is due; returns the first assignment."""
        worker = Worker.objects.get(project=batch.project, user__username=self.username)
        page = self.post(*self._browser.open(f"/work/batches/{batch.pk}/instructions/").form("/instructions/"))
        while match := re.search(r"/practice/([0-9]+)/", page.url):
            url, hidden = page.form(f"/practice/{match[1]}/")
            page = self.post(url, hidden | right_fields(batch, worker, int(match[1])))
            page = self.post(*page.form("/done/"))
        return page

    def answer(
        self,
        page: Page,
        examples: Mapping[str, Example],
        *,
        began: Callable[[str, float], None] = lambda _public_id, _seconds: None,
    ) -> Page:
        """Submit a response to the assignment on the page; returns the next page. KeyError: unknown question.

        `began` gets the assignment's public id and the seconds that a person would have worked on it by now.
        """
        example = examples[page.question.strip()]
        shown = {title.strip(): place for place, title in page.titles.items()}
        given = simulated_answer(example, self.skill, self.rng)
        place = {k: shown[paragraph.title] for k, paragraph in enumerate(example.paragraphs)}
        seconds = round(self.rng.lognormvariate(4.6, 0.4))
        began(page.assignment, seconds)
        posted = {
            "kind": "span",
            "text": given["text"],
            "paragraph": str(place[given["paragraph"]]),
            "start": str(given["start"]),
            "end": str(given["end"]),
            "active_seconds": str(seconds),
            "support": [str(place[k]) for k in given["support"]],
        }
        url, hidden = page.form("/submit/")
        return self.post(url, hidden | posted)

    def return_assignment(self, page: Page) -> Page:
        """Return the assignment on the page."""
        return self.post(*page.form("/return/"))

    def report_problem(self, page: Page, reason: str, text: str) -> Page:
        """Report a problem with the item on the page, and go on to the next."""
        url, hidden = page.form("/report-problem/")
        return self.post(url, hidden | {"reason": reason, "text": text})

    def post(self, url: str, fields: Mapping[str, str | list[str]]) -> Page:
        """Post a form as a browser would; returns the next page."""
        return self._browser.post(url, fields)


def is_assignment(page: Page) -> bool:
    """Whether there is something to answer on the page."""
    return bool(page.question) and "/assignments/" in page.url
