"""Internet addresses of one household or organisation, which a limit counts together."""

from ipaddress import ip_network


def household(address: str) -> str:
    """An IPv4 address as it is, an IPv6 address as its /64; what is no address is returned unchanged."""
    try:
        return str(ip_network(f"{address}/64", strict=False)) if ":" in address else address
    except ValueError:
        return address
