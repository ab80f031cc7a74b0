"""Where SQuAD's questions stand, and the paragraphs and articles without any, which no Example can hold.

An empty paragraph is noted as a piece `{"title", "article", "context", "paragraph", "starts"}` (an empty article
without `context`), so that an export writes it where it stood: on the question that follows, or on the first one of the
file for those behind the last question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.formats import fields
from annotation.formats.fields import Inspection
from annotation.formats.json_text import joined
from annotation.pure.data.example import JSON


@dataclass(frozen=True, slots=True)
class Here:
    """A paragraph in its article, each with its number and other fields; `context` is None for an article alone."""

    article_number: int
    title: str
    article: JSON
    paragraph_number: int = -1
    context: str | None = None
    paragraph: JSON = field(default_factory=dict)

    def note(self, starts: str) -> JSON:
        """The fields besides title and context, and what begins here although it looks the same."""
        note: JSON = {"article": self.article} if self.article else {}
        note |= {"paragraph": self.paragraph} if self.paragraph else {}
        return note | ({"starts": starts} if starts else {})


@dataclass
class Outline:
    """Follows the paragraphs of a file in their order and keeps the pieces that no question came to take."""

    last: Here | None = None
    pieces: list[JSON] = field(default_factory=list)

    def add(self, here: Here) -> None:
        """An empty paragraph, or an empty article."""
        context = {} if here.context is None else {"context": here.context}
        self.pieces.append({"title": here.title, **context, **here.note(self._starts(here))})
        self.last = here

    def take(self, here: Here) -> tuple[str, list[JSON]]:
        """What a question's note says: what begins with it, and the pieces before it."""
        starts, pieces = self._starts(here), self.pieces
        self.last, self.pieces = here, []
        return starts, pieces

    def _starts(self, here: Here) -> str:
        """What begins here, where it looks the same as what was there before."""
        last = self.last
        if last is None:
            return ""
        if last.article_number != here.article_number:
            return "article" if (last.title, last.article) == (here.title, here.article) else ""
        same = (last.context, last.paragraph) == (here.context, here.paragraph)
        return "paragraph" if same and last.paragraph_number != here.paragraph_number else ""


def follow(value: Any, number: int, outline: Outline) -> None:
    """Take an article's paragraphs into an outline, whatever its questions are worth; broken ones are passed over."""
    article = article_of(value, number, Inspection(""))
    if article is None:
        return
    asked = False
    for here, paragraph in paragraphs_of(value, article):
        found = paragraph_of(paragraph, here, Inspection(""), path="")
        if found is not None and paragraph["qas"]:
            outline.take(found)
        elif found is not None:
            outline.add(found)
        asked = True
    if not asked:
        outline.add(article)


def article_of(value: Any, number: int, inspection: Inspection) -> Here | None:
    """The article; None, and an error, where it is broken."""
    others = _level(value, ("title", "paragraphs"), inspection, path=f"data[{number - 1}]")
    return None if inspection.failed else Here(number, value["title"], others)


def paragraphs_of(value: Any, article: Here) -> Iterator[tuple[Here, Any]]:
    """(where it stands, paragraph) of an article."""
    for number, paragraph in enumerate(value["paragraphs"]):
        yield replace(article, paragraph_number=number), paragraph


def paragraph_of(value: Any, here: Here, inspection: Inspection, *, path: str) -> Here | None:
    """The paragraph there; None, and an error, where it is broken."""
    others = _level(value, ("context", "qas"), inspection, path=path)
    return None if inspection.failed else replace(here, context=value["context"], paragraph=others)


def path_of(here: Here) -> str:
    """The path of a paragraph in the file."""
    return f"data[{here.article_number - 1}].{joined('paragraphs', here.paragraph_number)}"


def _level(value: Any, names: tuple[str, str], inspection: Inspection, *, path: str) -> JSON:
    """The other fields of an article or paragraph, whose text and list have the two names."""
    if inspection.failed:
        return {}
    if type(value) is not dict:
        inspection.mistyped(path, value, f"an object with {names[0]} and {names[1]}")
        return {}
    part = inspection.within(path)
    if type(value.get(names[0])) is not str:
        part.mistyped(names[0], value.get(names[0]), "a text")
    if type(value.get(names[1])) is not list:
        part.mistyped(names[1], value.get(names[1]), "a list")
    return fields.extras(value, names, part)
