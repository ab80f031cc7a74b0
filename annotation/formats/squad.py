"""SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018): questions on a paragraph of an article.

Each question becomes an Example with its paragraph as the context. On export, consecutive questions with
the same article and paragraph are grouped again. The note "@squad" in `extra` holds the levels above the
question: the fields of the file (`version`; the others on the first question), the article and the paragraph,
whether a new one begins that looks like the one before, and the empty ones around it.

The columns of the Hub (`id, title, context, question, answers: {text, answer_start}`, one question a row) are read as
well; an export has the release's layout. There, a question without answers is one that cannot be answered.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from annotation.formats import fields
from annotation.formats.base import CannotWrite, Flaw, LateFlaws, Parsed
from annotation.formats.fields import Inspection
from annotation.formats.guess import keys_of_paragraphs
from annotation.formats.json_text import Window
from annotation.formats.rows import RowFormat, UniqueIds
from annotation.formats.squad_tree import (
    Outline,
    ParagraphPath,
    article_of,
    follow,
    paragraph_of,
    paragraphs_of,
    path_of,
    questions_in,
    write_tree,
)
from annotation.formats.storable import joined, storable
from annotation.formats.streams import Row, elements, head, opened, unreadable
from annotation.pure.data.example import JSON, Example, Paragraph
from annotation.pure.text.whole_numbers import whole_number

_ORDER = ("title", "context", "plausible_answers", "question", "id", "answers", "is_impossible")
_KNOWN = frozenset(_ORDER) - {"plausible_answers"}


class Squad(RowFormat):
    """`{"version", "data": [{"title", "paragraphs": [{"context", "qas": [...]}]}]}`."""

    name = "squad"
    title = "SQuAD"
    rank = 4
    used = frozenset(_ORDER) | {"data", "paragraphs", "qas", "text", "answer_start"}

    def looks(self, record: dict[str, Any]) -> int:
        data = record.get("data")
        articles = isinstance(data, list) and all(isinstance(each, dict) and "paragraphs" in each for each in data[:1])
        tree = articles or "qas" in keys_of_paragraphs(record)
        return 2 * (tree or _are_columns(record))

    def begins(self, head: bytes) -> bool:
        return head.lstrip().startswith(b"{") and (b'"qas"' in head or (b'"data"' in head and b'"paragraphs"' in head))

    def read(self, path: Path) -> Iterator[Parsed | LateFlaws]:
        """Stream the questions, article by article or row by row. Raises Unreadable, also midway."""
        if _is_table(path):
            yield from super().read(path)
            return
        reading = _Reading(self, *_file_fields(path))
        with opened(path) as stream:
            for row in _articles(Window(stream), {}):
                yield from reading.article(row)

    def rows(self, path: Path) -> Iterator[Row]:
        """The questions of a table in the release's form."""
        for row in super().rows(path):
            yield replace(row, value=_question_of(row.value)) if _are_columns(row.value) else row

    def write(self, examples: Iterable[Example], out: BinaryIO) -> int:
        """Write one object, a paragraph at a time; returns the questions. Raises CannotWrite."""
        return write_tree(((example, self.note(example), record) for example, record in self.records(examples)), out)

    def example(self, record: JSON, inspection: Inspection) -> Example:
        """The Example of a question record that also has its paragraph's `context` and article's `title`."""
        impossible = fields.optional_flag(record, "is_impossible", inspection)
        context = fields.optional_text(record, "context", inspection)
        title = fields.title_text(record, inspection)
        if not context.strip():
            fields.note_closed_book("context", inspection)
        return Example(
            id=fields.running_id(record, "id", inspection),
            question=fields.needed_text(record, "question", inspection),
            paragraphs=(Paragraph(title, context),) if context.strip() else (),
            answers=_answers(record.get("answers"), context, inspection),
            answerable=None if impossible is None else not impossible,
            extra=fields.extras(record, _KNOWN, inspection),
        )

    def record(self, example: Example) -> JSON:
        if len(example.paragraphs) > 1:
            raise CannotWrite(example.id, "SQuAD has one paragraph a question")
        if example.options:
            raise CannotWrite(example.id, "SQuAD has no place for answer options")
        paragraph = example.paragraphs[0] if example.paragraphs else Paragraph("", "")
        record: JSON = {"title": paragraph.title, "context": paragraph.text, "question": example.question}
        record["id"] = example.id
        if example.answers or example.answerable is False:
            record["answers"] = [] if example.answerable is False else _spans(example)
        if example.answerable is not None:
            record["is_impossible"] = not example.answerable
        record |= fields.plain_extra(example.extra, without=_KNOWN)
        return {key: record[key] for key in _ORDER if key in record} | record


def _is_table(path: Path) -> bool:
    """Whether a file or folder has a question a row, as far as its first bytes tell."""
    if path.is_dir():
        return True
    with opened(path) as stream:
        start = head(stream)
    levels = any(name in start for name in (b'"data"', b'"qas"', b'"paragraphs"'))
    return start.startswith(b"PAR1") or (b'"context"' in start and not levels)


def _are_columns(record: Any) -> bool:
    answers = record.get("answers") if type(record) is dict else None
    return type(answers) is dict and {"text", "answer_start"} <= set(answers) and type(record.get("context")) is str


def _question_of(record: JSON) -> JSON:
    answers = fields.unzipped(record["answers"])
    return record | {"answers": answers} | ({} if answers else {"is_impossible": True})


def _answers(value: Any, context: str, inspection: Inspection) -> tuple[str, ...]:
    """The distinct texts of the answers, in order; each must occur at its `answer_start`."""
    if value is None:
        return ()
    answers: dict[str, None] = {}
    for path, answer in fields.objects(fields.unzipped(value), "answers", inspection):
        part = inspection.within(path)
        text, start = fields.needed_text(answer, "text", part), whole_number(answer.get("answer_start"))
        if start is None and answer.get("answer_start") is None:
            part.warn("answer_start", "there is no offset", "The answer is kept as a text")
        elif start is None:
            start = answer.get("answer_start")
            part.mistyped("answer_start", start, "the offset of the answer in characters, from 0")
        elif start < 0 or context[start : start + len(text)] != text:
            part.error("answer_start", f"the answer does not stand at {start}", _place_of(text, context))
        answers[text] = None
    return tuple(answers)


def _place_of(text: str, context: str) -> str:
    place = context.find(text)
    return f"It stands at {place}" if place >= 0 else "It stands nowhere in the paragraph: check its text"


def _spans(example: Example) -> list[JSON]:
    text = example.paragraphs[0].text if example.paragraphs else ""
    spans = [{"text": answer, "answer_start": text.find(answer)} for answer in example.answers]
    inside = [span for span in spans if span["answer_start"] != -1]
    if not inside:
        raise CannotWrite(example.id, "no answer stands in its paragraph")
    return inside


def _file_fields(path: Path) -> tuple[JSON, list[JSON]]:
    """All fields of the file but `data`, and the empty paragraphs and articles after the last question; one pass."""
    with opened(path) as stream:
        if not head(stream).lstrip().startswith(b"{"):
            raise unreadable("it is not a SQuAD object", 'Give {"version": ..., "data": [articles]}', "line 1")
        file_fields: JSON = {}
        window, outline, count = Window(stream), Outline(), 0
        for row in _articles(window, file_fields):
            count = row.number
            if row.error is None:
                follow(row.value, row.number, outline)
    if "data" not in file_fields:
        raise unreadable("there is no list data", 'Give {"version": ..., "data": [articles]}')
    del file_fields["data"]
    if not count:
        raise unreadable("data holds no articles", "Give at least one article")
    return file_fields, outline.pieces


def _articles(window: Window, file_fields: JSON) -> Iterator[Row]:
    """The articles of `data`; the file's other fields are put into `file_fields`, with None for `data`."""
    window.take("{", "Begin with {")
    while True:
        window.peek()
        key = window.value()
        if type(key) is not str or key in file_fields:
            window.refuse(f"{fields.kind(key)} where a new key is expected", "Give each key once")
        window.take(":", "Put a colon after the key")
        if key == "data":
            file_fields[key] = None
            yield from elements(window)
        else:
            file_fields[storable(key)] = window.value()
        if window.take(",}", "Put a comma or the closing } here; without it the file is cut off") == "}":
            break
    if window.peek():
        window.refuse("more text follows the object", "End the file after the closing }")


class _Reading:
    """Walks from articles to questions, counts them and notes the article and paragraph of each."""

    def __init__(self, squad: Squad, file: JSON, after: list[JSON]) -> None:
        """`after`: the empty articles and paragraphs after the last question (`squad_tree.Outline`)."""
        self._squad = squad
        self._file = file
        self._after = after
        self._number = 0
        self._first = True
        self._outline = Outline()
        self._ids = UniqueIds()

    def article(self, row: Row) -> Iterator[Parsed | LateFlaws]:
        """The questions of an article, or its refusal."""
        inspection = Inspection(f"article {row.number}")
        inspection.take(row.faults, self._squad.used)
        article = article_of(row.value, row.number, inspection)
        if article is None:
            yield from self._refused(inspection, questions_in(row.value))
            return
        yield from self._noted(inspection)
        if not row.value["paragraphs"]:
            self._outline.add(article)
        for here, paragraph in paragraphs_of(row.value, article):
            yield from self._paragraph(paragraph, here)

    def _paragraph(self, value: Any, above: ParagraphPath) -> Iterator[Parsed | LateFlaws]:
        inspection, path = Inspection(f"article {above.article_number}"), path_of(above)
        here = paragraph_of(value, above, inspection, path=path)
        if here is None:
            yield from self._refused(inspection, questions_in({"paragraphs": [value]}))
            return
        if not value.get("qas"):
            self._outline.add(here)
            wrong, fix = "the paragraph has no questions", "It makes no item; an export writes it again"
            yield LateFlaws((Flaw("warning", inspection.place, "", path, wrong, fix),))
        for at, question in enumerate(value.get("qas") or ()):
            yield self._question(question, here, path=f"{path}.{joined('qas', at)}")

    def _question(self, value: Any, here: ParagraphPath, *, path: str) -> Parsed:
        self._number += 1
        inspection = Inspection(f"record {self._number}", fields.record_id_of(value), number=self._number)
        part = inspection.within(path)
        if type(value) is not dict or {"title", "context"} & set(value):
            part.mistyped("question", value, "an object with id, question and answers")
            return Parsed(self._number, None, inspection.reportable())
        record = {"title": here.title, "context": here.context, **value}
        parsed = self._ids.parsed(self._number, self._squad.example(record, part), inspection)
        if parsed.example is None:
            return parsed
        extra = {**parsed.example.extra, fields.RESERVED + "squad": self._note(here)}
        return replace(parsed, example=self._squad.kept(replace(parsed.example, extra=extra), record))

    def _note(self, here: ParagraphPath) -> JSON:
        starts, before = self._outline.take(here)
        version = {key: value for key, value in self._file.items() if key == "version"}
        note: JSON = {"file": self._file if self._first else version, **here.note(starts)}
        note |= {"before": before} if before else {}
        note |= {"after": self._after} if self._first and self._after else {}
        self._first = False
        return note

    def _noted(self, inspection: Inspection) -> Iterator[LateFlaws]:
        if flaws := inspection.reportable():
            yield LateFlaws(flaws)

    def _refused(self, inspection: Inspection, count: int) -> Iterator[Parsed]:
        """A record with the flaws for each question of an article or a paragraph."""
        for _ in range(max(1, count)):
            self._number += 1
            yield Parsed(self._number, None, inspection.reportable())


FORMAT = Squad()
