"""The parts of an item in the mapped columns of a record (formats.mapped).

A part may be in one column or in several, as one value or as a list: twenty columns with a paragraph each, or one with
a list of twenty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.formats.fields import Inspection, is_texts, kind
from annotation.formats.json_text import shown
from annotation.pure.data import dag
from annotation.pure.data.column_mapping import EACH, value_at
from annotation.pure.data.example import JSON, Hop, Paragraph

Columns = Mapping[str, Sequence[str]]
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NUMBERS = re.compile(r"\[?\s*\d+(?:[\s,;]+\d+)*\s*\]?")
_SCALARS = (str, int, float)


def text_at(record: JSON, columns: Sequence[str], inspection: Inspection) -> str:
    """The text of the one column; a number as text; "" if there is none."""
    return next(iter(texts_at(record, columns, inspection, lists=False)), "")


def texts_at(record: JSON, columns: Sequence[str], inspection: Inspection, *, lists: bool = True) -> tuple[str, ...]:
    """The texts of the columns that are not empty; numbers as texts."""
    found: list[str] = []
    for column in columns:
        for value in _values(record, column, lists=lists):
            if isinstance(value, _SCALARS):
                found.append(value if isinstance(value, str) else _number(value))
            elif value is not None:
                inspection.error(
                    column, f"found {kind(value)}", "Give a text" + (" or a list of texts" if lists else "")
                )
    return tuple(text for text in found if text)


def _values(record: JSON, column: str, *, lists: bool = True) -> list[Any]:
    value = value_at(record, column)
    return value if lists and isinstance(value, list) else [value]


def _number(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def flag_at(record: JSON, columns: Sequence[str], inspection: Inspection) -> bool | None:
    """True or False; None if the column is empty."""
    for column in columns:
        value = value_at(record, column)
        if value not in (None, "") and (truth := _truth(value)) is None:
            inspection.error(column, f"found {kind(value)}", "Give true or false")
        elif value not in (None, ""):
            return truth
    return None


def _truth(value: object) -> bool | None:
    return value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())


def answers_of(record: JSON, columns: Columns, inspection: Inspection) -> tuple[str, ...]:
    """The answer, then its distinct aliases."""
    answers = texts_at(record, columns.get("answer", ()), inspection)
    if not answers:
        return ()
    return tuple(dict.fromkeys((*answers, *texts_at(record, columns.get("aliases", ()), inspection))))


def context_of(record: JSON, columns: Columns, inspection: Inspection) -> tuple[tuple[Paragraph, ...], list[int]]:
    """(paragraphs, the place of each among the columns and their lists); empty ones make no paragraph."""
    found = [(column, value) for column in columns["paragraph"] for value in _values(record, column)]
    names = columns.get("title", ())
    titles = [_title(value, column, inspection) for column in names for value in _values(record, column)]
    if len(titles) == 1:  # of the whole context, such as an article's
        titles *= len(found)
    if titles and len(titles) != len(found):
        wrong = f"{len(titles)} titles for {len(found)} paragraphs"
        inspection.error(names[0], wrong, "Give a title for each paragraph, or one for all")
        titles = []
    paragraphs, places = [], []
    for place, (column, value) in enumerate(found):
        if value not in (None, "", []):
            paragraphs.append(_paragraph(value, titles[place] if titles else "", column, inspection))
            places.append(place)
    if not paragraphs:
        inspection.error(columns["paragraph"][0], "there is no paragraph", "Give at least one text")
    return tuple(paragraphs), places


def _title(value: object, column: str, inspection: Inspection) -> str:
    if value is not None and not isinstance(value, _SCALARS):
        inspection.error(column, f"found {kind(value)}", "Give a title as a text")
    return "" if value is None else str(value)


def _paragraph(value: Any, title: str, column: str, inspection: Inspection) -> Paragraph:
    """A text, a list of sentences, or a pair of a title and one of these."""
    if isinstance(value, str):
        return Paragraph(title, value)
    if is_texts(value):
        return Paragraph.of_sentences(title, tuple(value))
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        return _paragraph(value[1], value[0], column, inspection)
    inspection.error(column, f"found {kind(value)}", "Give a text, or a list of sentences")
    return Paragraph(title, "")


def supports_of(
    record: JSON, columns: Columns, paragraphs: Sequence[Paragraph], places: Sequence[int], inspection: Inspection
) -> tuple[int, ...] | None:
    """Positions of the supporting paragraphs from flags, titles or numbers; None if nothing is said of them."""
    first = 1 if "support_from_1" in columns else 0
    names = columns.get("support_from_1", columns.get("support", ()))
    values = [(column, value) for column in names for value in _values(record, column)]
    if not names or (values and all(value in (None, "") for _, value in values)):
        return None
    titles = {paragraph.title: position for position, paragraph in reversed(list(enumerate(paragraphs)))}
    if not first and _are_flags(values, names):
        return _flagged(values, places, inspection)
    found: set[int] = set()
    for column, value in values:
        for each in _numbers(value) if _is_numeric(value) and value not in titles else [value]:
            place = titles.get(each) if isinstance(each, str) else _position(each - first, places)
            if place is None and each not in (None, ""):
                fix = f"Number the paragraphs from {first}, or give their titles"
                inspection.error(column, f"there is no paragraph {shown(each, 30)!r}", fix)
            found |= set() if place is None else {place}
    return tuple(sorted(found))


def _position(place: int, places: Sequence[int]) -> int | None:
    return places.index(place) if place in places else None


def _are_flags(values: Sequence[tuple[str, Any]], names: Sequence[str]) -> bool:
    if all(isinstance(value, bool) for _, value in values):
        return True
    said = all(value in (None, "") or _truth(value) is not None for _, value in values)
    return said and (len(names) > 1 or EACH in names[0])


def _flagged(values: Sequence[tuple[str, Any]], places: Sequence[int], inspection: Inspection) -> tuple[int, ...]:
    ticked = [place for place, (_, value) in enumerate(values) if value not in (None, "") and _truth(value)]
    if lost := [place for place in ticked if place not in places]:
        wrong = f"flag {lost[0] + 1} of {len(values)} is true, but there is no such paragraph"
        inspection.error(values[lost[0]][0], wrong, "Give one flag for each paragraph")
    return tuple(places.index(place) for place in ticked if place in places)


def _is_numeric(value: object) -> bool:
    return type(value) is int or (isinstance(value, str) and _NUMBERS.fullmatch(value.strip()) is not None)


def _numbers(value: object) -> Iterator[int]:
    return (int(number) for number in re.findall(r"\d{1,9}", str(value)))


def hops_of(record: JSON, columns: Columns, inspection: Inspection) -> tuple[Hop, ...]:
    """The hops of the decomposition; without answers where none are given."""
    questions = texts_at(record, columns.get("hop_question", ()), inspection)
    answers = texts_at(record, columns.get("hop_answer", ()), inspection)
    if answers and len(answers) != len(questions):
        wrong = f"{len(answers)} answers for {len(questions)} questions of hops"
        inspection.error(columns["hop_answer"][0], wrong, "Give an answer for each, or for none")
        return ()
    hops = tuple(
        Hop(question, answer) for question, answer in zip(questions, answers or [""] * len(questions), strict=True)
    )
    for bad in dag.problems(hops):
        inspection.warn(columns["hop_question"][0], bad.wrong, "Refer to earlier hops only, as #1, #2, ...")
    return hops
