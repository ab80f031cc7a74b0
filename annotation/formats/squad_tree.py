"""The structure of SQuAD's JSON: articles and paragraphs found while reading, and written back."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from annotation.formats import fields
from annotation.formats.fields import Inspection
from annotation.formats.rows import dumped
from annotation.formats.storable import joined
from annotation.pure.data.example import JSON, Example

Question = tuple[Example, Mapping[str, Any], JSON]  # with its note and its record with title and context


def write_tree(questions: Iterable[Question], out: BinaryIO) -> int:
    """Write the questions under their paragraphs and articles; returns how many. Raises CannotWrite."""
    tree = _Tree(out)
    for question in questions:
        tree.add(*question)
    tree.close()
    return tree.count


class _Tree:
    def __init__(self, out: BinaryIO) -> None:
        self.count = 0
        self._out = out
        self._article: tuple[str, JSON] | None = None  # the open one, with its other fields
        self._paragraph: tuple[str, JSON] | None = None
        self._paragraphs = self._questions = 0  # in the open article, in the open paragraph
        self._first: tuple[Example, Mapping[str, Any]] | None = None

    def add(self, example: Example, note: Mapping[str, Any], record: JSON) -> None:
        """Write a question into the open paragraph, or into a new one after the empty pieces before it."""
        self._first = self._first or (example, note)
        for piece in _pieces(note, "before"):
            self._go_to(piece, piece)
        self._go_to(record, note)
        question = {key: value for key, value in record.items() if key not in ("title", "context")}
        self._out.write((b",\n" if self._questions else b"") + dumped(question, example))
        self._questions += 1
        self.count += 1

    def close(self) -> None:
        """Write the empty pieces after the last question and the end of the file; without questions, an empty file."""
        if self._first is None:
            self._out.write(b'{"version": "1.1", "data": []}\n')
            return
        for piece in _pieces(self._first[1], "after"):
            self._go_to(piece, piece)
        self._end_article()
        self._out.write(b"\n]}\n")

    def _go_to(self, place: Mapping[str, Any], note: Mapping[str, Any]) -> None:
        """Open the article and the paragraph of a place that are not open yet."""
        starts, article = note.get("starts"), (place["title"], _object(note, "article"))
        if article != self._article or starts == "article":
            self._open_article(article)
        if "context" not in place:
            return
        paragraph = (place["context"], _object(note, "paragraph"))
        if paragraph != self._paragraph or starts == "paragraph":
            self._end_paragraph()
            self._out.write(b", " if self._paragraphs else b"")
            self._open({"context": paragraph[0], **paragraph[1]}, "qas")
            self._paragraph, self._questions = paragraph, 0
            self._paragraphs += 1

    def _open_article(self, article: tuple[str, JSON]) -> None:
        if self._article is None and self._first is not None:
            self._open(_file(*self._first), "data")
            self._out.write(b"\n")
        else:
            self._end_article()
            self._out.write(b",\n")
        self._open({"title": article[0], **article[1]}, "paragraphs")
        self._article, self._paragraphs = article, 0

    def _end_article(self) -> None:
        self._end_paragraph()
        self._out.write(b"]}")

    def _end_paragraph(self) -> None:
        if self._paragraph is not None:
            self._out.write(b"]}")
            self._paragraph = None

    def _open(self, fields: JSON, name: str) -> None:
        """Begin an object with these fields, and the list `name` as its last field, left open."""
        example = self._first[0] if self._first else None
        if example is not None:
            self._out.write(dumped({**fields, name: []}, example)[:-2])


def _object(note: Mapping[str, Any], key: str) -> JSON:
    value = note.get(key)
    return value if isinstance(value, dict) else {}


def _pieces(note: Mapping[str, Any], key: str) -> list[JSON]:
    """Empty paragraphs and articles as `Outline` notes them; invalid ones are left out."""
    value = note.get(key)
    pieces = value if isinstance(value, list) else []
    return [
        piece
        for piece in pieces
        if isinstance(piece, dict) and isinstance(piece.get("title"), str) and isinstance(piece.get("context", ""), str)
    ]


def _file(example: Example, note: Mapping[str, Any]) -> JSON:
    if isinstance(note.get("file"), dict):
        return _object(note, "file")
    return {"version": "1.1" if example.answerable is None else "v2.0"}


@dataclass(frozen=True, slots=True)
class ParagraphPath:
    """A paragraph in its article, each with its number and other fields; `context` is None for an article alone."""

    article_number: int
    title: str
    article: JSON
    paragraph_number: int = -1
    context: str | None = None
    paragraph: JSON = field(default_factory=dict)

    def note(self, starts: str) -> JSON:
        """The fields besides title and context, and `starts` ("article", "paragraph" or "") if not empty."""
        note: JSON = {"article": self.article} if self.article else {}
        note |= {"paragraph": self.paragraph} if self.paragraph else {}
        return note | ({"starts": starts} if starts else {})


@dataclass
class Outline:
    """Tracks the paragraphs of a file in order, and keeps the empty pieces before the next question."""

    last: ParagraphPath | None = None
    pieces: list[JSON] = field(default_factory=list)

    def add(self, here: ParagraphPath) -> None:
        """An empty paragraph, or an empty article."""
        context = {} if here.context is None else {"context": here.context}
        self.pieces.append({"title": here.title, **context, **here.note(self._starts(here))})
        self.last = here

    def take(self, here: ParagraphPath) -> tuple[str, list[JSON]]:
        """Add a question's paragraph; returns `_starts` of it, and the empty pieces before it."""
        starts, pieces = self._starts(here), self.pieces
        self.last, self.pieces = here, []
        return starts, pieces

    def _starts(self, here: ParagraphPath) -> str:
        """ "article" or "paragraph" if a new one begins here that looks the same as the one before; else ""."""
        last = self.last
        if last is None:
            return ""
        if last.article_number != here.article_number:
            return "article" if (last.title, last.article) == (here.title, here.article) else ""
        same = (last.context, last.paragraph) == (here.context, here.paragraph)
        return "paragraph" if same and last.paragraph_number != here.paragraph_number else ""


def follow(value: Any, number: int, outline: Outline) -> None:
    """Add an article's paragraphs to an outline, whether or not its questions are valid; invalid ones are skipped."""
    article = article_of(value, number, Inspection(""))
    if article is None:
        return
    has_question = False
    for here, paragraph in paragraphs_of(value, article):
        parsed = paragraph_of(paragraph, here, Inspection(""), path="")
        if parsed is not None and paragraph.get("qas"):
            outline.take(parsed)
        elif parsed is not None:
            outline.add(parsed)
        has_question = True
    if not has_question:
        outline.add(article)


def article_of(value: Any, number: int, inspection: Inspection) -> ParagraphPath | None:
    """The article; None, with an error, if it is invalid."""
    others = _level(value, ("title", "paragraphs"), inspection, path=f"data[{number - 1}]")
    if inspection.failed:
        return None
    if value.get("title") is None:
        inspection.within(f"data[{number - 1}]").warn("title", "there is no title", "It stays empty")
    return ParagraphPath(number, value.get("title") or "", others)


def paragraphs_of(value: Any, article: ParagraphPath) -> Iterator[tuple[ParagraphPath, Any]]:
    """(path, paragraph) of each paragraph of an article."""
    for number, paragraph in enumerate(value["paragraphs"]):
        yield replace(article, paragraph_number=number), paragraph


def paragraph_of(value: Any, here: ParagraphPath, inspection: Inspection, *, path: str) -> ParagraphPath | None:
    """The paragraph's path; None, with an error, if it is invalid."""
    others = _level(value, ("context", "qas"), inspection, path=path)
    return None if inspection.failed else replace(here, context=value.get("context") or "", paragraph=others)


def path_of(here: ParagraphPath) -> str:
    """The path of a paragraph in the file."""
    return f"data[{here.article_number - 1}].{joined('paragraphs', here.paragraph_number)}"


def questions_in(value: Any) -> int:
    """The number of questions of an article, valid or not, that has lists where they should be."""
    members = value.get("paragraphs") if isinstance(value, dict) else None
    lists = [each.get("qas") for each in members if isinstance(each, dict)] if isinstance(members, list) else []
    return sum(len(each) for each in lists if isinstance(each, list))


def _level(value: Any, names: tuple[str, str], inspection: Inspection, *, path: str) -> JSON:
    """The other fields of an article or paragraph, whose text, if there is one, and list have the two names."""
    if inspection.failed:
        return {}
    if type(value) is not dict:
        inspection.mistyped(path, value, f"an object with {names[0]} and {names[1]}")
        return {}
    part = inspection.within(path)
    if type(value.get(names[0])) not in (str, type(None)):
        part.mistyped(names[0], value.get(names[0]), "a text")
    if type(value.get(names[1])) is not list and (names[1] != "qas" or value.get("qas") is not None):
        part.mistyped(names[1], value.get(names[1]), "a list")
    return fields.extras(value, names, part)
