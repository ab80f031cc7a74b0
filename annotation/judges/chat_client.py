"""The chat completions protocol: one request, one reply. The only importer of a client for models.

Redirects are not followed. Without the endpoint's host in MODEL_ENDPOINTS, only https to public addresses is allowed.
"""

import json
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import urllib3
from django.conf import settings
from django.utils.translation import gettext as _
from urllib3.exceptions import HTTPError

from annotation.flow.errors import Refused
from annotation.formats.storable import shown
from annotation.guarded_connections import NotPublic, guard
from annotation.models import clock
from annotation.pure.net.addresses import closed_port, origin_of

SECONDS: Final = 180.0  # for a whole reply
MOST_BYTES: Final = 2_000_000  # of a reply
MOST_TOKENS: Final = 10**9  # a larger number is no count
LONGEST_WAIT: Final = 24 * 3600  # seconds that an endpoint may ask us to wait
PATH: Final = "/chat/completions"
PASSING: Final = (408, 409, 425)  # statuses below 500 after which a retry may succeed
OF_THE_REQUEST: Final = (400, 413, 422)  # statuses that are about this item


class Busy(Exception):
    """The endpoint asks to wait: status 429. `seconds`: how long, if it says so."""

    def __init__(self, seconds: float | None) -> None:
        super().__init__("429")
        self.seconds = seconds


class Broken(Exception):
    """No usable reply came; another attempt may succeed."""


class Rejected(Exception):
    """The endpoint refuses the request; `of_item`: maybe because of this item."""

    def __init__(self, why: str, *, of_item: bool) -> None:
        super().__init__(why)
        self.of_item = of_item


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion. `refusal`: why the model does not answer; `cut`: it reached the limit of tokens or bytes.

    `tokens`: (prompt, completion) as the endpoint counts them, None if it does not.
    """

    text: str = ""
    refusal: str = ""
    cut: bool = False
    tokens: tuple[int, int] | None = None


def is_inside(url: str) -> bool:
    """Whether MODEL_ENDPOINTS names the host, so that it may be in an internal network and without https."""
    parts = urlsplit(url)
    return bool({parts.netloc.lower(), (parts.hostname or "").lower()} & set(settings.MODEL_ENDPOINTS))


def check_endpoint(url: str) -> None:
    """Raises Refused for an address that nothing may be sent to; names are looked up when something is sent."""
    if not origin_of(url) or urlsplit(url).query:
        raise Refused(_("Give the address of the endpoint, such as https://models.example.org/v1."))
    if is_inside(url):
        return
    if urlsplit(url).scheme != "https":
        raise Refused(_("The endpoint must begin with https://. A host in your own network: set MODEL_ENDPOINTS."))
    if closed_port(url):
        raise Refused(_("Nothing is sent to this port. Use 443, or one from 1024 on."))


class ChatClient:
    """Requests to one endpoint over a pool of connections, from several threads."""

    def __init__(self, endpoint: str, key: str, *, threads: int, seconds: float = SECONDS) -> None:
        check_endpoint(endpoint)
        self._url = endpoint.rstrip("/").removesuffix(PATH) + PATH
        self._seconds, self._key = seconds, key
        self._headers = {"Content-Type": "application/json", "User-Agent": "Hopscribe"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        timeout = urllib3.Timeout(connect=min(10.0, seconds), read=seconds)
        self._pool = urllib3.PoolManager(timeout=timeout, retries=False, maxsize=threads)
        if not is_inside(endpoint):
            guard(self._pool)

    def complete(self, body: bytes) -> Reply:
        """Send a request. Raises Busy, Broken or Rejected."""
        until = time.monotonic() + self._seconds
        try:
            reply = self._pool.request(
                "POST", self._url, body=body, headers=self._headers, redirect=False, preload_content=False
            )
        except NotPublic as inside:
            raise Rejected(_("%(why)s. Set MODEL_ENDPOINTS to allow it.") % {"why": inside}, of_item=False) from None
        except (HTTPError, OSError, ValueError) as broken:
            raise Broken(f"{type(broken).__name__}") from None
        try:
            text = _read(reply, until)
        except (HTTPError, OSError, ValueError) as broken:
            raise Broken(f"{type(broken).__name__}") from None
        finally:
            reply.close()  # what was not read is not waited for
        if reply.status != 200:
            raise self._error(reply.status, text or b"", reply.headers.get("Retry-After", ""))
        return Reply(cut=True) if text is None else read_reply(text)

    def _error(self, status: int, text: bytes, retry_after: str) -> Exception:
        if status == 429:
            return Busy(seconds_of(retry_after))
        said = text[:2000].decode("utf-8", "replace")
        if self._key:
            said = said.replace(self._key, "…")
        why = shown(f"HTTP {status}: {said}", 300)
        if status >= 500 or status in PASSING:
            return Broken(why)
        return Rejected(why, of_item=status in OF_THE_REQUEST)


def _read(reply: urllib3.BaseHTTPResponse, until: float) -> bytes | None:
    """The body; None if it is longer than MOST_BYTES."""
    found = bytearray()
    while piece := reply.read1(65536):
        found += piece
        if len(found) > MOST_BYTES:
            return None
        if time.monotonic() > until:
            raise TimeoutError
    expected = reply.headers.get("Content-Length", "")
    if expected.isdigit() and len(found) < int(expected):
        raise ConnectionError("cut")
    return bytes(found)


def seconds_of(retry_after: str) -> float | None:
    """The wait that a Retry-After header asks for, in seconds or until a date (RFC 9110, 10.2.3)."""
    if retry_after.strip().isascii() and retry_after.strip().isdigit():
        return float(min(int(retry_after.strip()[:9]), LONGEST_WAIT))
    try:
        return min(max(0.0, parsedate_to_datetime(retry_after).timestamp() - clock.now().timestamp()), LONGEST_WAIT)
    except (TypeError, ValueError, OverflowError):
        return None


def read_reply(body: bytes) -> Reply:
    """The reply in a response's body. Raises Broken for anything else."""
    try:
        data = json.loads(body)
        choice = data["choices"][0]
        message = choice["message"]
        text, refusal, reason = message.get("content"), message.get("refusal"), choice.get("finish_reason")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Broken("the response is no chat completion") from None
    filtered = "content_filter" if reason == "content_filter" else ""
    return Reply(
        text=text if isinstance(text, str) else "",
        refusal=refusal if isinstance(refusal, str) and refusal else filtered,
        cut=reason == "length",
        tokens=_tokens(data.get("usage")),
    )


def _tokens(usage: Any) -> tuple[int, int] | None:
    if not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if not all(type(count) is int and 0 <= count <= MOST_TOKENS for count in counts):
        return None
    return counts[0], counts[1]  # type: ignore[return-value]  # checked above
