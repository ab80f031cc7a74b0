"""Requests to URLs given by users, protected against access to internal networks (SSRF).

The name is resolved once, all its addresses must be public, and the connection goes to the address that was checked.
No redirects, no proxies; time and size are limited.
"""

import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from annotation.pure.net.addresses import is_public, origin_of

SECONDS = 5.0  # in total
MOST_BYTES = 4096  # read of the response, of which only the status line matters
PORTS = {"http": 80, "https": 443}


class NotSent(Exception):
    """The URL is not allowed, or there was no response; `str()` says which."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The result of a POST: the status, if there was a response; `trouble` says why it failed."""

    status: int | None
    trouble: str

    @property
    def taken(self) -> bool:
        return not self.trouble


def send(url: str, body: bytes, headers: Mapping[str, str], *, loopback: bool = False) -> Sent:
    """Like `post`; any status other than 200 to 299 is trouble."""
    try:
        status = post(url, body, headers, loopback=loopback)
    except NotSent as not_sent:
        return Sent(None, str(not_sent))
    return Sent(status, "" if 200 <= status < 300 else f"the response was {status}")


def post(url: str, body: bytes, headers: Mapping[str, str], *, loopback: bool = False, inside: bool = False) -> int:
    """Send a POST and return the status. Raises NotSent. `loopback` allows this machine's own address.

    `inside` allows every address: only for URLs set by administrators, never for a requester's.
    """
    until = time.monotonic() + SECONDS
    parts = urlsplit(url)
    if not origin_of(url) or not parts.hostname:
        raise NotSent("this is no http or https address")
    port = parts.port or PORTS[parts.scheme]
    address = _address(parts.hostname, port, loopback, inside)
    try:
        with socket.create_connection((address, port), timeout=SECONDS) as plain:
            stream = plain
            if parts.scheme == "https":
                plain.settimeout(_left(until))
                stream = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
            with stream:
                stream.settimeout(_left(until))
                stream.sendall(_request(url, body, headers))
                return _status(stream, until)
    except (OSError, ValueError) as error:
        raise NotSent(_why(error)) from error


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"there was no answer within {SECONDS:.0f} seconds"
    if isinstance(error, ConnectionRefusedError):
        return "nobody listens at this address"
    return f"{type(error).__name__}: {error}"[:300]


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("it took too long")
    return left


def _address(host: str, port: int, loopback: bool, inside: bool) -> str:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotSent(f"{host} has no address") from error
    addresses = [str(row[4][0]) for row in rows]
    own = {one for one in addresses if loopback and ip_address(one.partition("%")[0]).is_loopback}
    if not addresses or not all(inside or is_public(one) or one in own for one in addresses):
        raise NotSent(f"{host} is an address inside this network, so nothing was sent")
    return addresses[0]


def _request(url: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    all_headers = {"Host": parts.netloc, "Content-Length": str(len(body)), "Connection": "close", **headers}
    if any(sign in f"{name}{value}" for name, value in all_headers.items() for sign in "\r\n\0"):
        raise ValueError("a header holds what no header may")
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in all_headers.items()), "", ""]
    return "\r\n".join(lines).encode("ascii") + body


def _status(stream: socket.socket, until: float) -> int:
    answer = b""
    while b"\r\n" not in answer and len(answer) < MOST_BYTES:
        stream.settimeout(_left(until))
        piece = stream.recv(1024)
        if not piece:
            break
        answer += piece
    words = answer.split(b"\r\n")[0].split(b" ")
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():
        raise ValueError("the answer is not HTTP")
    return int(words[1])
