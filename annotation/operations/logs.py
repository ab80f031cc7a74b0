"""Logging configuration. Logs contain routes and ids, but never a path, query, form value or name of a person.

Requests and jobs are logged by `hopscribe.request` and `hopscribe.job`. With LOG_FORMAT=json each line is an object
with the fields below; of an error it holds the type and the stack. An error's message may quote what somebody typed,
so it is left out unless LOG_LEVEL is DEBUG.
"""

import fcntl
import logging
import traceback
from collections.abc import Iterable
from io import TextIOWrapper
from itertools import pairwise
from logging.handlers import WatchedFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any

from django.utils.crypto import salted_hmac
from pythonjsonlogger.json import JsonFormatter

from annotation.flow.projects.request_context import current

EXTRA_FIELDS = ("route", "method", "status", "ms", "user", "job", "kind", "tries", "seconds", "outcome")
UNRESOLVED = "unresolved"  # of an address that leads nowhere, and of what is answered before one is looked up


def route_of(request: Any) -> str:
    """The name of the requested route. Paths are not logged, because they may contain secrets such as invite tokens."""
    match = getattr(request, "resolver_match", None)
    return (match.view_name if match else "") or UNRESOLVED


def pseudonym_of(user_id: int) -> str:
    """A keyed pseudonym of a user for the log."""
    return salted_hmac("hopscribe.log", str(user_id), algorithm="sha256").hexdigest()[:16]


class RedactingFilter(logging.Filter):
    """A filter that adds the request's id to a record, and removes the path from Django's messages on requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current.get()
        request = getattr(record, "request", None)
        if request is not None and isinstance(record.args, tuple):
            record.args = tuple(self._named(part, request) for part in record.args)
        if record.name.startswith("django.security.") and record.exc_info:  # it quotes what it refuses
            record.msg, record.args = "refused a request", ()
        return True

    def _named(self, part: Any, request: Any) -> Any:
        """The route instead of the path, or of a reason that quotes the request."""
        return f"<{route_of(request)}>" if isinstance(part, str) and "/" in part else part


def frames_of(trace: TracebackType | None) -> list[str]:
    """The stack of an error: file, line and function of each call, without values of variables."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


class LogFormatter(JsonFormatter):
    """A formatter of JSON lines: time, level, logger, message, request_id, error type and stack, and OURS."""

    def __init__(self, quoting: bool = False, **_: Any) -> None:
        super().__init__("%(levelname)s %(name)s %(message)s", timestamp="time")
        self.quoting = quoting  # whether errors are told with their own text

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        kept = {"time": "time", "levelname": "level", "name": "logger", "message": "message"}
        kept |= {"request_id": "request_id", "error": "error", "frames": "frames"}
        kept |= {name: name for name in EXTRA_FIELDS}
        return {to: log_data[name] for name, to in kept.items() if log_data.get(name) not in (None, "")}

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            record.error = type(error).__qualname__ + (f": {error}" if self.quoting else "")
            record.frames = frames_of(error.__traceback__)
        return super().format(record)


def configuration(*, json: bool, level: str, hook: str = "", file: str = "") -> dict[str, Any]:
    """The LOGGING setting. As JSON, requests and jobs are logged at INFO whatever the level of the rest.

    `hook` is the URL that errors are posted to; `file` is a path that the log is appended to as well.
    """
    options = {"level": "INFO"} if json else {}
    named: Iterable[str] = ("hopscribe.request", "hopscribe.job")
    formatter: dict[str, Any] = {"format": "{asctime} {levelname} {name} {message}", "style": "{"}
    if json:
        formatter = {"()": "annotation.operations.logs.LogFormatter", "quoting": level == "DEBUG"}
    handlers: dict[str, Any] = {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["discreet"]}
    }
    if file:
        own = {"class": "annotation.operations.logs.SharedFileHandler", "filename": file}
        handlers["file"] = handlers["stderr"] | own
    if hook:
        handlers["alarm"] = {"class": "annotation.operations.error_alerts.AlertHandler", "level": "ERROR", "url": hook}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"discreet": {"()": "annotation.operations.logs.RedactingFilter"}},
        "formatters": {"line": formatter},
        "handlers": handlers,
        "loggers": {"django.request": {"level": "ERROR"}} | dict.fromkeys(named, options),
        "root": {"handlers": list(handlers), "level": level},
    }


LARGEST = 5_000_000  # bytes of a file
KEPT = 4  # former files, .1 the newest


class SharedFileHandler(WatchedFileHandler):
    """Appends to a file. The process that finds it full renames it, and the others go on with the new one.

    logging's own RotatingFileHandler is for a single process: of several, each would rename what another just began.
    """

    def __init__(self, filename: str, largest: int = LARGEST, kept: int = KEPT) -> None:
        super().__init__(filename, encoding="utf-8", delay=True)
        self.path, self.largest, self.kept = Path(filename), largest, kept

    def _open(self) -> TextIOWrapper:
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        return super()._open()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            super().emit(record)
            if self.path.stat().st_size >= self.largest:
                self._rotate()
        except OSError:
            self.handleError(record)

    def _rotate(self) -> None:
        # a lock of its own: one on the log would be on the file that another process renames
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.path.stat().st_size < self.largest:  # another process was faster
                return
            names = [self.path, *(self.path.with_name(f"{self.path.name}.{k}") for k in range(1, self.kept + 1))]
            # from the oldest: each has moved before it is replaced
            for former, later in reversed(list(pairwise(names))):
                if former.exists():
                    former.replace(later)
