"""A thread in each web process that runs background jobs and sweeps when there is no broker."""

import fcntl
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import close_old_connections, connections

from annotation import jobs

SECONDS_BETWEEN_LOOKS = 5.0
log = logging.getLogger(__name__)


def start() -> threading.Thread:
    """Start the thread. If its process ends during a job, another process takes the job over."""
    thread = threading.Thread(target=_forever, name="hopscribe-jobs", daemon=True)
    thread.start()
    return thread


def _forever() -> None:
    while True:
        look()
        jobs.bell.wait(SECONDS_BETWEEN_LOOKS)
        jobs.bell.clear()


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


def look() -> None:
    """Run once what is due. If the database is unreachable, log it and try again in the next round."""
    try:
        close_old_connections()
        jobs.run_due_work(turn=_turn())
    except Exception:
        log.exception("background jobs failed; trying again")
    finally:
        connections.close_all()
