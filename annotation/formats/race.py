"""RACE (Lai et al. 2017): passages with multiple-choice questions, as files and in the columns of dataset hubs.

A record is a passage with all its questions; each question becomes an Example with the id
`<passage id>#<k>`, k from 0, and the passage's id as its group. A folder's files are read in the order of
their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from string import ascii_uppercase
from typing import Any, BinaryIO

from annotation.formats import fields
from annotation.formats.base import CannotWrite, Flaw, LateFlaws, Parsed
from annotation.formats.fields import RESERVED, Inspection, record_id_of
from annotation.formats.rows import UniqueIds, dumped, refuse_other_format, refuse_unreadable, write_lines
from annotation.formats.storable import joined
from annotation.formats.streams import Row, single_or_rows, unreadable
from annotation.pure.data.example import JSON, Example, Paragraph

_FILES = (".json", ".jsonl", ".parquet", ".txt")  # of a folder
_KNOWN = frozenset({"article", "questions", "options", "answers", "id", "question_ids"})


class Race:
    """Objects of `article, questions, options, answers, id`: a file, lines of them, or a folder.

    The columns of dataset hubs are read as well (`Columns`); an export has the layout of the import.
    `question_ids` is our extension: written, and read, if the questions' ids are not `<id>#0`, `<id>#1`, ...
    """

    name = "race"
    title = "RACE"
    suffix = ".jsonl"
    rank = 5

    def looks(self, record: dict[str, Any]) -> int:
        return 2 * ({"article", "options"} <= set(record) and bool({"questions", "question"} & set(record)))

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream the questions of a passage file, of lines or an array of passages, or of a folder."""
        reading = _Reading()
        for row in _passages(path):
            if row.number == 1:
                refuse_other_format(row, self)
            yield from reading.row(row)

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write consecutive questions of a passage as one line; returns the number of questions.

        Questions imported from rows of a dataset hub are written as such rows, one question per line.
        """
        count, columns, reading = 0, Columns(), _Reading()

        def lines() -> Iterator[bytes]:
            nonlocal count
            for _, members in groupby(examples, key=_passage_of):
                questions = list(members)
                parts = [[question] for question in questions] if in_columns(questions[0]) else [questions]
                for part in parts:
                    record = columns.record(part[0]) if in_columns(part[0]) else _record(part)
                    for question, again in zip(part, reading.row(Row(count, "", record)), strict=False):
                        refuse_unreadable(question, again.flaws)
                    count += len(part)
                    yield dumped(record, part[0])

        write_lines(lines(), out)
        return count


class _Reading:
    """Numbers the questions of one file, and knows their ids."""

    def __init__(self) -> None:
        self._file, self._columns, self._number = UniqueIds(), Columns(), 0

    def row(self, row: Row) -> Iterator[Parsed | LateFlaws]:
        """The questions of a record in either layout."""
        if is_columns(row.value):
            parsed: Iterator[Parsed | LateFlaws] = _of_columns(row, self._file, self._columns, self._number)
        else:
            parsed = _parsed(row, self._file, self._number)
        for result in parsed:
            self._number = result.number if isinstance(result, Parsed) else self._number
            yield result


def _passages(path: Path) -> Iterator[Row]:
    if not path.is_dir():
        yield from single_or_rows(path)
        return
    files = sorted(part for part in path.rglob("*") if part.suffix in _FILES and part.is_file())
    if not files:
        raise unreadable(
            "the folder has no files with passages", f"Give a folder with files that end in {', '.join(_FILES)}"
        )
    rows = ((file, row) for file in files for row in single_or_rows(file))
    for number, (file, row) in enumerate(rows, 1):
        yield Row(number, f"{file.relative_to(path)}, {row.place}", row.value, row.faults)


def _parsed(row: Row, file: UniqueIds, before: int) -> Iterator[Parsed | LateFlaws]:
    """The questions of a passage, numbered from `before` + 1; one record with the flaws if the passage is invalid."""
    passage = Inspection.of(row, _KNOWN)
    shape = _Passage(row.value, passage)
    if passage.failed:
        yield Parsed(before + 1, None, passage.reportable())
    elif passage.flaws:
        yield LateFlaws(passage.reportable())
    if not passage.failed and not shape.questions:
        fix = "Nothing is lost but the passage"
        yield LateFlaws((Flaw("warning", row.place, shape.id, "questions", "the passage has no questions", fix),))
    for k in range(0 if passage.failed else len(shape.questions)):
        inspection = Inspection(row.place, shape.id)
        yield file.parsed(before + k + 1, shape.example(k, inspection), inspection)


def _of_columns(row: Row, file: UniqueIds, columns: Columns, before: int) -> Iterator[Parsed]:
    inspection = Inspection.of(row, KNOWN)
    inspection.record_id = record_id_of({"id": row.value.get("example_id")})
    yield file.parsed(before + 1, columns.example(row.value, inspection), inspection)


class _Passage:
    """A passage record whose lists are known to fit each other, unless the inspection has failed."""

    def __init__(self, value: Any, inspection: Inspection) -> None:
        self.questions: list[Any] = []
        if inspection.failed:
            return
        if type(value) is not dict:
            inspection.mistyped("record", value, "an object")
            return
        self.id = fields.running_id(value, "id", inspection)
        self.article = fields.needed_text(value, "article", inspection)
        self.questions = _list_of(value, "questions", None, inspection)
        self.options = _list_of(value, "options", len(self.questions), inspection)
        count = len(self.questions)
        self.answers = _list_of(value, "answers", count, inspection) if "answers" in value else None
        ids = _list_of(value, "question_ids", count, inspection) if "question_ids" in value else None
        self.ids = ids if ids is not None else [f"{self.id}#{k}" for k in range(len(self.questions))]
        if ids is not None:
            fields.texts(ids, "question_ids", inspection)
        self.extra = fields.extras(value, _KNOWN, inspection)

    def example(self, k: int, inspection: Inspection) -> Example:
        """The k-th question with the passage."""
        path = joined("questions", k)
        question = fields.needed_text({path: self.questions[k]}, path, inspection)
        options = fields.texts(self.options[k], joined("options", k), inspection)
        letter = self.answers[k] if self.answers is not None else None
        answers = () if self.answers is None else chosen(letter, options, joined("answers", k), inspection)
        twice = len(set(map(str, options))) < len(options) and letter is not None
        return Example(
            id=self.ids[k],
            question=question,
            paragraphs=(Paragraph("", self.article),),
            answers=answers,
            options=options,
            group=self.id,
            extra=self.extra | {NOTE: {"letter": letter}} if twice else self.extra,
        )


def _list_of(value: JSON, key: str, length: int | None, inspection: Inspection) -> list[Any]:
    if key not in value:
        inspection.error(key, "the field is missing", "Give a list with a member for each question")
        return []
    members = value[key]
    if type(members) is not list:
        inspection.mistyped(key, members, "a list with a member for each question")
        return []
    if length is not None and len(members) != length:
        inspection.error(key, f"{len(members)} members for {length} questions", "Give one for each question")
    return members


def _passage_of(example: Example) -> tuple[str, str, bool, bool, JSON]:
    """The key under which questions are written as one passage. Raises CannotWrite."""
    if not example.options:
        raise CannotWrite(example.id, "RACE needs answer options")
    if len(example.paragraphs) != 1:
        raise CannotWrite(example.id, "RACE has one passage a question")
    extra = fields.plain_extra(example.extra, without=_KNOWN)
    passage = example.group or example.id, example.paragraphs[0].text
    return *passage, bool(example.answers), in_columns(example), extra


def _record(questions: Sequence[Example]) -> JSON:
    passage, article, answered, _columns, extra = _passage_of(questions[0])
    record: JSON = {"answers": [letter_of(example) for example in questions]} if answered else {}
    record |= {"options": [list(example.options) for example in questions]}
    record |= {"questions": [example.question for example in questions], "article": article, "id": passage}
    ids = [example.id for example in questions]
    if ids != [f"{passage}#{k}" for k in range(len(ids))]:
        record["question_ids"] = ids
    return record | extra


FORMAT = Race()


NOTE = RESERVED + "race"
KNOWN = frozenset({"example_id", "article", "answer", "question", "options", "question_id"})


def is_columns(value: object) -> bool:
    """Whether a record is a row of this layout."""
    return isinstance(value, dict) and "question" in value and "questions" not in value


def in_columns(example: Example) -> bool:
    """Whether the example came from a row of this layout."""
    note = example.extra.get(NOTE)
    return isinstance(note, dict) and note.get("layout") == "columns"


@dataclass
class Columns:
    """Rows and questions of one file, each row numbered within its passage."""

    counts: Counter[str] = field(default_factory=Counter)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        """The question of a row. Flaws are added to `inspection`."""
        passage = fields.running_id(record, "example_id", inspection)
        article = fields.needed_text(record, "article", inspection)
        options = fields.texts(record.get("options"), "options", inspection)
        letter = record.get("answer")
        answers = () if letter is None else chosen(letter, options, "answer", inspection)
        twice = len(set(map(str, options))) < len(options) and letter is not None
        note = {"layout": "columns"} | ({"letter": letter} if twice else {})
        own = fields.optional_text(record, "question_id", inspection)
        return Example(
            id=own or self._next(passage),
            question=fields.needed_text(record, "question", inspection),
            paragraphs=(Paragraph("", article),),
            answers=answers,
            options=options,
            group=passage,
            extra=fields.extras(record, KNOWN, inspection) | {NOTE: note},
        )

    def record(self, example: Example) -> JSON:
        """The row of a question. Raises CannotWrite if its answer is not one of its options."""
        passage = example.group or example.id
        record: JSON = {"example_id": passage, "article": example.paragraphs[0].text}
        if example.answers:
            record["answer"] = letter_of(example)
        record |= {"question": example.question, "options": list(example.options)}
        if example.id != self._next(passage):
            record["question_id"] = example.id
            self.counts[passage] -= 1
        return record | fields.plain_extra(example.extra, without=KNOWN)

    def _next(self, passage: str) -> str:
        self.counts[passage] += 1
        return f"{passage}#{self.counts[passage] - 1}"


def chosen(letter: object, options: Sequence[str], path: str, inspection: Inspection) -> tuple[str, ...]:
    """The option that the letter names; nothing, and an error, for any other letter."""
    letters = ascii_uppercase[: len(options)]
    if type(letter) is str and len(letter) == 1 and letter in letters:
        return (options[letters.index(letter)],)
    inspection.mistyped(path, letter, f"the letter of an option ({', '.join(letters)})")
    return ()


def letter_of(example: Example) -> str:
    """The letter of the answer; if two options are equal, the imported one. Raises CannotWrite."""
    letters = dict(zip(ascii_uppercase, example.options, strict=False))
    note = example.extra.get(NOTE)
    noted = note.get("letter") if isinstance(note, dict) else None
    if isinstance(noted, str) and letters.get(noted) == example.answers[0]:
        return noted
    for letter, option in letters.items():
        if option == example.answers[0]:
            return letter
    raise CannotWrite(example.id, "its answer is none of its options")
