"""From where a web address works, judged by its host."""

from ipaddress import ip_address
from typing import Final

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
