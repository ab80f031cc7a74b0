"""Splits a text into marked and unmarked pieces, so that a page shows marks without changing the text."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from annotation.pure.data.dag import REFERENCE
from annotation.pure.data.example import Hop


class Mark(NamedTuple):
    """A marked stretch, in code points, end exclusive. `hop` is 0 for the answer, else the hop's number."""

    start: int
    end: int
    hop: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text with one style. `opens` and `closes`: whether its mark begins and ends with it."""

    text: str
    mark: Mark | None = None
    opens: bool = False
    closes: bool = False
    fact: bool = False  # part of a supporting sentence
    fact_opens: bool = False


def pieces(text: str, *, marks: Iterable[Mark] = (), facts: Sequence[tuple[int, int]] = ()) -> list[Piece]:
    """The text split at marks and supporting sentences; joined, the pieces are the text.

    If marks overlap, the answer takes precedence over hops, then longer marks over shorter ones.
    """
    chosen = _apart(marks)
    cuts = {0, len(text)} | {end for mark in chosen for end in mark[:2]} | {end for fact in facts for end in fact}
    bounds = sorted(cut for cut in cuts if 0 <= cut <= len(text))
    return [_piece(text, a, b, chosen, facts) for a, b in pairwise(bounds)]


def _apart(marks: Iterable[Mark]) -> list[Mark]:
    """The marks without overlaps, in text order; marks without a hop are kept first, then longer ones."""
    chosen: list[Mark] = []
    for mark in sorted(set(marks), key=lambda m: (m.hop > 0, m.start - m.end, m.start, m.hop)):
        place = bisect_left(chosen, mark)
        before, after = chosen[max(0, place - 1) : place], chosen[place : place + 1]
        if all(mark.end <= other.start or other.end <= mark.start for other in before + after):
            chosen.insert(place, mark)
    return chosen


def _piece(text: str, start: int, end: int, marks: list[Mark], facts: Sequence[tuple[int, int]]) -> Piece:
    last = bisect_right(marks, start, key=lambda mark: mark.start) - 1
    mark = marks[last] if last >= 0 and end <= marks[last].end else None
    fact = next((f for f in facts if f[0] <= start and end <= f[1]), None)
    return Piece(
        text[start:end],
        mark,
        opens=mark is not None and mark.start == start,
        closes=mark is not None and mark.end == end,
        fact=fact is not None,
        fact_opens=fact is not None and fact[0] == start,
    )


class Part(NamedTuple):
    """A part of a hop's question; `hop` is the number of the hop whose answer it refers to, 0 for plain text."""

    text: str
    hop: int


def fill_references(question: str, earlier: Sequence[Hop]) -> list[Part]:
    """A hop's question with each `#k` of an earlier hop shown as that hop's answer."""
    parts, start = [], 0
    for match in REFERENCE.finditer(question):
        number = int(match[1])
        if 1 <= number <= len(earlier):
            parts += [Part(question[start : match.start()], 0), Part(earlier[number - 1].answer, number)]
            start = match.end()
    return [part for part in [*parts, Part(question[start:], 0)] if part.text]
