"""HTTP calls to Prolific's API: JSON in and out, the meaning of errors, lists over all pages. One call is one try."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import HTTPError

from annotation.guarded_connections import NotPublic, guard
from annotation.marketplaces import base

PASSING: Final = {408, 425}  # statuses below 500 after which a retry may succeed
MOST_PAGES: Final = 10_000
PAGE: Final = 100


class Client:
    """Calls with a token, over one pool of connections."""

    def __init__(self, endpoint: base.Endpoint) -> None:
        self.origin = endpoint.endpoint_url.rstrip("/")
        self._headers = {
            "Authorization": f"Token {endpoint.secret}",
            "Content-Type": "application/json",
            "User-Agent": "Hopscribe",
        }
        self._pool = urllib3.PoolManager(
            timeout=urllib3.Timeout(connect=min(endpoint.timeout, 10.0), read=endpoint.timeout), retries=False
        )
        if endpoint.guarded:
            guard(self._pool)

    def call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, query: Mapping[str, Any] | None = None
    ) -> tuple[Any, Mapping[str, str]]:
        """(JSON, headers) of the response; None for an empty one. Raises MarketplaceError."""
        url = self.origin + path + (f"?{urlencode(query)}" if query else "")
        sent = json.dumps(body).encode() if body is not None else None
        try:
            reply = self._pool.request(method, url, body=sent, headers=self._headers, redirect=False)
        except NotPublic as inside:
            raise base.Denied(str(inside)) from None
        except (HTTPError, OSError, ValueError) as broken:
            raise base.TryAgain(f"{type(broken).__name__} at {path}") from None
        if reply.status == 204:
            return None, reply.headers
        try:
            data = json.loads(reply.data)
        except ValueError:
            raise base.TryAgain(f"HTTP {reply.status} without JSON", throttled=reply.status == 429) from None
        if not 200 <= reply.status < 300:
            raise meaning(reply.status, data)
        return data, reply.headers

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self._object(self.call("GET", path, query=query)[0])

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.call("POST", path, body)[0]

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.call("PATCH", path, body)[0]

    def delete(self, path: str, body: Mapping[str, Any]) -> Any:
        return self.call("DELETE", path, body)[0]

    def rows(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """The rows of all pages. A page past the end is not found, which only ends the list after the first."""
        for number in range(1, MOST_PAGES):
            try:
                page = self.get(path, **query, page=number, page_size=PAGE)
            except base.Gone:
                if number == 1:
                    raise
                return
            yield from member(page, "results")
            if not ((page.get("_links") or {}).get("next") or {}).get("href"):
                return

    @staticmethod
    def _object(data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise base.TryAgain("the response is not an object")
        return data


def member(data: Any, name: str) -> Any:
    """A member that every valid response has."""
    if not isinstance(data, dict) or data.get(name) is None:
        raise base.TryAgain(f"the response lacks {name}")
    return data[name]


def meaning(status: int, data: Any) -> base.MarketplaceError:
    """The exception for a refusal."""
    error = data.get("error", data) if isinstance(data, dict) else {}
    error = error if isinstance(error, dict) else {"title": str(error)}
    text = words(error.get("detail")) or str(error.get("title") or f"HTTP {status}")
    if status == 429:
        return base.TryAgain(text, throttled=True)
    if status >= 500 or status in PASSING:
        return base.TryAgain(text)
    if status == 404:
        return base.Gone(text)
    if status in {401, 403}:
        return base.Denied(f"the token was refused: {text}")
    return base.Denied(text)


def words(detail: Any) -> str:
    """The detail of an error as one text: it is a text, a list of texts, or lists by field."""
    if isinstance(detail, dict):
        return "; ".join(f"{name}: {words(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return " ".join(map(words, detail))
    return "" if detail is None else str(detail)
