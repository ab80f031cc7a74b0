"""A gunicorn worker that reads each request completely before a thread handles it, so slow clients hold no thread.

gunicorn manages the processes (reload, heartbeat, restarts); waitress reads, queues and answers inside each.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ThreadedTaskDispatcher

GRACE = 30.0  # seconds in which a request may arrive as slowly as it likes
LEAST_RATE = 500  # bytes a second, over the whole request, after that
IDLE = 60  # seconds without a byte either way
FORM = 64 * 1024 * 1024  # bytes that a form may have beside its file
TICK = 0.5  # seconds between looks at signals and at slow requests

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # more requests than threads are nothing to tell


class Channel(HTTPChannel):
    """A connection that records when its current request began to arrive, and how many bytes have arrived."""

    since = 0.0
    arrived = 0

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.since, self.arrived = time.monotonic(), 0
        self.arrived += len(data)
        return bool(super().received(data))

    def is_trickling(self, now: float) -> bool:
        """Whether the request arrives so slowly that it may be an attack (slowloris)."""
        taken = now - self.since
        return self.request is not None and taken > GRACE and self.arrived < taken * LEAST_RATE


class BufferingWorker(Worker):  # type: ignore[misc]
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
            server.channel_class = Channel
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

    def _application(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.nr += 1
        if self.nr >= self.max_requests and self.alive:
            self.log.info("Autorestarting worker after current request.")
            self.alive = False
        if environ.get("HTTP_X_FORWARDED_PROTO") == "https" and self._is_trusted(environ.get("REMOTE_ADDR", "")):
            environ["wsgi.url_scheme"] = "https"
        response = self.wsgi(environ, self._logged(environ, start_response))
        if environ["REQUEST_METHOD"] != "HEAD":
            return response
        # Neither Django nor waitress leaves the body out; the next response of the connection would begin with it.
        response.close()
        return ()

    def _is_trusted(self, address: str) -> bool:
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
