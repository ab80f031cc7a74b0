"""What is wrong with the lines of a file: the same flaw of many lines is one, with their number and the first ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.formats.base import Flaw

SHOWN_LINES = 3


@dataclass(slots=True)
class LineFlaw:
    """A flaw with its first lines and the words of the first one."""

    flaw: Flaw
    lines: list[int] = field(default_factory=list)
    count: int = 0

    @property
    def place(self) -> str:
        """Where it is: `line 5`, or `lines 1, 2, 3 and 116 more`."""
        told = ", ".join(map(str, self.lines))
        more = self.count - len(self.lines)
        return f"line{'s' if self.count > 1 else ''} {told}" + (f" and {more} more" if more else "")

    def as_json(self) -> dict[str, Any]:
        """The flaw of a report, with `count` and the first `lines`."""
        flaw = self.flaw
        told = {"severity": flaw.severity, "place": self.place, "record_id": "", "field": flaw.field}
        return {**told, "wrong": flaw.wrong, "fix": flaw.fix, "count": self.count, "lines": self.lines}


class LineFlaws:
    """Flaws in the order of their first lines, errors first; of more than `most` different ones only the number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.errors = 0  # lines that have one
        self.warnings = 0
        self._kinds: dict[tuple[str, str, str], LineFlaw] = {}

    def add(self, severity: Any, line: int, about: str, *, wrong: str, fix: str, values: Mapping[str, Any]) -> None:
        """`wrong` may hold %(name)s places: lines that differ only in their values have the same flaw."""
        self.errors += severity == "error"
        self.warnings += severity == "warning"
        kind = (about, wrong, fix)
        if kind not in self._kinds:
            if len(self._kinds) == self.most:
                return
            words = wrong % values if values else wrong
            self._kinds[kind] = LineFlaw(Flaw(severity, f"line {line}", "", about, words.rstrip(". "), fix))
        found = self._kinds[kind]
        found.count += 1
        if len(found.lines) < SHOWN_LINES:
            found.lines.append(line)

    def shown(self) -> list[LineFlaw]:
        return sorted(self._kinds.values(), key=lambda one: (one.flaw.severity != "error", one.lines))
