"""The fenced `sh` and `python` blocks of the guides, with what invisible comments above them say.

A comment of its own line, directly above a fence, is one of

    <!-- not run: why -->           the block cannot run on a test machine
    <!-- first: people answer -->   done before the block; each step stands in tests/guides/given.py
    <!-- meanwhile: people answer --> goes on while the block runs

or, directly above a table,

    <!-- printed -->                each row's cells stand, in this order, in a line that the guide's blocks print
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

LANGUAGES = ("sh", "python")
_FENCE = re.compile(r"^ *```(\S*)[^\n]*\n(.*?)^ *```", re.S | re.M)  # in a list they are indented
_PRINTED = re.compile(r"^<!-- printed -->\n\|.+\n\|[ |:-]+\n((?:\|.+\n)+)", re.M)
_COMMENT = re.compile(r"<!-- (not run|first|meanwhile): (.+?) -->")


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it stands in a guide."""

    guide: str  # its path from the root
    line: int  # of its fence
    language: str
    text: str
    not_run: str = ""
    first: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.guide}:{self.line}"


def guides(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "tasks").glob("*/README.md"))]


def blocks_of(guide: Path, root: Path) -> Iterator[Block]:
    """Every `sh` and `python` block in the order of the guide."""
    text = guide.read_text()
    for found in _FENCE.finditer(text):
        if found[1] in LANGUAGES:
            above = text[: found.start()]
            said = _comments_above(above)
            yield Block(
                guide=guide.relative_to(root).as_posix(),
                line=above.count("\n") + 1,
                language=found[1],
                text=dedent(found[2]),
                not_run=" ".join(said.get("not run", [])),
                first=tuple(said.get("first", [])),
                meanwhile=tuple(said.get("meanwhile", [])),
            )


def printed_rows(guide: Path) -> list[list[str]]:
    """The cells of each row of the tables that a guide's blocks print."""
    rows = [row for table in _PRINTED.findall(guide.read_text()) for row in table.splitlines()]
    return [[cell.strip() for cell in row.strip("| ").split("|")] for row in rows]


def _comments_above(above: str) -> dict[str, list[str]]:
    """The comments in the lines directly above a fence, in their order."""
    said: dict[str, list[str]] = {}
    for line in reversed(above.splitlines()):
        comment = _COMMENT.fullmatch(line.strip())
        if not comment:
            break
        said.setdefault(comment[1], []).insert(0, comment[2])
    return said


def unlabelled(guide: Path) -> list[str]:
    """Commands in fences of no language or another one, which no test would run."""
    others = [found[2] for found in _FENCE.finditer(guide.read_text()) if found[1] not in LANGUAGES]
    return [line for text in others for line in text.splitlines() if "manage.py" in line or "curl " in line]
