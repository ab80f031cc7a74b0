"""RACE in the columns of dataset hubs: `example_id, article, answer, question, options`, one row a question.

The k-th row of a passage is its question `<example_id>#k`, from 0 on. `question_id` is ours: written, and read, where
a question's id is another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from annotation.formats import fields
from annotation.formats.base import CannotWrite
from annotation.formats.fields import RESERVED, Inspection
from annotation.pure.data.example import JSON, Example, Paragraph

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

    def example(self, record: Mapping[str, Any], inspection: Inspection) -> Example:
        """The question of a row. What is wrong goes to the inspection."""
        passage = fields.needed_text(record, "example_id", inspection)
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
        """The row of a question. Raises CannotWrite where its answer is none of its options."""
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
    """The letter of the answer, as it came in where two options are equal. Raises CannotWrite."""
    letters = dict(zip(ascii_uppercase, example.options, strict=False))
    note = example.extra.get(NOTE)
    noted = note.get("letter") if isinstance(note, dict) else None
    if isinstance(noted, str) and letters.get(noted) == example.answers[0]:
        return noted
    for letter, option in letters.items():
        if option == example.answers[0]:
            return letter
    raise CannotWrite(example.id, "its answer is none of its options")
