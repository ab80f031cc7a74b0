"""HTTP requests: authenticated by token, retried where that is safe, with pagination; their exceptions.

Every write has an Idempotency-Key, the same for each attempt, so that a request whose response was lost is not carried
out twice.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar, Self, cast
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import httpx

JSON = dict[str, Any]


class HopscribeError(Exception):
    """Base of this client's exceptions."""


class NotReached(HopscribeError):
    """No response after all attempts. The request may or may not have been carried out."""


class Problem(HopscribeError):
    """The server refused (RFC 9457). `errors` is [{"field", "detail"}] for invalid fields."""

    def __init__(self, status: int, title: str, detail: str, members: JSON, *, request: str = "") -> None:
        message = f"{status} {title}: {detail}" if detail else f"{status} {title}"
        super().__init__(f"{message} ({request})" if request else message)
        self.status, self.title, self.detail = status, title, detail
        self.members = members
        self.errors: list[dict[str, str]] = members.get("errors", [])

    @classmethod
    def of(cls, response: httpx.Response) -> Problem:
        """The problem in a response, even if it is not from the API itself."""
        try:
            body = response.json()
        except ValueError:
            body = {"detail": response.text[:300]}
        members: JSON = body if isinstance(body, dict) else {"detail": str(body)[:300]}
        title = str(members.get("title") or response.reason_phrase)
        request = f"{response.request.method} {response.request.url.path}"
        return cls(response.status_code, title, str(members.get("detail", "")), members, request=request)


BUSY = frozenset({429, 502, 503, 504})  # statuses after which a retry may succeed
LONGEST_WAIT = 30.0  # seconds between two attempts, unless the server says more
Query = Mapping[str, str | int | float | bool | None]


class Connection:
    """A connection to a server. `tries`: attempts of each request; `pause`: the function that waits."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30.0,
        tries: int = 6,
        pause: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}", "User-Agent": "hopscribe-client"}
        self.url = _site(url)
        self._http = httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=timeout, transport=transport)
        self._tries, self.pause = tries, pause

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, query: Query | None = None) -> JSON:
        return _json(self._send(lambda: self._request("GET", path, query)))

    def write(self, method: str, path: str, body: JSON | None = None) -> JSON:
        """POST, PUT, PATCH or DELETE with a JSON object."""
        key = {"Idempotency-Key": uuid4().hex}
        return _json(self._send(lambda: self._request(method, path, headers=key, json=body)))

    def upload(self, path: str, file: Path, query: Query) -> JSON:
        """POST a file as the body."""
        headers = {"Idempotency-Key": uuid4().hex, "Content-Type": "application/octet-stream"}

        def send() -> httpx.Response:
            with file.open("rb") as content:  # opened for each attempt, to send it from the beginning
                return self._http.send(self._request("POST", path, query, headers=headers, content=content))

        return _json(self._tried(send))

    def pages(self, path: str, query: Query | None = None) -> Iterator[JSON]:
        """The rows of a list, loaded as they are read."""
        wanted: Query | None = query
        while True:
            page = self.get(path, wanted)
            yield from page["results"]
            if not page["next"]:
                return
            # only its query: the token must not be sent to another host
            wanted = dict(parse_qsl(urlsplit(page["next"]).query))

    def lines(self, path: str, query: Query | None = None) -> Iterator[JSON]:
        """The rows of a file of JSON lines, as they arrive."""
        with self._streamed(path, query) as response:
            yield from map(json.loads, response.iter_lines())

    def download(self, path: str, to: IO[bytes], query: Query | None = None) -> None:
        """Download to the file `to`."""
        with self._streamed(path, query) as response:
            for block in response.iter_bytes():
                to.write(block)

    @contextmanager
    def _streamed(self, path: str, query: Query | None) -> Iterator[httpx.Response]:
        def send() -> httpx.Response:
            return self._http.send(self._request("GET", path, query), stream=True)

        response = self._tried(send)
        try:
            yield response
        except httpx.TransportError as error:
            raise NotReached(f"the download broke off: {error}") from error
        finally:
            response.close()

    def _request(self, method: str, path: str, query: Query | None = None, **more: Any) -> httpx.Request:
        given = {name: _plain(value) for name, value in (query or {}).items() if value is not None}
        return self._http.build_request(method, path, params=given or None, **more)

    def _send(self, make: Callable[[], httpx.Request]) -> httpx.Response:
        return self._tried(lambda: self._http.send(make()))

    def _tried(self, send: Callable[[], httpx.Response]) -> httpx.Response:
        """The first usable response. Raises Problem, and NotReached after the last attempt."""
        for left in range(self._tries - 1, -1, -1):
            try:
                response = send()
            except httpx.TransportError as error:
                if not left:
                    raise NotReached(f"{self._http.base_url.host} does not answer: {error}") from error
                self.pause(self._wait(left))
                continue
            if response.is_success:
                return response
            response.read()
            if response.status_code not in BUSY or not left:
                raise Problem.of(response)
            self.pause(max(self._wait(left), _retry_after(response)))
        raise NotReached("no try was made")

    def _wait(self, left: int) -> float:
        """Wait, longer each time and with jitter."""
        return min(0.5 * 2.0 ** (self._tries - 1 - left), LONGEST_WAIT) * (0.75 + random.random() / 2)


class Collection:
    """What a project has of one kind."""

    def __init__(self, connection: Connection, root: str) -> None:
        self._connection, self._root = connection, root


class Resource:
    """One of them as last loaded; `facts` is the complete response of the server, `PATH` its address made of them."""

    PATH: ClassVar[str]

    def __init__(self, connection: Connection, root: str, facts: JSON) -> None:
        self._connection, self._root = connection, root
        self._path = root + self.PATH.format_map(facts)
        self.facts = facts

    def refresh(self) -> Self:
        self.facts = self._connection.get(self._path)
        return self


class Named(Resource):
    """One with a name, by which its collection finds it."""

    @property
    def name(self) -> str:
        return str(self.facts["name"])


def _site(url: str) -> str:
    """The site's base URL, also from the URL of its API. Raises HopscribeError for an invalid URL."""
    if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).netloc:
        raise HopscribeError(f"{url!r} is no address: it begins with https:// or http://.")
    return url.rstrip("/").removesuffix("/api/v1")


def _retry_after(response: httpx.Response) -> float:
    """The seconds of Retry-After."""
    header = response.headers.get("Retry-After", "")
    return float(header) if header.isdigit() else 0.0


def _plain(value: str | int | float | bool | None) -> str | int | float | None:
    return str(value).lower() if isinstance(value, bool) else value


def _json(response: httpx.Response) -> JSON:
    if not response.content:
        return {}
    return cast(JSON, response.json())
