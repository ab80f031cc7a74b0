"""A dataset as derivations see it, out of a list, and what a derivation makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from annotation.derivations.base import CannotDerive, Derivation, Source, Tally
from annotation.formats import FORMATS
from annotation.formats.base import Parsed
from annotation.pure.data.example import Example
from annotation.pure.setting_fields import read
from tests.shared_data import shared_data


class Listed:
    """A source that holds its examples."""

    def __init__(self, examples: Iterable[Example], format: str = "jsonl") -> None:
        self._examples = list(examples)
        self.name, self.origin, self.format = "listed", "listed", format
        self.size = len(self._examples)

    def examples(self) -> Iterator[Example]:
        return iter(self._examples)

    def other(self, name: str) -> Source:
        raise CannotDerive(f"there is no dataset {name!r} in the project")

    def other_splits(self) -> list[Source]:
        return []


def real(format: str, *names: str) -> Listed:
    """Real records; skips the test where they are missing."""
    parsed = (one for name in names for one in FORMATS[format].read(shared_data(name)))
    return Listed((one.example for one in parsed if isinstance(one, Parsed) and one.example), format)


def derived(derivation: Derivation, source: Source, *, seed: int = 0, **options: Any) -> tuple[list[Example], Tally]:
    """The examples of a derivation with one output, and its tally."""
    tally = Tally()
    made = list(derivation.derive(source, read(derivation.Options, options), seed=seed, tally=tally))
    assert tally.kept == len(made)
    assert not made or {output for output, _ in made} == set(derivation.outputs)
    return [example for _, example in made], tally
