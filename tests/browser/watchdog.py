"""A browser that hangs: its test is named with where it waits, and the browser ended.

Chromium may stop answering with all its threads idle: it did, about once in thirty times, where a page was closed while
it was on its way to another (tests/browser/contexts.py closes none so). Such a test runs once more in a new browser; a
page that hangs by a fault of ours hangs again, and fails.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from pathlib import Path

import greenlet

LONGEST = 180  # seconds in which every test of the browser is long over, also on a busy machine


def stacks() -> str:
    """Where Playwright's greenlets wait, which no stack of a thread shows."""
    # by its type: `isinstance` would wake lazy objects of Django, some of which cannot be made here
    waiting = [each for each in gc.get_objects() if issubclass(type(each), greenlet.greenlet) and each.gr_frame]
    return "\n".join("".join(traceback.format_stack(each.gr_frame)[-12:]) for each in waiting)


def children(pid: int) -> list[int]:
    """All processes below a process."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            _name, _paren, rest = status.read_text().rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        parents[int(status.parent.name)] = int(rest.split()[1])
    below = [child for child, parent in parents.items() if parent == pid]
    return below + [each for child in below for each in children(child)]


class Watchdog:
    """Started for each test, and for closing the browser, and stopped at its end."""

    def __init__(self, test: str, longest: float = LONGEST) -> None:
        self.test, self.bit = test, False
        self._timer = threading.Timer(longest, self._end)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.bit = True
        print(f"{self.test} hangs; its browser is ended\n{stacks()}", file=sys.__stderr__, flush=True)
        for pid in children(os.getpid()):
            try:
                name = Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0")[0]
                if b"chrom" in name:
                    os.kill(pid, signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended meanwhile
