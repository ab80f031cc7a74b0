"""Counts as bars side by side, for pages; annotation/pure/reports/svg.py draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart of counts; `description` is for screen readers, `ends` label the first and last bar."""

    values: tuple[tuple[str, int], ...]
    description: str
    ends: tuple[str, str]
    height: float = 140.0
    mark: int | None = None  # position in percent of the width, for a line that a script lets people move

    @classmethod
    def of(cls, values: Sequence[tuple[str, int]], text: str) -> Bars:
        """Bars of dates; `text` has places for their number and the first."""
        return cls(tuple(values), text % {"n": len(values), "first": values[0][0]}, (values[0][0], values[-1][0]))
