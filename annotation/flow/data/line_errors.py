"""Flaws of imported files, folded: the same flaw of many lines or records is one row with their number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.formats.base import Flaw, ended

SHOWN_LINES = 3
VALUES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+""")  # values quoted from the record in a flaw's text


def kind_of(flaw: Flaw) -> tuple[str, ...]:
    """A key that is equal for flaws which differ only in the record, its values and its indices."""
    return (flaw.severity, *(VALUES.sub("", words) for words in (flaw.field, flaw.wrong, flaw.fix)))


def in_words(row: Mapping[str, Any]) -> str:
    """A row of an import's report as a line: `warning: line 4 (id q7), answer: … And 59 more like this.`"""
    where = f"{row['place']} (id {row['record_id']})" if row["record_id"] else row["place"]
    line = f"{row['severity']}: {where}, {row['field']}: {ended(row['wrong'])} {ended(row['fix'])}"
    more = row.get("more", 0)
    return f"{line} And {more:,} more like this." if more else line


@dataclass(slots=True)
class LineFlaw:
    """A flaw with its first lines and the words of the first one."""

    flaw: Flaw
    lines: list[int] = field(default_factory=list)
    count: int = 0

    @property
    def place(self) -> str:
        """The lines of the error: `line 5`, or `lines 1, 2, 3 and 116 more`."""
        numbers = ", ".join(map(str, self.lines))
        more = self.count - len(self.lines)
        return f"line{'s' if self.count > 1 else ''} {numbers}" + (f" and {more} more" if more else "")

    def as_json(self) -> dict[str, Any]:
        """The flaw of a report, with `count` and the first `lines`."""
        flaw = self.flaw
        data = {"severity": flaw.severity, "place": self.place, "record_id": "", "field": flaw.field}
        return {**data, "wrong": flaw.wrong, "fix": flaw.fix, "count": self.count, "lines": self.lines}


class LineFlaws:
    """Flaws in the order of their first lines, errors first; of more than `most` different ones only the number."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.errors = 0  # lines that have one
        self.warnings = 0
        self._kinds: dict[tuple[str, str, str], LineFlaw] = {}

    def add(self, severity: Any, line: int, about: str, *, wrong: str, fix: str, values: Mapping[str, Any]) -> None:
        """Add a flaw. `wrong` may have %(name)s placeholders: lines that differ only in their values share one flaw."""
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
