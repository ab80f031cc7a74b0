"""Which addresses a server may be sent to."""

from __future__ import annotations

import pytest

from annotation.pure.net.addresses import is_public, origin_of

INSIDE = [
    "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1",
    "255.255.255.255", "192.0.2.1", "198.18.0.1", "192.88.99.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1",
    "fec0::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::a00:1",
    "2002:7f00:1::", "2002:a9fe:a9fe::", "", "localhost", "2130706433", "0x7f.1", "127.1", "017700000001",
]  # fmt: skip
OUTSIDE = ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
ODD = [
    "", "example.org", "//example.org", "ftp://example.org", "file:///etc/passwd", "gopher://example.org",
    "https://user@example.org",
    "https://user:{}@example.org".format("word"), "https://", "https:///path", "https://exa mple.org",
    "https://example.org\\@evil.example", "https://example.org#x", "https://example.org:port", "https://ex\u00e4mple.org",
    "https://example.org:99999", "https://[::1", "javascript:alert(1)", "https://example.org\n", "https://" + "a" * 400,
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
def test_what_lies_inside_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_what_lies_outside_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("url", ODD)
def test_what_is_no_plain_address_has_no_origin(url: str) -> None:
    assert origin_of(url) == ""


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin_of("https://Example.org/mturk/?a=1") == "https://example.org"
    assert origin_of("http://127.0.0.1:8000/mturk/") == "http://127.0.0.1:8000"
    assert origin_of("https://[2606:4700::1]:8443/") == "https://[2606:4700::1]:8443"
