"""The parts of an item in the mapped columns of a record (formats.mapped).

A part may be in one column or in several, as one value or as a list: twenty columns with a paragraph each, or one with
a list of twenty.
"""

from collections.abc import Sequence
from typing import Any

from annotation.formats import fields
from annotation.formats.fields import Inspection, is_texts, kind
from annotation.formats.mapped_support import EMPTY, Columns, Context
from annotation.formats.storable import shown
from annotation.pure.data import dag
from annotation.pure.data.column_mapping import truth_of, value_at
from annotation.pure.data.example import JSON, Hop, Paragraph

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
            elif value not in EMPTY:
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
        if (truth := truth_of(value)) is not None:
            return truth
        if value not in EMPTY:
            inspection.error(column, f"found {kind(value)}", "Give true or false")
    return None


def answers_of(record: JSON, columns: Columns, inspection: Inspection) -> tuple[str, ...]:
    """The answer, then its distinct aliases."""
    answers = texts_at(record, columns.get("answer", ()), inspection)
    if not answers:
        return ()
    return tuple(dict.fromkeys((*answers, *texts_at(record, columns.get("aliases", ()), inspection))))


def context_of(record: JSON, columns: Columns, inspection: Inspection) -> Context:
    """The paragraphs, with the place of each among the columns and their lists; empty ones make no paragraph."""
    texts = columns.get("paragraph", ())
    found = [(column, value) for column in texts for value in _values(record, column)]
    names = columns.get("title", ())
    titles = [_title(value, column, inspection) for column in names for value in _values(record, column)]
    if len(titles) == 1:  # of the whole context, such as an article's
        titles *= len(found)
    if texts and titles and len(titles) != len(found):
        wrong = f"{len(titles)} titles for {len(found)} paragraphs"
        inspection.error(names[0], wrong, "Give a title for each paragraph, or one for all")
        titles = []
    paragraphs, places = [], []
    for place, (column, value) in enumerate(found):
        if _is_title_alone(value):
            wrong = f"found the title {shown(value[0], 30)!r} with null as its text"
            inspection.error(column, wrong, "Give a text or a list of sentences beside it, or leave the paragraph out")
        elif not _is_empty(value):
            paragraphs.append(_paragraph(value, titles[place] if titles else "", column, inspection))
            places.append(place)
    if not paragraphs and {"question", "paragraph"} & columns.keys():
        fields.note_closed_book(texts[0] if texts else "paragraph", inspection)
    return Context(tuple(paragraphs), tuple(places), len(found))


def _title(value: object, column: str, inspection: Inspection) -> str:
    if value in EMPTY:
        return ""
    if not isinstance(value, _SCALARS):
        inspection.error(column, f"found {kind(value)}", "Give a title as a text")
    return str(value)


def _is_empty(value: Any) -> bool:
    """Whether there is no text, perhaps under a title whose list of sentences is empty."""
    return value in EMPTY or (isinstance(value, list) and len(value) == 2 and value[1] in (None, []))


def _is_title_alone(value: Any) -> bool:
    """Whether it is a text and null: a pair whose text is missing, or a list of sentences with a gap."""
    return isinstance(value, list) and len(value) == 2 and value[1] is None and value[0] not in EMPTY


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
