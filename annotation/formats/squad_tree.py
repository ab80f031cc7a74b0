"""Writes SQuAD's tree from single questions, holding no more than one paragraph's questions at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

from annotation.formats.rows import dumped
from annotation.pure.example import JSON, Example

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
        self._article: tuple[Any, ...] = ()
        self._paragraph: tuple[Any, ...] = ()
        self._lines: list[bytes] = []  # the questions of the open paragraph
        self._opening = b""  # of the open paragraph, with what must stand before it

    def add(self, example: Example, note: Mapping[str, Any], record: JSON) -> None:
        """Put a question into the open paragraph, or into a new one."""
        article = (record["title"], _object(note, "article"))
        paragraph = (record["context"], _object(note, "paragraph"))
        new_article = not self.count or article != self._article or note.get("starts") == "article"
        if new_article or paragraph != self._paragraph or note.get("starts") == "paragraph":
            self._end_paragraph()
            before = b", "
            if new_article:
                before = b"]},\n" if self.count else _opening(_file(example, note), "data", example) + b"\n"
                before += _opening({"title": article[0], **article[1]}, "paragraphs", example)
            self._opening = before + _opening({"context": paragraph[0], **paragraph[1]}, "qas", example)
        self._article, self._paragraph = article, paragraph
        question = {key: value for key, value in record.items() if key not in ("title", "context")}
        self._lines.append(dumped(question, example))
        self.count += 1

    def close(self) -> None:
        """End what is open; without any question, write a file without articles."""
        self._end_paragraph()
        self._out.write(b"]}\n]}\n" if self.count else b'{"version": "1.1", "data": []}\n')

    def _end_paragraph(self) -> None:
        if self._lines:
            self._out.write(self._opening + b",\n".join(self._lines) + b"]}")
            self._lines = []


def _opening(fields: JSON, name: str, example: Example) -> bytes:
    """An object with these fields whose last one, a list, is left open."""
    return dumped({**fields, name: []}, example)[:-2]


def _object(note: Mapping[str, Any], key: str) -> JSON:
    value = note.get(key)
    return value if isinstance(value, dict) else {}


def _file(example: Example, note: Mapping[str, Any]) -> JSON:
    if isinstance(note.get("file"), dict):
        return _object(note, "file")
    return {"version": "1.1" if example.answerable is None else "v2.0"}
