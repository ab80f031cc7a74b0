"""A small browser without scripts: pages, cookies, redirects, forms. It knows nothing of the pages that it opens."""

import urllib.error
import urllib.request
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPException
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode, urljoin

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
