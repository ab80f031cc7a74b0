"""Parsing the posted page of an ablated question; `check` validates it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from annotation.pure.text.spans import Span, cut, locate
from annotation.tasktype import JSON

from .classes import BLANK

MOST = 20_000  # characters of a field
SAID = {"yes": True, "no": False}
WORDS = {True: "yes", False: "no"}


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.payload = payload
        self.texts = [p["text"] for p in payload["paragraphs"]]

    def answer(self) -> JSON:
        """What was not asked is not in the answer, whatever its fields hold."""
        solvable, guessable = SAID.get(self._text("solvable")), SAID.get(self._text("guessable"))
        result = {**BLANK, "rationale": [], "solvable": solvable, "guessable": guessable}
        if guessable:
            result["necessary"] = SAID.get(self._text("necessary"))
        if solvable:
            result |= self._option() if self.payload["options"] else self._words()
            result["rationale"] = self._rationale()
        return result

    def shown(self, answer: JSON | None) -> JSON:
        """The answer as the controls want it: words for yes and no, the rationale as lines and as places."""
        answer = {**BLANK, **(answer or {})}
        choices = {name: WORDS.get(answer[name], "") for name in ("solvable", "guessable", "necessary")}
        marks = [mark for mark in answer["rationale"] if mark[0] is not None]
        lines = [" ".join((cut(self.texts, Span(*mark)) or "").split()) for mark in marks]
        places = {name: "" if answer[name] is None else str(answer[name]) for name in ("paragraph", "start", "end")}
        fields = {
            **choices,
            "text": answer["text"],
            **places,
            "option": "" if answer["option"] is None else str(answer["option"]),
            "rationale": "\n".join(lines),
            "marks": " ".join(".".join(map(str, mark)) for mark in marks),
        }
        return {**fields, "fields": fields}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}

    def _text(self, name: str) -> str:
        return str(self.data.get(name) or "")[:MOST].replace("\r\n", "\n").replace("\0", "")

    def _number(self, name: str) -> int | None:
        return _int(self._text(name))

    def _option(self) -> JSON:
        option = self._number("option")
        if option is None or option >= len(self.payload["options"]):
            return {}
        return {"kind": "option", "option": option, "text": self.payload["options"][option]}

    def _words(self) -> JSON:
        """A selected span, cut out again by its place; or typed words, looked up."""
        text = self._text("text")
        paragraph, start, end = (self._number(name) for name in ("paragraph", "start", "end"))
        if paragraph is not None and start is not None and end is not None:
            own = cut(self.texts, Span(paragraph, start, end))
            if own is not None and own.split() == text.split():
                return {"kind": "span", "text": own, "paragraph": paragraph, "start": start, "end": end}
        span = locate(text, self.texts)
        if span is None:
            return {"kind": "typed", "text": text}
        return {"kind": "span", "text": cut(self.texts, span), **span._asdict()}

    def _rationale(self) -> list[list[Any]]:
        """The marked places, where each reads as its line does; else the lines, looked up."""
        lines = [line.split() for line in self._text("rationale").split("\n") if line.strip()]
        marks = [_mark(word) for word in self._text("marks").split()]
        own = [(cut(self.texts, Span(*mark)) or "").split() if mark else [] for mark in marks]
        if own == lines:
            return [list(mark) for mark in marks if mark]
        spans = [locate(" ".join(line), self.texts) for line in lines]
        return [[None, None, None] if span is None else list(span) for span in spans]


def _mark(word: str) -> tuple[int, int, int] | None:
    parts = [_int(part) for part in word.split(".")]
    if len(parts) != 3:
        return None
    paragraph, start, end = parts
    return None if paragraph is None or start is None or end is None else (paragraph, start, end)


def _int(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
