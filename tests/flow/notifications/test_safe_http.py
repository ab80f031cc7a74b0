"""Nothing inside the house can be reached by a webhook's address, and no webhook can hold us up."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotation.flow.notifications import safe_http
from annotation.flow.notifications.safe_http import NotSent

INSIDE = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
    "http://[::]/",
    "http://0.0.0.0/",
    "http://0/",
    "http://10.0.0.1/",
    "http://10.255.255.255:8000/",
    "http://172.16.0.1/",
    "http://172.31.255.254/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://192.0.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "https://127.0.0.1/",
    "https://10.0.0.1:8443/",
]
NO_ADDRESS = [
    "ftp://8.8.8.8/",
    "file:///etc/passwd",
    "gopher://8.8.8.8/",
    "dict://8.8.8.8/",
    "ldap://8.8.8.8/",
    "//8.8.8.8/",
    "8.8.8.8",
    "",
    "http://",
    "http:///path",
    "http://8.8.8.8@127.0.0.1/",
    "http://user:{}@8.8.8.8/".format("pass"),
    "http://8.8.8.8\\@127.0.0.1/",
    "http://8.8.8.8/\r\nHost: inside",
    "http://8.8.8.8/#fragment",
    "http://8.8.8.8:99999/",
    "http://8.8.8.8:port/",
    "http://exa mple/",
    "http://ex\u0430mple/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "unix:/var/run/docker.sock",
]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every connection that was begun; none is made."""
    made: list[Any] = []

    def refuse(address: Any, *_: Any, **__: Any) -> Any:
        made.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", refuse)
    return made


@pytest.mark.parametrize("url", [*INSIDE, *NO_ADDRESS])
def test_nothing_inside_is_connected_to(url: str, dialled: list[Any]) -> None:
    with pytest.raises(NotSent):
        safe_http.post(url, b"{}", {})
    assert dialled == []


def resolving(*addresses: str) -> Callable[..., Any]:
    return lambda host, port, **_: [(socket.AF_INET, 0, 0, "", (address, port)) for address in addresses]


def test_one_address_inside_is_enough(monkeypatch: pytest.MonkeyPatch, dialled: list[Any]) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolving("8.8.8.8", "10.0.0.1"))
    with pytest.raises(NotSent, match="inside this network"):
        safe_http.post("http://lab.example/", b"{}", {})
    assert dialled == []


def test_a_name_is_looked_up_once_and_that_address_dialled(monkeypatch: pytest.MonkeyPatch, dialled: list[Any]) -> None:
    answers = iter(["8.8.8.8", "127.0.0.1", "127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, port, **more: resolving(next(answers))(host, port))
    with pytest.raises(NotSent):
        safe_http.post("http://flipping.example:8080/", b"{}", {})
    assert dialled == [("8.8.8.8", 8080)]


def test_loopback_allows_no_more_than_this_machine(dialled: list[Any]) -> None:
    for url in ("http://10.0.0.1/", "http://169.254.169.254/"):
        with pytest.raises(NotSent):
            safe_http.post(url, b"{}", {}, loopback=True)
    assert dialled == []
    with pytest.raises(NotSent):
        safe_http.post("http://127.0.0.1:81/", b"{}", {}, loopback=True)
    assert dialled == [("127.0.0.1", 81)]


@contextmanager
def listening(*answers: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A server that sends these bytes to one caller after another, and what it was sent."""
    seen: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(10)

    def serve() -> None:
        for answer in answers:
            caller, _address = server.accept()
            with caller:
                caller.settimeout(10)
                sent = b""
                while b"}" not in sent and (piece := caller.recv(65536)):
                    sent += piece
                seen.append(sent)
                caller.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1], seen
    finally:
        thread.join()
        server.close()


def test_a_post_arrives_whole_and_its_status_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")
    with listening(b"HTTP/1.1 204 No Content\r\n\r\n") as (port, seen):
        status = safe_http.post(f"http://127.0.0.1:{port}/hook?a=1", b'{"x":1}', {"X-Key": "k"}, loopback=True)
    assert status == 204
    head, body = seen[0].split(b"\r\n\r\n")
    assert body == b'{"x":1}'
    assert head.split(b"\r\n") == [
        b"POST /hook?a=1 HTTP/1.1",
        b"Host: 127.0.0.1:%d" % port,
        b"Content-Length: 7",
        b"Connection: close",
        b"X-Key: k",
    ]


def test_a_redirect_is_an_answer_and_not_followed() -> None:
    with listening(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n") as (port, _seen):
        assert safe_http.post(f"http://127.0.0.1:{port}/", b"{}", {}, loopback=True) == 302


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1\r\n", b"x" * 9000, b"HTTP/1.1 abc\r\n"])
def test_what_is_no_answer_is_none(answer: bytes) -> None:
    with listening(answer) as (port, _seen), pytest.raises(NotSent):
        safe_http.post(f"http://127.0.0.1:{port}/", b"{}", {}, loopback=True)


def test_whoever_says_nothing_does_not_hold_us_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_http, "SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as no_progress, pytest.raises(NotSent):
        safe_http.post(f"http://127.0.0.1:{no_progress.getsockname()[1]}/", b"{}", {}, loopback=True)


def test_whoever_dribbles_does_not_hold_us_up_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece comes in time, the whole does not."""
    monkeypatch.setattr(safe_http, "SECONDS", 0.3)
    server = socket.create_server(("127.0.0.1", 0))

    def dribble() -> None:
        caller, _address = server.accept()
        with caller, contextlib.suppress(OSError):
            for _time in range(20):
                caller.sendall(b"H")
                time.sleep(0.05)  # slow on purpose: each byte within the limit, the whole not

    thread = threading.Thread(target=dribble)
    thread.start()
    with server, pytest.raises(NotSent, match="no answer within"):
        safe_http.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, loopback=True)
    thread.join()


def test_the_time_that_a_name_takes_to_be_looked_up_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_http, "SECONDS", 0.2)

    def slowly(host: str, port: int, *_: Any, **__: Any) -> Any:
        time.sleep(0.3)  # longer than the limit
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]

    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(socket, "getaddrinfo", slowly)
        with pytest.raises(NotSent, match="no answer within"):
            safe_http.post(f"http://slow.example:{server.getsockname()[1]}/", b"{}", {}, loopback=True)


def test_a_header_cannot_begin_another_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(NotSent):
        safe_http.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {"X": "a\r\nY: b"}, loopback=True)
