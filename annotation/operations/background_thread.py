"""A thread in each web process that runs background jobs and sweeps when there is no broker."""

import fcntl
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.signals import request_started
from django.db import close_old_connections, connections

from annotation import jobs
from annotation.operations import wake_ups

SECONDS_BETWEEN_LOOKS = 5.0
WHEN_QUIET = 30.0  # as often as where a broker's schedule calls
QUIET_AFTER = 120.0
MONITORING = "/healthz", "/readyz", "/metrics"  # which are asked for all day
log = logging.getLogger(__name__)


def start() -> threading.Thread:
    """Start the thread. If its process ends during a job, another process takes the job over."""
    request_started.connect(_note_use)
    thread = threading.Thread(target=_forever, name="hopscribe-jobs", daemon=True)
    thread.start()
    return thread


def _note_use(environ: dict[str, Any] | None = None, **_more: Any) -> None:
    if environ is None or environ.get("PATH_INFO") not in MONITORING:
        _used[0] = time.monotonic()


_used = [0.0]  # when somebody used this process


def _forever() -> None:
    _note_use()
    while True:
        wake_up, began = wake_ups.last(), time.monotonic()
        run_due_once()
        while not (jobs.bell.wait(SECONDS_BETWEEN_LOOKS) or is_time(wake_up, began)):
            pass


def is_time(wake_up: int, began: float) -> bool:
    """Whether to look again after one that `began` then, with `wake_up` the last before it: seldom if nobody works."""
    now = time.monotonic()
    return now < _used[0] + QUIET_AFTER or now >= began + WHEN_QUIET or wake_ups.last() != wake_up


@contextmanager
def _turn() -> Iterator[bool]:
    """Whether this process may sweep: not while another of this machine does, nor when one just did."""
    with (settings.VAR / "sweeps.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # who has to wait has nothing to do: the other sweeps
        except BlockingIOError:
            yield False
        else:
            file.seek(0)
            # monotone time starts anew with the machine: one that is later than now is from before
            since = time.monotonic() - float(file.read() or "-inf")
            if 0 <= since < SECONDS_BETWEEN_LOOKS:
                yield False
                return
            file.truncate(0)
            file.write(f"{time.monotonic()}")
            yield True


def run_due_once() -> None:
    """Run once what is due. If the database is unreachable, log it and try again in the next round."""
    try:
        close_old_connections()
        woken = jobs.bell.is_set()
        jobs.bell.clear()
        jobs.run_due_work(turn=_turn(), woken=woken)
    except Exception:
        log.exception("background jobs failed; trying again")
    finally:
        connections.close_all()
