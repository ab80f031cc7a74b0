"""The supporting paragraphs in the mapped columns of a record (formats.mapped).

They are given as a flag for each paragraph, as titles, as numbers, or as HotpotQA's pairs of a title and the number of
a sentence. Numbers of 0 and 1 may be flags as well as numbers; where both readings make sense, the record is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.formats.fields import Inspection, kind
from annotation.formats.storable import shown
from annotation.pure.data.column_mapping import EACH, truth_of, value_at
from annotation.pure.data.example import JSON, Paragraph

Columns = Mapping[str, Sequence[str]]
EMPTY: tuple[Any, ...] = (None, "", [], {})
_DIGITS = r"(\d{1,9})(?:\.0+)?"  # 1.0 is how a table with gaps writes 1
_NUMBERS = re.compile(rf"\[?\s*{_DIGITS}(?:[\s,;]+{_DIGITS})*\s*\]?")
_ONE_FLAG_EACH = "Give true or false for each paragraph"


@dataclass(frozen=True, slots=True)
class Context:
    """The paragraphs of a record. `places` has the place of each among the `slots` values, of which some are empty."""

    paragraphs: tuple[Paragraph, ...]
    places: tuple[int, ...]
    slots: int

    def position(self, place: int) -> int | None:
        """The position of the paragraph at a place, None if there is none."""
        return self.places.index(place) if place in self.places else None


@dataclass(frozen=True, slots=True)
class Support:
    """Positions of the supporting paragraphs, and of their sentences; None where nothing is said of them."""

    positions: tuple[int, ...] | None = None
    facts: tuple[tuple[int, int], ...] | None = None


def support_of(record: JSON, columns: Columns, context: Context, inspection: Inspection) -> Support:
    """The support of a record. A value that cannot be support is an error; null is unknown, an empty list is none."""
    names = columns.get("support_from_1", columns.get("support", ()))
    if not names:
        return Support()
    given = _Given.of(record, names, context)
    if not given.filled:
        return Support(None if given.values and all(value != [] for _, value in given.values) else ())
    if not given.can_be_support(inspection):
        return Support()
    if "support_from_1" in columns:
        return given.located(1, inspection)
    if given.are_flags(is_one_each=_is_one_each(names, columns.get("paragraph", ())), inspection=inspection):
        return given.flagged(inspection)
    return Support() if inspection.failed else given.located(0, inspection)


def _is_one_each(names: Sequence[str], paragraphs: Sequence[str]) -> bool:
    """Whether the columns stand beside those of the paragraphs: in the same list, or one for one."""
    if len(names) == 1 and len(paragraphs) == 1 and EACH in names[0]:
        return names[0].rpartition(EACH)[0] == paragraphs[0].rpartition(EACH)[0]
    return len(names) == len(paragraphs) > 1


class _Given:
    """What the columns of support hold, with their names; numbers in texts are numbers."""

    def __init__(self, values: Sequence[tuple[str, Any]], context: Context) -> None:
        self.values = values
        self.context = context
        self.filled = [(column, value) for column, value in values if value not in EMPTY]
        self.titles = Counter(paragraph.title for paragraph in context.paragraphs if paragraph.title)

    @classmethod
    def of(cls, record: JSON, names: Sequence[str], context: Context) -> _Given:
        titles = {paragraph.title for paragraph in context.paragraphs}
        members = [member for column in names for member in _members(column, value_at(record, column))]
        return cls([(column, each) for column, value in members for each in _plain(value, titles)], context)

    def can_be_support(self, inspection: Inspection) -> bool:
        """Whether each value is a flag, a title, a number or a fact; the first that is not is reported."""
        for column, value in self.filled:
            if isinstance(value, dict):
                fix = f"Map one of its fields, such as {column}.{shown(next(iter(value)), 30)}"
                inspection.error(column, "found an object", fix)
            elif isinstance(value, float) or (isinstance(value, list) and not _is_fact(value)):
                fix = 'Give flags, titles, whole numbers, or pairs such as ["Oslo", 0]'
                inspection.error(column, f"found {kind(value)}", fix)
            else:
                continue
            return False
        kinds = {type(value) for _, value in self.filled}
        if int in kinds and not kinds <= {int, bool}:
            fix = 'Give one of both; a title with its sentence is a pair in a list, [["Oslo", 0]]'
            inspection.error(self.filled[0][0], "found titles and numbers", fix)
        return not inspection.failed

    def are_flags(self, *, is_one_each: bool, inspection: Inspection) -> bool:
        """Whether the values are flags; an error where that cannot be told, and where some are flags and some not."""
        other = next(((column, value) for column, value in self.filled if not self._is_flag(value)), None)
        sure = [value for _, value in self.filled if isinstance(value, bool)]
        if other is not None:
            if sure or (is_one_each and EACH in other[0]):
                inspection.error(other[0], f"found {kind(other[1])}", _ONE_FLAG_EACH)
            return False
        if is_one_each or sure or any(isinstance(value, str) for _, value in self.filled):
            return True
        return self._numbers_are_flags(inspection)

    def _is_flag(self, value: Any) -> bool:
        return truth_of(value) is not None and value not in self.titles

    def _numbers_are_flags(self, inspection: Inspection) -> bool:
        """Whether numbers of 0 and 1 only are flags: one for each paragraph, or one number twice."""
        numbers = [value for _, value in self.filled]
        may_be_numbers = len(set(numbers)) == len(numbers)
        if self._fits() and may_be_numbers and all(self.context.position(number) is not None for number in numbers):
            wrong = f"{shown(numbers, 30)} can be {'flags' if len(numbers) > 1 else 'a flag'} or numbers of paragraphs"
            fix = "Write flags as true and false, or give titles; or map numbers from 1 to support_from_1"
            inspection.error(self.filled[0][0], wrong, fix)
        return self._fits() or not may_be_numbers

    def _fits(self) -> bool:
        return len(self.values) in {self.context.slots, len(self.context.paragraphs)}

    def flagged(self, inspection: Inspection) -> Support:
        """The paragraphs whose flag is true. There is one for each value of the paragraphs, or for each filled one."""
        column, count = self.filled[0][0], len(self.context.paragraphs)
        if not self._fits():
            wrong = f"{_counted(len(self.values), 'flag')} for {_counted(count, 'paragraph')}"
            inspection.error(column, wrong, "Give one flag for each paragraph, or each number once")
            return Support()
        ticked = [place for place, (_, value) in enumerate(self.values) if truth_of(value)]
        if len(self.values) < self.context.slots:
            return Support(tuple(ticked))
        positions = [self.context.position(place) for place in ticked]
        if None in positions:
            place = ticked[positions.index(None)]
            wrong = f"flag {place + 1} of {len(self.values)} is true, but there is no such paragraph"
            inspection.error(self.values[place][0], wrong, "Give one flag for each paragraph")
        return Support(tuple(position for position in positions if position is not None))

    def located(self, first: int, inspection: Inspection) -> Support:
        """The paragraphs of titles, of numbers from `first`, and of facts."""
        found = [(value, self._position(column, value, first, inspection)) for column, value in self.filled]
        if inspection.failed:
            return Support()
        pairs = [(value, position) for value, position in found if position is not None]
        positions = tuple(sorted({position for _, position in pairs}))
        if not pairs or not all(isinstance(value, list) for value, _ in pairs):
            return Support(positions)
        return Support(positions, self._facts([(position, value[1]) for value, position in pairs], inspection))

    def _position(self, column: str, value: Any, first: int, inspection: Inspection) -> int | None:
        title = value[0] if isinstance(value, list) else value
        if isinstance(title, bool):
            inspection.error(column, f"found {kind(title)}", "Number the paragraphs from 1, or map flags to support")
        elif isinstance(title, int):
            if (position := self.context.position(title - first)) is not None:
                return position
            fix = f"Number the paragraphs from {first}, or give their titles"
            inspection.error(column, f"there is no paragraph {title}", fix)
        elif title in self.titles:
            if self.titles[title] > 1:
                wrong = f"{self.titles[title]} paragraphs have the title {shown(title, 30)!r}, and the first is taken"
                inspection.warn(column, wrong, "Number the paragraphs instead")
            return next(at for at, paragraph in enumerate(self.context.paragraphs) if paragraph.title == title)
        else:
            fix = "give their titles" if self.titles else "map their titles too"
            wrong = f"there is no paragraph {shown(title, 30)!r}"
            inspection.error(column, wrong, f"Number the paragraphs from {first}, or {fix}")
        return None

    def _facts(self, facts: Sequence[tuple[int, int]], inspection: Inspection) -> tuple[tuple[int, int], ...] | None:
        """The facts whose sentence exists; None where paragraphs have no sentences."""
        known = [(at, number) for at, number in facts if self.context.paragraphs[at].sentences is not None]
        if len(known) < len(facts):
            return None
        there = [(at, number) for at, number in known if number < len(self.context.paragraphs[at].sentences or ())]
        for at, number in known:
            if (at, number) not in there:
                title = self.context.paragraphs[at].title
                wrong = f"{shown(title, 30)!r} has no sentence {number}"
                inspection.warn(self.filled[0][0], wrong, "Check the number; the paragraph counts as supporting")
        return tuple(there)


def _members(column: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(column, value) of each member of a list, or of the one value."""
    for each in value if isinstance(value, list) else [value]:
        yield f"{column}{EACH}" if isinstance(each, dict) and each is not value else column, each


def _is_fact(value: Sequence[Any]) -> bool:
    return len(value) == 2 and isinstance(value[0], str) and type(value[1]) is int and value[1] >= 0


def _plain(value: Any, titles: set[str]) -> Iterator[Any]:
    """The numbers in a text that is no title; 1 for 1.0; any other value as it is."""
    if isinstance(value, str) and value not in titles and _NUMBERS.fullmatch(value.strip()):
        yield from (int(number) for number in re.findall(_DIGITS, value))
    elif isinstance(value, float) and value.is_integer():
        yield int(value)
    else:
        yield value


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
