"""Where a comparison runs, and what it yields."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from tests import run_postgres
from tests.process.installation import Installation


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the output; `figure` is compared with `goal` as `at_most` says."""

    what: str
    figure: float
    goal: float
    unit: str = "times"
    at_most: bool = True

    def __str__(self) -> str:
        kept = self.figure <= self.goal if self.at_most else self.figure >= self.goal
        bound = f"goal {'≤' if self.at_most else '≥'} {self.goal:g}"
        return f"{'ok    ' if kept else 'MISSED'} {self.what:<66} {self.figure:>10.2f} {self.unit:<9} {bound}"


QUIET = 0.1  # of all cores


def busy_by_others(seconds: float = 1.0) -> float:
    """The share of all cores that other processes use while this one sleeps; 0 where that is little."""
    before = _processor_times()
    time.sleep(seconds)
    used, whole = (after - earlier for after, earlier in zip(_processor_times(), before, strict=True))
    return used / whole if used > QUIET * whole else 0.0


def _processor_times() -> tuple[int, int]:
    """(used, in all) since the machine started, in ticks (Linux)."""
    ticks = [int(number) for number in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


class Bench:
    """Makes installations on fresh databases of both kinds, in a folder that goes afterwards."""

    def __init__(self, folder: Path, cluster: run_postgres.Cluster | None) -> None:
        self.folder, self.cluster = folder, cluster
        self.kinds = ["SQLite", *(["PostgreSQL"] if cluster else [])]
        (folder / "collected").mkdir()

    @contextmanager
    def installation(self, kind: str, *, broker: str = "") -> Iterator[Installation]:
        var = self.folder / uuid4().hex
        var.mkdir()
        url = f"sqlite:///{var / 'hopscribe.sqlite3'}"
        if kind == "PostgreSQL" and self.cluster is not None:
            url = self.cluster.create(uuid4().hex)
        made = Installation(var, url, static=self.folder / "collected", broker=broker)
        try:
            made.manage("collectstatic", "--noinput", "--verbosity", "0")
            yield made
        finally:
            made.close()
