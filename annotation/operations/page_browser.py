"""A minimal browser for simulated workers: opens pages and posts their forms over HTTP with cookies."""

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from http.cookiejar import Cookie, CookieJar
from typing import Any, Generic, TypeVar


class PageError(Exception):
    """A page responded with an error; `code` is its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the page answered {status}")
        self.code = status


class FormPage(HTMLParser):
    """A page's URL and its forms with their hidden fields."""

    def __init__(self, url: str, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.url, self.html = url, html
        self.forms: list[tuple[str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        if tag == "form" and at.get("method", "").lower() == "post":
            self.forms.append((urllib.parse.urljoin(self.url, at.get("action", "")), {}))
        elif tag == "input" and at.get("type") == "hidden" and self.forms and "name" in at:
            self.forms[-1][1][at["name"]] = at.get("value", "")

    @property
    def path(self) -> str:
        """The path of the URL."""
        return urllib.parse.urlsplit(self.url).path

    def form(self, ending: str) -> tuple[str, dict[str, str]]:
        """The form whose action ends so, with its hidden fields. Raises LookupError if there is none."""
        for url, hidden in self.forms:
            if urllib.parse.urlsplit(url).path.endswith(ending):
                return url, dict(hidden)
        raise LookupError(f"{self.url} has no form to {ending}")


Read = TypeVar("Read", bound=FormPage)


class Browser(Generic[Read]):
    """One person's browser: a base URL and cookies, with a session's if one is given.

    `read` makes a page from its URL and HTML.
    """

    def __init__(self, base: str, *, read: Callable[[str, str], Read], session: str = "") -> None:
        self.base, self.requests, self._read = base, 0, read
        jar = CookieJar()
        if session:
            jar.set_cookie(_session_cookie(urllib.parse.urlsplit(base).hostname or "", session))
        handler = urllib.request.HTTPCookieProcessor(jar)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), handler)

    def open(self, path: str) -> Read:
        """GET a URL. Raises PageError for a status of 400 and above."""
        return self._send(urllib.request.Request(urllib.parse.urljoin(self.base, path)))  # noqa: S310

    def post(self, url: str, fields: Mapping[str, str | list[str]]) -> Read:
        """Post a form as a browser would, and return the next page. Raises PageError like `open`."""
        body = urllib.parse.urlencode(fields, doseq=True).encode()
        return self._send(urllib.request.Request(url, body, {"Referer": url, "Origin": self.base}))  # noqa: S310

    def _send(self, request: urllib.request.Request) -> Read:
        self.requests += 1
        try:
            with self._opener.open(request, timeout=60) as response:
                return self._read(response.url, response.read().decode())
        except urllib.error.HTTPError as error:
            error.close()
            raise PageError(error.code) from None


def _session_cookie(host: str, session: str) -> Cookie:
    first: dict[str, Any] = {"version": 0, "name": "sessionid", "value": session, "port": None, "port_specified": False}
    where: dict[str, Any] = {"domain": host, "domain_specified": False, "domain_initial_dot": False}
    kept: dict[str, Any] = {"path": "/", "path_specified": True, "secure": False, "expires": None, "discard": True}
    return Cookie(**first, **where, **kept, comment=None, comment_url=None, rest={})
