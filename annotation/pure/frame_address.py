"""Addresses of strangers' pages that are shown in a frame: which are allowed, their origin, and what is appended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from annotation.pure.elements import Malformed

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"  # the assignmentId of a preview
_LOOPBACK = re.compile(r"(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|::1)", re.I)
_PLAIN = "!#$%&'()*+,/:;=?@[]~"
_PORTS = {"http": 80, "https": 443}


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, which may go without https."""
    return bool(_LOOPBACK.fullmatch(host))


def check_address(url: str) -> None:
    """Raises Malformed for what may not be shown in a frame: anything but https, or http on this machine."""
    try:
        parts = urlsplit(url)
        host, _port, _origin = parts.hostname or "", parts.port, origin_of(url)
    except ValueError as error:  # of UnicodeError too
        raise Malformed("ExternalURL is not an address.") from error
    if parts.scheme not in _PORTS or not re.fullmatch(r"[\w.\-]+|[0-9a-f:.]+", host):
        raise Malformed("ExternalURL must be an https address.")
    if parts.username is not None or re.search(r"[\s<>\"\\\x00-\x1f\x7f]", url):
        raise Malformed("ExternalURL holds characters that an address does not have.")
    if parts.scheme == "http" and not is_loopback(host):
        raise Malformed("ExternalURL must use https.")


def origin_of(url: str) -> str:
    """Scheme, host and port as browsers compare them; raises ValueError for what has none."""
    parts = urlsplit(url)
    host = (
        (parts.hostname or "").encode("idna").decode("ascii") if ":" not in (parts.hostname or "") else parts.hostname
    )
    if not host:
        raise ValueError("no host")
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in {None, _PORTS.get(parts.scheme)} else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"


def with_query(url: str, added: Mapping[str, str]) -> str:
    """The address with parameters behind those that it has; they replace its own of the same names."""
    parts = urlsplit(url)
    own = [each for each in parts.query.split("&") if each and each.partition("=")[0] not in added]
    query = "&".join([*own, urlencode(added, quote_via=quote)])
    return urlunsplit((parts.scheme, parts.netloc, quote(parts.path, safe=_PLAIN), query, parts.fragment))
