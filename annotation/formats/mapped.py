"""Files of any columns, read through a mapping of these columns to the parts of an item.

JSON, JSON lines, Parquet and CSV. Cells of a CSV file may hold lists or objects, as JSON or as Python prints them.
What is not mapped is kept in `extra`. An item without an id gets the number of its record.
"""

import ast
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats import fields
from annotation.formats.base import LateFlaws, Parsed
from annotation.formats.fields import Inspection, is_texts, kind
from annotation.formats.mapped_support import EMPTY, Columns, Context, support_of
from annotation.formats.rows import UniqueIds
from annotation.formats.storable import shown, storage_faults
from annotation.formats.streams import Row, unreadable
from annotation.formats.tables import any_rows
from annotation.pure.data import dag
from annotation.pure.data.column_mapping import (
    EACH,
    BadMapping,
    ColumnMapping,
    columns_of,
    families,
    truth_of,
    value_at,
    without,
)
from annotation.pure.data.example import JSON, Example, Hop, Paragraph

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


SAMPLE = 200  # records from which the columns are read
_ARRAY = re.compile(r"array\((\[.*?\])(?:,\s*dtype=\w+)?\)", re.DOTALL)  # as numpy prints lists
LONGEST_LITERAL = 200_000  # characters of a cell in Python's notation, whose syntax tree takes much memory


@dataclass(frozen=True, slots=True)
class Sample:
    """The first records of a file and their columns."""

    records: list[JSON]
    columns: list[str]

    @property
    def names(self) -> list[str]:
        """The sorted fields of the records, to recognise files with the same columns."""
        return sorted({name for record in self.records for name in record})


def sample_of(path: Path) -> Sample:
    """The first records that are objects. Raises Unreadable."""
    values = (row.value for row in islice(decoded_rows(path), SAMPLE))
    records = [value for value in values if isinstance(value, dict)]
    return Sample(records, columns_of(records))


def workable(sample: Sample, roles: Mapping[str, str]) -> dict[str, str]:
    """The roles of columns without those whose values cannot be read in half of the records or more."""
    kept, groups = dict(roles), families(sample.columns)
    while True:
        try:
            mapping = ColumnMapping.of((role, column) for column, role in kept.items())
        except BadMapping as bad:
            dropped = {column for column, role in kept.items() if role == bad.role}
        else:
            counts = Counter(name for record in sample.records for name in _unread(record, mapping, groups))
            dropped = {name for name, count in counts.items() if 2 * count >= len(sample.records)}
        dropped -= {column for column, role in kept.items() if role == "question"}
        if not dropped & set(kept):
            return kept
        kept = {column: role for column, role in kept.items() if column not in dropped}


def _unread(record: JSON, mapping: ColumnMapping, groups: Mapping[str, Sequence[str]]) -> set[str]:
    """The columns or families of a record that have an error."""
    inspection = Inspection("")
    example_of(record, mapping.expanded([each for some in groups.values() for each in some]), inspection)
    wrong = {flaw.field for flaw in inspection.flaws if flaw.severity == "error"}
    return {name for name, some in groups.items() if wrong & {*some, *(f"{each}{EACH}" for each in some)}}


def decoded_rows(path: Path) -> Iterator[Row]:
    """The records of a file, with JSON in cells decoded. Raises Unreadable, also midway."""
    for row in any_rows(path):
        yield replace(row, value=_decoded(row.value)) if type(row.value) is dict else row


def _decoded(record: JSON) -> JSON:
    return {key: _of_cell(value) if type(value) is str else value for key, value in record.items()}


def _of_cell(text: str) -> Any:
    """A list or an object that a text holds as JSON or as Python prints it; any other text, such as [12], as it is."""
    if not text.startswith(("[", "{")) or not text.rstrip().endswith(("]", "}")):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _of_python(text)
    return text if isinstance(value, list) and value and all(type(each) in (int, float) for each in value) else value


def _of_python(text: str) -> Any:
    """The list or dict that a text holds as Python prints it, `['A', None]`; tuples in it as lists. Else the text."""
    if len(text) > LONGEST_LITERAL:
        return text
    try:
        value = json.loads(json.dumps(ast.literal_eval(_ARRAY.sub(r"\1", text))))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text
    return text if any(storage_faults(value)) else value


class Mapped:
    """The reader of a file through a mapping: a Format that cannot write."""

    name = "mapped"
    title = "mapped columns"

    def __init__(self, mapping: ColumnMapping) -> None:
        self.mapping = mapping

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream the records. Raises Unreadable, also midway, and for columns that the first records lack."""
        sample = sample_of(path)
        try:
            columns = self.mapping.expanded(sample.columns)
        except BadMapping as bad:
            raise unreadable(str(bad).rstrip("."), "Map columns that the file has") from None
        file, truths = UniqueIds(), _are_truths(sample.records, columns.get("answer", ()))
        for row in decoded_rows(path):
            yield _parsed(row, columns, file, truths=truths)


def _are_truths(records: Sequence[JSON], columns: Sequence[str]) -> bool:
    """Whether all answers of the first records are true, false, yes or no."""
    values = [value for record in records for column in columns if (value := value_at(record, column)) not in EMPTY]
    return (
        bool(values)
        and all(not isinstance(value, int) or isinstance(value, bool) for value in values)
        and all(truth_of(value) is not None for value in values)
    )


def _parsed(row: Row, columns: Mapping[str, list[str]], file: UniqueIds, *, truths: bool) -> Parsed:
    inspection = Inspection(row.place, number=row.number)
    _take(row, {column for some in columns.values() for column in some}, inspection)
    if not inspection.failed and type(row.value) is not dict:
        inspection.mistyped("record", row.value, "an object")
    if inspection.failed:
        return Parsed(row.number, None, inspection.reportable())
    return file.parsed(row.number, example_of(row.value, columns, inspection, truths=truths), inspection)


def _take(row: Row, used: Collection[str], inspection: Inspection) -> None:
    """Add the faults of a row; those of values in no mapped column are only noted."""
    for fault in row.faults:
        path = re.sub(r"\[\d+\]", EACH, fault.field)
        touches = any(
            f"{column}.".startswith(f"{path}.") or path.startswith((f"{column}.", f"{column}[")) for column in used
        )
        inspection.take([fault], None if touches else ())


def example_of(
    record: JSON, columns: Mapping[str, list[str]], inspection: Inspection, *, truths: bool = False
) -> Example:
    """The item of a record. After an error the returned value is meaningless.

    `truths`: all answers of the file are true or false, yes or no.
    """
    record_id = text_at(record, columns.get("id", ()), inspection) or f"record {inspection.number}"
    inspection.record_id = shown(record_id)
    question = text_at(record, columns.get("question", ()), inspection)
    if not question.strip() and "question" in columns:
        inspection.error(columns["question"][0], "there is no question", "Give a text, or leave the record out")
    context = context_of(record, columns, inspection)
    options = texts_at(record, columns.get("options", ()), inspection)
    answers = answers_of(record, columns, inspection)
    if not options:
        answers = tuple(dict.fromkeys(fields.plain_answer(each, context.paragraphs, truths=truths) for each in answers))
    support = support_of(record, columns, context, inspection)
    hops = hops_of(record, columns, inspection)
    used = {column for some in columns.values() for column in some}
    if answers and context.paragraphs and not inspection.failed and answers[0].lower() not in {"yes", "no"}:
        fields.warn_of_absent_answer(answers, context.paragraphs, inspection, field=columns["answer"][0])
    return Example(
        id=record_id,
        question=question,
        paragraphs=context.paragraphs,
        answers=answers,
        supports=support.positions,
        facts=support.facts,
        hops=hops,
        answerable=flag_at(record, columns.get("answerable", ()), inspection),
        options=options,
        shape=text_at(record, columns.get("type", ()), inspection) or dag.shape(hops),
        extra=fields.extras(without(record, used), (), inspection),
    )
