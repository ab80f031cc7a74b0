"""Which of our files a request passes through, and how often it crosses from one top-level package to another.

`walk(act)` runs `act` under `sys.setprofile` and counts frames of our own code only. A file counts once; a crossing is
a call from a file of one package to a file of another (`annotation/flow` and `annotation/models` are two packages,
`tasks` and `annotation/mturk_api` one each), each pair of functions once. Left out is what stands around every
request (middleware, request log, metrics), what Django calls for every column (field types), and what stands for its
querysets (kept SQL): nobody reads these to follow one request.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = ("annotation", "tasks")
AROUND = (  # every request, or every column
    "annotation/middleware.py",
    "annotation/models/fields.py",
    "annotation/models/compiled.py",
    "annotation/models/sealed.py",
    "annotation/operations/",
    "annotation/flow/projects/request_context.py",
)


@dataclass
class Walk:
    """`files`: paths from the repository's top; `crossings`: (function that calls, function that is called)."""

    files: set[str] = field(default_factory=set)
    crossings: set[tuple[str, str]] = field(default_factory=set)

    def __str__(self) -> str:
        return f"{len(self.files)} files, {len(self.crossings)} crossings"


def walk(act: Callable[[], Any]) -> Walk:
    """What `act` passes through; imports are left out, since each process does them once."""
    found = Walk()

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or (here := _ours(frame)) is None or frame.f_code.co_name == "<module>":
            return
        found.files.add(here)
        caller = _caller(frame)
        if caller is not None and _package(there := str(_ours(caller))) != _package(here):
            found.crossings.add((f"{there}:{caller.f_code.co_name}", f"{here}:{frame.f_code.co_name}"))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        act()
    finally:
        sys.setprofile(before)
    return found


def _caller(frame: FrameType) -> FrameType | None:
    """The nearest frame below that is ours: what Django or DRF calls for us counts as our own call."""
    below = frame.f_back
    while below is not None and _ours(below) is None:
        below = below.f_back
    return below


def _ours(frame: FrameType) -> str | None:
    path = frame.f_code.co_filename
    if not path.startswith(f"{ROOT}/"):
        return None
    here = path.removeprefix(f"{ROOT}/")
    return here if here.startswith(OURS) and not here.startswith(AROUND) else None


def _package(path: str) -> str:
    first, *rest = path.split("/")
    return first if first == "tasks" or len(rest) < 2 else f"{first}/{rest[0]}"
