"""Connections of urllib3 that go to public addresses only, even where a name resolves to others (SSRF)."""

import socket
from typing import Any

from annotation.pure.net.addresses import is_public


class NotPublic(Exception):
    """The name leads to an address that is not on the public internet."""


class _Guarded:
    """A mixin for connection classes: resolve once, check, then connect to that address."""

    def _new_conn(self: Any) -> socket.socket:
        name = self._dns_host
        self._dns_host = public_address(name, self.port)
        try:
            found: socket.socket = super()._new_conn()  # type: ignore[misc]  # of the class that it is mixed into
        finally:
            self._dns_host = name  # certificates are still checked against the name
        return found


def public_address(host: str, port: int | None) -> str:
    """The first address of a host all of whose addresses are public. Raises NotPublic, and OSError for no address."""
    found = [row[4][0] for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not found or not all(is_public(str(address)) for address in found):
        raise NotPublic(f"{host} is an address inside this network, so no connection was made")
    return str(found[0])


def guard(manager: Any) -> None:
    """Let a PoolManager connect to public addresses only."""
    manager.pool_classes_by_scheme = {
        scheme: type(pool.__name__, (pool,), {"ConnectionCls": _guarded(pool.ConnectionCls)})
        for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def _guarded(connection: type) -> type:
    return type(connection.__name__, (_Guarded, connection), {})
