"""The rules of clocks: what is stored is never the web server's time, and tests wait for things, not for time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture import sources

# Who may ask this machine what time it is, and why; all others compare by the database's (annotation/models/clock.py).
OWN_CLOCK = {
    "annotation/models/clock.py": "is the clock",
    "annotation/operations/doctor.py": "compares this machine's clock with the database's, and with times of files",
    "annotation/operations/backup.py": "names files, and compares with times of files",
    "annotation/operations/uploads.py": "compares with times of files",
    "annotation/operations/error_alerts.py": "tells when a process noticed something; the database may be away",
    "annotation/mturk_api/endpoint.py": "puts the time behind messages of errors; the database may be away",
    "annotation/views/people/timesheet.py": "asks what day it is where somebody looks at a calendar",
}
ASKS_THE_TIME = re.compile(r"\b(?:timezone|datetime|time)\.(?:now|utcnow|today|time)\b|\bDateTimeField\(.*auto_now")


def other_clocks(root: Path) -> Iterator[str]:
    """Times by the web server's clock, which may be another one than that of what they are compared with."""
    for source in sources(root, "annotation"):
        if source.path in OWN_CLOCK:
            continue
        for number, line in enumerate(source.text.splitlines(), 1):
            if found := ASKS_THE_TIME.search(line):
                yield f"{source.path}:{number} {found[0]}: stored and compared times come from clock.now() or Now()"


SLEEPS = re.compile(r"\b(?:sleep|wait_for_timeout)\(")
TIMES = re.compile(r"assert\b.*\b(?:monotonic|perf_counter|process_time)\(\) - ")
MEASURE = ("tests/bench/", "tests/clocks.py", "tests/test_architecture.py")  # comparisons; these rules


def timed_tests(root: Path) -> Iterator[str]:
    """Tests that let time pass without the reason on the line (tests/waiting.py waits), or that measure it."""
    for source in sources(root, "tests"):
        for number, line in enumerate(source.text.splitlines(), 1):
            if source.path.startswith(MEASURE):
                continue
            if SLEEPS.search(line) and "  # " not in line:
                yield f"{source.path}:{number} waits for time to pass: use tests/waiting.py, or say why on the line"
            if TIMES.search(line):
                yield f"{source.path}:{number} measures time, which is for tests/bench"
