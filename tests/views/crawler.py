"""A worker's browser that keeps everything it was sent, and the canaries to look for in it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from django.urls.converters import IntConverter

from annotation.models import Batch, Hit

MARK = "zqxwvjkq"  # every canary begins with it; no word and hardly a random id holds it


class Canaries:
    """Unique values, noted as they are made."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def text(self, what: str) -> str:
        self.made.append(f"{MARK}{len(self.made)}{what}")
        return self.made[-1]

    def number(self) -> int:
        self.made.append(str(771_000_001 + 13 * len(self.made)))
        return int(self.made[-1])


class Crawler:
    """A worker's browser that keeps everything it was sent, and by which address."""

    def __init__(self, user: Any) -> None:
        self.client = Client(raise_request_exception=False)
        self.client.force_login(user)
        self.sent: list[tuple[str, int, str]] = []
        self.visited: set[str] = set()

    def get(self, name: str, *given: Any, **query: Any) -> HttpResponse:
        return self._kept(name, self.client.get(reverse(name, args=given), query))

    def post(self, name: str, *given: Any, **fields: Any) -> HttpResponse:
        return self._kept(name, self.client.post(reverse(name, args=given), fields))

    def send(self, name: str, body: str) -> HttpResponse:
        return self._kept(name, self.client.post(reverse(name), body, content_type="application/json"))

    def _kept(self, name: str, response: Any) -> HttpResponse:
        self.visited.add(name)
        head = "".join(f"{key}: {value}\n" for key, value in response.items()) + response.cookies.output()
        self.sent.append((name, response.status_code, head + response.content.decode()))
        return response  # type: ignore[no-any-return]

    def betrayals(self, canaries: list[str]) -> list[tuple[str, int, str]]:
        """(address, status, canary) of everything that should not have been sent."""
        lowered = [(name, status, text.lower()) for name, status, text in self.sent]
        return [
            (name, status, canary)
            for name, status, text in lowered
            for canary in [*canaries, MARK]
            if canary.lower() in text
        ]

    def statuses(self, name: str) -> set[int]:
        return {status for sent, status, _text in self.sent if sent == name}


def knock_everywhere(site: Crawler, batch: Batch) -> None:
    """Every address of the site with names and numbers that exist, by GET and by POST."""
    hit = Hit.objects.select_related("item__dataset").filter(batch=batch).first()
    assert hit is not None
    given = {
        "slug": batch.project.slug,
        "batch": batch.slug,
        "name": hit.item.dataset.slug,
        "public_id": hit.public_id,
        "pk": 1,
        "item": hit.item_id,
        "position": 0,
        "seed": 0,
        "number": 1,
        "document": "datasheet",
        "format": "jsonl",
        "move": "pause",
        "token": "x",
        "uidb64": "MQ",
    }
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        if pattern.name in {"sign-out", None}:
            continue
        url = address(pattern, given)
        for response in (site.client.get(url), site.client.post(url)):  # HEAD: what GET gives, without its body
            site._kept(str(pattern.name), without_its_own_address(response, url))


def address(pattern: URLPattern, given: dict[str, Any]) -> str:
    wanted = pattern.pattern.converters
    anything = {name: 1 if isinstance(kind, IntConverter) else "x" for name, kind in wanted.items()}
    try:
        return reverse(str(pattern.name), kwargs={name: given.get(name, anything[name]) for name in wanted})
    except NoReverseMatch:
        return reverse(str(pattern.name), kwargs=anything)


def without_its_own_address(response: Any, url: str) -> Any:
    """The response less the address that was asked for, which a sign-in page or an error may repeat."""
    if not response.streaming:
        response.content = response.content.replace(url.encode(), b"")
    if "Location" in response:
        response["Location"] = response["Location"].replace(url, "")
    return response
