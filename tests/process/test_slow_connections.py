"""Connections that send a byte a second, without an account, while people work; and requests with two ends."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from threading import Event, Thread

import pytest

from annotation.operations import buffering_worker
from tests.process.installation import Installation
from tests.waiting import until

HEAD = b"POST /accounts/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
SLOW = 200


@pytest.fixture
def database(on_sqlite: str) -> str:
    """One kind of database is enough."""
    return on_sqlite


@contextmanager
def slow_senders(port: int) -> Iterator[list[socket.socket]]:
    """Half of them never finish their headers, half their body."""
    done = Event()
    with ExitStack() as held:
        senders = [held.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(SLOW)]
        for number, sender in enumerate(senders):
            sender.sendall(HEAD if number % 2 else HEAD[:-2] + b"X-Slow: ")

        def trickle() -> None:
            while not done.wait(1):
                for sender in senders:
                    sender.send(b"a")

        thread = Thread(target=trickle)
        thread.start()
        try:
            yield senders
        finally:
            done.set()
            thread.join()


def status(port: int, method: str = "GET", path: str = "/accounts/sign-in/") -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path)
    answered = connection.getresponse().status
    connection.close()
    return answered


def test_people_are_served_while_two_hundred_connections_send_a_byte_a_second(installation: Installation) -> None:
    installation.start_web(workers=1)
    with slow_senders(installation.port):
        time.sleep(2)  # each connection has sent two more bytes
        assert [status(installation.port) for _ in range(20)] == [200] * 20
        assert status(installation.port, path="/healthz") == 200


def test_a_head_request_gets_no_body_before_the_next_response(installation: Installation) -> None:
    installation.start_web(workers=1)
    page = b" /accounts/sign-in/ HTTP/1.1\r\nHost: localhost\r\n"
    with socket.create_connection(("127.0.0.1", installation.port), timeout=10) as sender:
        sender.sendall(b"HEAD" + page + b"\r\nGET" + page + b"Connection: close\r\n\r\n")
        received = b"".join(iter(lambda: sender.recv(65536), b""))
    first, _, rest = received.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 200")
    assert rest.startswith(b"HTTP/1.1 200"), rest[:200]


@pytest.mark.parametrize("version", [b"1.1", b"1.0"])
def test_a_request_that_tells_its_length_twice_is_refused_and_its_connection_closed(
    installation: Installation, version: bytes
) -> None:
    installation.start_web(workers=1)
    head = HEAD.replace(b"Content-Length: 100000", b"Content-Length: 5\r\nTransfer-Encoding: chunked")
    with socket.create_connection(("127.0.0.1", installation.port), timeout=10) as sender:
        sender.sendall(head.replace(b"1.1", version) + b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = sender.makefile("rb").read()
    assert received.startswith(b"HTTP/" + version + b" 400")
    assert b"200 OK" not in received


@contextmanager
def reopening(port: int, number: int, head: bytes, *, source: str = "127.0.0.1") -> Iterator[list[int]]:
    """So many slow connections from one address, each opened again as soon as it is closed; counts how often."""
    done, opened = Event(), [0]

    def keep(share: int) -> None:
        with selectors.DefaultSelector() as watched, suppress(OSError):
            for _ in range(share):
                _open(watched)
            while not done.is_set():
                for key, _events in watched.select(0.05):
                    watched.unregister(key.fileobj)
                    key.fileobj.close()
                    _open(watched)
            for key in list(watched.get_map().values()):
                key.fileobj.close()

    def _open(watched: selectors.DefaultSelector) -> None:
        sender = socket.create_connection(("127.0.0.1", port), source_address=(source, 0), timeout=20)
        sender.sendall(head)
        opened[0] += 1
        watched.register(sender, selectors.EVENT_READ)

    threads = [Thread(target=keep, args=(number // 4,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield opened
    finally:
        done.set()
        for thread in threads:
            thread.join()


FORWARDED = HEAD.replace(b"Host:", b"X-Forwarded-For: 198.51.100.7, %s\r\nHost:")


@pytest.mark.parametrize("way", [pytest.param("direct", marks=pytest.mark.soak), "proxied"])
def test_one_address_that_reopens_slow_connections_keeps_nobody_out(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    if way == "direct":
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.9")
    installation.start_web(workers=1)
    head = HEAD if way == "direct" else FORWARDED % b"203.0.113.5"
    with reopening(installation.port, 1000, head, source="127.0.0.2") as opened:
        until(lambda: opened[0] > 1200)  # connections were closed, so there are more than can be open at once
        assert [status(installation.port) for _ in range(10)] == [200] * 10


@pytest.mark.soak
def test_a_body_that_comes_in_pieces_is_read_whole(installation: Installation) -> None:
    installation.start_web(workers=1)
    body = b"username=somebody&password=wrong"
    head = HEAD.replace(b"Content-Length: 100000", b"Connection: close\r\nTransfer-Encoding: chunked")
    with socket.create_connection(("127.0.0.1", installation.port), timeout=10) as sender:
        sender.sendall(head)
        for byte in body:
            sender.sendall(b"1\r\n" + bytes([byte]) + b"\r\n")
        sender.sendall(b"0\r\n\r\n")
        answer = sender.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 403")  # read to its end: it has no CSRF token


@pytest.mark.soak
def test_stopping_lets_what_is_arriving_be_answered(installation: Installation) -> None:
    installation.start_web(workers=1)
    with socket.create_connection(("127.0.0.1", installation.port), timeout=20) as sender:
        sender.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n")
        time.sleep(0.5)  # the server has the first half of a request, and tells nobody
        web = installation.stop_web_gracefully()
        time.sleep(1)  # it has heard the signal, and tells nobody
        sender.sendall(b"Connection: close\r\n\r\n")
        assert sender.recv(100).startswith(b"HTTP/1.1 200")
    assert web.wait(timeout=20) == 0


def test_a_request_that_trickles_is_dropped_and_a_slow_one_is_not() -> None:
    channel = buffering_worker.Channel.__new__(buffering_worker.Channel)
    channel.request = object()
    channel.since, channel.arrived = 0.0, 20_000
    assert not channel.is_trickling(buffering_worker.GRACE)  # too early to tell
    assert not channel.is_trickling(39)
    assert channel.is_trickling(41)  # fewer than 500 bytes a second
    channel.arrived = 10**9
    assert not channel.is_trickling(buffering_worker.LONGEST)
    assert channel.is_trickling(buffering_worker.LONGEST + 1)  # no request takes so long, however large
    channel.request = None
    assert not channel.is_trickling(41)  # it waits for the next request
