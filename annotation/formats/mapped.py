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
from annotation.formats.fields import Inspection
from annotation.formats.mapped_parts import answers_of, context_of, flag_at, hops_of, text_at, texts_at
from annotation.formats.mapped_support import EMPTY, support_of
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
from annotation.pure.data.example import JSON, Example

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
