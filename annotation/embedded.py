"""Without a broker, a thread of each web process does the background jobs and keeps due times."""

from __future__ import annotations

import logging
import threading

from django.db import close_old_connections, connections

from annotation import jobs

SECONDS_BETWEEN_LOOKS = 5.0
log = logging.getLogger(__name__)


def start() -> threading.Thread:
    """Start the thread; it ends with its process, and whatever it was doing is taken up by another."""
    thread = threading.Thread(target=_forever, name="hopscribe-jobs", daemon=True)
    thread.start()
    return thread


def _forever() -> None:
    while True:
        look()
        jobs.bell.wait(SECONDS_BETWEEN_LOOKS)
        jobs.bell.clear()


def look() -> None:
    """One round. A database that is away is waited for."""
    try:
        close_old_connections()
        jobs.work_off()
    except Exception:
        log.exception("the jobs thread will try again")
    finally:
        connections.close_all()
