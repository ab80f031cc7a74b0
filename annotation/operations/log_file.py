"""A log file that the processes of a web server share, in rotation."""

import fcntl
import logging
from io import TextIOWrapper
from itertools import pairwise
from logging.handlers import WatchedFileHandler
from pathlib import Path

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
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.path.stat().st_size < self.largest:  # another process was faster
                return
            names = [self.path, *(self.path.with_name(f"{self.path.name}.{k}") for k in range(1, self.kept + 1))]
            for former, later in reversed(list(pairwise(names))):
                if former.exists():
                    former.replace(later)
