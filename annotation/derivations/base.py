"""What every derivation is: a way to make datasets out of a dataset.

One module a `--how`, named as the command names it with `_` for `-`; `DERIVATIONS` in `annotation.derivations`
lists them. The work itself is pure (annotation.pure); a derivation chooses, counts and reports. The same
source, options and seed give the same examples in the same order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.pure.example import Example


class CannotDerive(ValueError):
    """The source or an option does not fit; the message says what is wrong and what would be right."""


@dataclass
class Tally:
    """What a derivation kept and dropped, with reasons, and the figures of its report (JSON values)."""

    read: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    figures: dict[str, Any] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        self.dropped[reason] += 1


class Source(Protocol):
    """A dataset as derivations see it. It can be read any number of times, always in the same order."""

    name: str
    format: str  # of the file that its records first came in
    size: int

    def examples(self) -> Iterator[Example]:
        """The examples, streamed."""

    def other(self, name: str) -> Source:
        """Another dataset of the project, for a pool. Raises CannotDerive when there is none of that name."""


class Derivation(Protocol):
    how: str  # as `--how` says it
    title: str  # as a page says it, in a line
    Options: type  # frozen dataclass; its fields are str, int, float or bool and have defaults
    outputs: tuple[str, ...]  # what is put behind the new dataset's name, one dataset each; ("",) for one

    def derive(self, source: Source, options: Any, *, seed: int, tally: Tally) -> Iterator[tuple[str, Example]]:
        """(output, example) pairs, while the tally fills up. Raises CannotDerive."""
