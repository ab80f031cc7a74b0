"""From where the links of a page work."""

from __future__ import annotations

import pytest

from annotation.pure.net.addresses import COMPUTER, EVERYWHERE, NETWORK, reach_of


@pytest.mark.parametrize(
    ("host", "reach"),
    [
        ("localhost:8000", COMPUTER),
        ("LOCALHOST", COMPUTER),
        ("127.0.0.2:8000", COMPUTER),
        ("[::1]:8000", COMPUTER),
        ("192.168.1.20:8000", NETWORK),
        ("10.0.0.1", NETWORK),
        ("[fe80::1]", NETWORK),
        ("labserver", NETWORK),
        ("labserver.local:8000", NETWORK),
        ("hopscribe.lab.example", EVERYWHERE),
        ("8.8.8.8:80", EVERYWHERE),
        ("[2606:4700::1111]:443", EVERYWHERE),
    ],
)
def test_it_tells_from_where_a_host_can_be_reached(host: str, reach: str) -> None:
    assert reach_of(host) == reach
