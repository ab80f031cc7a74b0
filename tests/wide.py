"""The tests that `make quick` leaves out: those of `tests/wide.txt`, which took long when all were measured.

A line is the name of a test function; `… first` keeps the first of its cases. `python -m tests.wide FILE …` writes the
list anew from what `pytest --junitxml FILE` measured.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).with_name("wide.txt")
LONG = 0.06  # seconds of all cases of a function
ALWAYS = {"tests/test_architecture.py::test_the_house_keeps_its_rules"}


def mark(items: Iterable[pytest.Item], lines: Iterable[str], order: Callable[[pytest.Item], Any]) -> None:
    """Mark what is listed `wide`; `order` tells where a test stands among the cases of its function."""
    listed = {name: rest for name, _space, rest in (line.partition(" ") for line in lines)}
    seen: set[str] = set()
    for item in sorted(items, key=order):
        name = item.nodeid.partition("[")[0]
        if name in listed and (listed[name] != "first" or name in seen):
            item.add_marker(pytest.mark.wide)
        elif not item.get_closest_marker("soak"):
            seen.add(name)


def lines_of(reports: Iterable[Path]) -> list[str]:
    """The list by what was measured."""
    seconds = defaultdict[str, list[float]](list)
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '').partition('[')[0]}"
            seconds[name].append(float(case.get("time", 0)))
    long = {name: cases for name, cases in seconds.items() if sum(cases) >= LONG and name not in ALWAYS}
    return sorted(f"{name} first" if sum(of) < LONG * len(of) else name for name, of in long.items())


if __name__ == "__main__":
    LIST.write_text("".join(f"{line}\n" for line in lines_of(map(Path, sys.argv[1:]))))
