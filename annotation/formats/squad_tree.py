"""Writes SQuAD's tree from single questions, streaming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from annotation.formats.rows import dumped
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
        """Put a question into the open paragraph, or into a new one, behind the empty ones that came before it."""
        self._first = self._first or (example, note)
        for piece in _pieces(note, "before"):
            self._go_to(piece, piece)
        self._go_to(record, note)
        question = {key: value for key, value in record.items() if key not in ("title", "context")}
        self._out.write((b",\n" if self._questions else b"") + dumped(question, example))
        self._questions += 1
        self.count += 1

    def close(self) -> None:
        """Write what stood behind the last question, and end; without any question, a file without articles."""
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
        """Begin an object with these fields and a list, its last field, which is left open."""
        example = self._first[0] if self._first else None
        if example is not None:
            self._out.write(dumped({**fields, name: []}, example)[:-2])


def _object(note: Mapping[str, Any], key: str) -> JSON:
    value = note.get(key)
    return value if isinstance(value, dict) else {}


def _pieces(note: Mapping[str, Any], key: str) -> list[JSON]:
    """Empty paragraphs and articles as `squad_outline` notes them; none for what no import can have made."""
    value = note.get(key)
    found = value if isinstance(value, list) else []
    return [
        piece
        for piece in found
        if isinstance(piece, dict) and isinstance(piece.get("title"), str) and isinstance(piece.get("context", ""), str)
    ]


def _file(example: Example, note: Mapping[str, Any]) -> JSON:
    if isinstance(note.get("file"), dict):
        return _object(note, "file")
    return {"version": "1.1" if example.answerable is None else "v2.0"}
