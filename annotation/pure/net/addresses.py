"""Internet addresses: the public ones, to which alone requests to URLs of users may go (SSRF); one household's; from
where a web address works.
"""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

CARRIES_V4: Final = [  # NAT64 (RFC 6052, 8215), and the old IPv4-compatible ones (RFC 4291)
    ip_network("64:ff9b::/96"),
    ip_network("64:ff9b:1::/48"),
    ip_network("::/96"),
]
SEEMS_GLOBAL: Final = [ip_network("192.88.99.0/24"), ip_network("fec0::/10")]  # 6to4 relays, site-local
MOST_LETTERS: Final = 300
OPEN_PORTS: Final = (80, 443)  # and all from 1024 on


def is_public(address: str) -> bool:
    """Whether a textual IP address belongs to the public internet; False if it is not an IP address.

    For an IPv6 address that embeds an IPv4 address, the latter is checked.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(
        each.is_global
        and not each.is_multicast
        and not any(each.version == network.version and each in network for network in SEEMS_GLOBAL)
        for each in _inside(ip)
    )


def is_address(host: str) -> bool:
    """Whether a host is a literal IP address rather than a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def closed_port(url: str) -> int | None:
    """The port of an http(s) URL if requests to it are refused (below 1024, except OPEN_PORTS); else None."""
    port = urlsplit(url).port
    return port if port is not None and port not in OPEN_PORTS and port < 1024 else None


def _inside(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    if isinstance(address, IPv4Address):
        return [address]
    if any(address in network for network in CARRIES_V4):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    return [address, *(address.teredo or ())]


def origin_of(url: str) -> str:
    """Scheme, host and port of an absolute http(s) address, in lower case; empty for anything else.

    User info, unusual characters and fragments are refused, so that people and programs see the same host.
    """
    if len(url) > MOST_LETTERS or any(letter <= " " or letter in "\\^`{}|<>\"'" or letter > "~" for letter in url):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    host = (parts.hostname or "").lower()
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc or parts.fragment:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port is not None else "")


COMPUTER, NETWORK, EVERYWHERE = "computer", "network", "everywhere"
LOCAL_ENDINGS: Final = (".local", ".lan", ".home", ".internal", ".home.arpa", ".localdomain")


def reach_of(host: str) -> str:
    """COMPUTER for a loopback host, NETWORK for a private address or a local name, else EVERYWHERE.

    `host` is that of a request, as `name:port` or `[::1]:port`.
    """
    name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.rpartition(":")[0] or host
    name = name.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return COMPUTER
    try:
        address = ip_address(name)
    except ValueError:
        return NETWORK if "." not in name or name.endswith(LOCAL_ENDINGS) else EVERYWHERE
    if address.is_loopback:
        return COMPUTER
    return EVERYWHERE if address.is_global else NETWORK


def household(address: str) -> str:
    """An IPv4 address as it is, an IPv6 address as its /64; what is no address is returned unchanged."""
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address
