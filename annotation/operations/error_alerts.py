"""Error alerts: each logged error with a traceback is posted to ERROR_HOOK_URL.

The same error is posted once in ten minutes, in a thread of its own; failures to post are logged, but not posted.
"""

import hashlib
import json
import logging
import os
import queue
import threading
import time
from collections import deque
from datetime import UTC, datetime
from typing import Any

from django.db import InterfaceError, OperationalError

from annotation.flow.notifications import safe_http
from annotation.flow.projects import request_context
from annotation.operations.logs import frames_of, route_of

AGAIN_AFTER = 600.0  # seconds for which the same error is only counted
MOST_A_MINUTE = 20  # of different ones
MOST_WAITING = 50
# the database is away or locked: /readyz and the figures tell that
DATABASE_ERRORS = (OperationalError, InterfaceError)
log = logging.getLogger(__name__)


def fingerprint(error: BaseException) -> str:
    """A key that is equal for errors of one type raised at one place, whatever their message."""
    places = [frame.partition(" ")[0] for frame in frames_of(error.__traceback__)[-3:]]
    return hashlib.sha256(f"{type(error).__qualname__} {places}".encode()).hexdigest()[:16]


class AlertHandler(logging.Handler):
    """A log handler that posts errors from a thread, started in each process because threads do not survive a fork."""

    def __init__(self, url: str) -> None:
        super().__init__(logging.ERROR)
        self.url = url
        self.waiting: queue.Queue[bytes] = queue.Queue(MOST_WAITING)
        self._sent: dict[str, tuple[float, int]] = {}  # {fingerprint: (when it was told last, how often since)}
        self._recent: deque[float] = deque(maxlen=MOST_A_MINUTE)
        self._pid, self._lock = 0, threading.Lock()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record; never raises and never blocks."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, DATABASE_ERRORS) or record.name.startswith("django.security"):
            return
        try:
            name = fingerprint(error)
            missed = self._is_due(name)
            if missed is not None:
                self.waiting.put_nowait(json.dumps(self._content(record, error, name, missed)).encode())
                self._run()
        except Exception:  # whatever is wrong with telling, the request or job goes on
            return

    def _is_due(self, name: str) -> int | None:
        """How often this error was suppressed since it was last posted; None if it is still to be suppressed."""
        now = time.monotonic()
        with self._lock:
            last, missed = self._sent.get(name, (0.0, 0))
            full = len(self._recent) == MOST_A_MINUTE and now - self._recent[0] < 60
            if full or (last and now - last < AGAIN_AFTER):
                self._sent[name] = (last, missed + 1)
                return None
            if len(self._sent) > 1000:
                self._sent.clear()
            self._sent[name] = (now, 0)
            self._recent.append(now)
            return missed

    def _content(self, record: logging.LogRecord, error: BaseException, name: str, missed: int) -> dict[str, Any]:
        """The alert as JSON, without the error's message and values, which may contain what somebody typed."""
        from annotation.flow.data.derivation import code_version  # needs the models, which log before they are there

        request = getattr(record, "request", None)
        return {
            "at": datetime.now(UTC).isoformat(),
            "error": f"{type(error).__module__}.{type(error).__qualname__}",
            "frames": frames_of(error.__traceback__),
            "fingerprint": name,
            "missed": missed,
            "logger": record.name,
            "route": route_of(request) if request is not None else "",
            "request_id": request_context.current.get(),
            "version": code_version(),
        }

    def _run(self) -> None:
        with self._lock:
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._send_all, name="hopscribe-alarms", daemon=True).start()

    def _send_all(self) -> None:
        while True:
            body = self.waiting.get()
            try:
                status = safe_http.post(self.url, body, {"Content-Type": "application/json"}, inside=True)
                if not 200 <= status < 300:
                    log.warning("ERROR_HOOK_URL answered %s", status)
            except safe_http.NotSent:
                log.warning("ERROR_HOOK_URL could not be reached")
            finally:
                self.waiting.task_done()
