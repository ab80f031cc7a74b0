"""A gunicorn worker that reads each request completely before a thread handles it, so slow clients hold no thread.

gunicorn manages the processes (reload, heartbeat, restarts); waitress reads, queues and answers inside each.
"""

import logging
import os
import time
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ThreadedTaskDispatcher

from annotation.pure.net.addresses import household

GRACE = 30.0  # seconds in which a request may arrive as slowly as it likes
LEAST_RATE = 500  # bytes a second, over the whole request, after that
LONGEST = 2 * 3600.0  # seconds that any request may take to arrive; the proxy's read_body is the same
MOST_OF_ADDRESS = 200  # connections of one address in this process: a quarter of all, and enough for a university
IDLE = 60  # seconds without a byte either way
FORM = 64 * 1024 * 1024  # bytes that a form may have beside its file
TICK = 0.5  # seconds between looks at signals and at slow requests

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # more requests than threads are nothing to tell


class Parser(HTTPRequestParser):
    """Refuses a request whose end a proxy could see elsewhere (RFC 9112, section 6.3), and closes its connection."""

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        # what waitress understands of Transfer-Encoding it takes out of the headers: HTTP/1.0 has no such thing
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("Send either Content-Length or Transfer-Encoding.")


class Channel(HTTPChannel):
    """A connection that records whose it is, when its current request began to arrive, and how much of it has arrived.

    If an address has too many, that which waits longest for the rest of a request, or for the next one, is closed.
    """

    parser_class = Parser
    worker: "BufferingWorker"  # set in a subclass for each worker

    since = 0.0
    arrived = 0
    client = ""  # "" as long as only the proxy is known

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.since, peer = time.monotonic(), str(self.addr[0])
        self.is_forwarded = self.worker.is_trusted(peer)
        if not self.is_forwarded:
            self.client = household(peer)
            self.make_room()

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.since, self.arrived = time.monotonic(), 0
            self.client = "" if self.is_forwarded else self.client
        self.arrived += len(data)
        taken = bool(super().received(data))
        # a request that has arrived whole is not slow
        if self.is_forwarded and not self.client and self.request is not None and self.request.headers_finished:
            # the last address is that which the proxy added; what is before it anybody can write
            self.client = household(self.request.headers.get("X_FORWARDED_FOR", "").rpartition(",")[2].strip())
            self.make_room()
        return taken

    def make_room(self) -> None:
        """Close a connection of this client if there are more than one may have."""
        rows = [each for each in self._map.values() if isinstance(each, Channel) and each.client == self.client]
        if self.client and len(rows) > MOST_OF_ADDRESS:
            waiting = [each for each in rows if not (each.requests or each.total_outbufs_len)]
            min(waiting, key=lambda each: each.since).handle_close()

    def is_trickling(self, now: float) -> bool:
        """Whether the request arrives so slowly that it may be an attack (slowloris)."""
        taken = now - self.since
        return self.request is not None and taken > GRACE and (self.arrived < taken * LEAST_RATE or taken > LONGEST)


class BufferingWorker(Worker):
    """A worker that counts requests, stops gracefully and logs as gunicorn's own workers do."""

    def run(self) -> None:
        """Serve until gunicorn stops the worker; requests under way are finished first."""
        channels: dict[int, Any] = {}
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.set_thread_count(self.cfg.threads)
        create_server(
            self._application,
            map=channels,
            _dispatcher=dispatcher,
            sockets=[listener.sock for listener in self.sockets],
            connection_limit=self.cfg.worker_connections,
            backlog=self.cfg.backlog,
            channel_timeout=IDLE,
            cleanup_interval=5,
            ident=None,
            max_request_body_size=settings.UPLOAD_LIMIT + FORM,
            clear_untrusted_proxy_headers=False,  # Django's settings say what is believed of them
        )
        servers = [each for each in channels.values() if isinstance(each, BaseWSGIServer)]
        for server in servers:
            server.channel_class = type("Channel", (Channel,), {"worker": self})
        while self.alive and self.ppid == os.getppid():
            self._turn(channels)
        for server in servers:
            server.accepting = False  # not closed: the threads wake this loop through it
        until = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < until and any(is_busy(each) for each in channels.values()):
            self._turn(channels)
        dispatcher.shutdown()

    _looked = 0.0

    def _turn(self, channels: dict[int, Any]) -> None:
        wasyncore.loop(timeout=TICK, use_poll=True, map=channels, count=1)
        now = time.monotonic()
        if now < self._looked + TICK:
            return
        self._looked = now
        self.notify()
        for channel in [each for each in channels.values() if isinstance(each, Channel)]:
            if channel.is_trickling(now):
                channel.handle_close()

    def _application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        self.nr += 1
        if self.nr >= self.max_requests and self.alive:
            self.log.info("Autorestarting worker after current request.")
            self.alive: bool = False
        if environ.get("HTTP_X_FORWARDED_PROTO") == "https" and self.is_trusted(environ.get("REMOTE_ADDR", "")):
            environ["wsgi.url_scheme"] = "https"
        response = self.wsgi(environ, self._logged(environ, start_response))
        if environ["REQUEST_METHOD"] != "HEAD":
            return response
        # Neither Django nor waitress leaves the body out; the next response of the connection would begin with it.
        response.close()
        return ()

    def is_trusted(self, address: str) -> bool:
        """Whether a peer is the proxy, which is believed about whose request it passes on."""
        try:
            peer = ip_address(address)
        except ValueError:
            return True  # a Unix socket
        return "*" in self.cfg.forwarded_allow_ips or any(peer in net for net in self.cfg.forwarded_allow_networks())

    def _logged(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap `start_response` so that it also writes to the access log, if there is one."""
        began = time.monotonic()

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            taken = timedelta(seconds=time.monotonic() - began)
            reply = SimpleNamespace(status=status, headers=headers, sent=None)
            self.log.access(reply, {}, environ | {"RAW_URI": environ["REQUEST_URI"]}, taken)
            return start_response(status, headers, *more)

        return start if self.cfg.accesslog else start_response


def is_busy(channel: Any) -> bool:
    """Whether a request is arriving or being handled, or its response still being sent."""
    return isinstance(channel, Channel) and bool(channel.request or channel.requests or channel.total_outbufs_len)
