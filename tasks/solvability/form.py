"""Parsing the posted page of an ablated question."""

from typing import Any

from annotation.pure.text.spans import Span, cut, locate
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import DecisionForm, parse_integer

from .classes import BLANK

PLACE = ("paragraph", "start", "end")


class Form(DecisionForm):
    """Solvability of the question, with answer and rationale, and whether the removed text is guessable."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.paragraphs = [p["text"] for p in payload["paragraphs"]]

    def answer(self) -> JSON:
        """The posted answer; fields of questions that were not asked are ignored."""
        result = {**BLANK, **super().answer(), "rationale": []}
        if result["solvable"]:
            result |= self._option() if self.payload["options"] else self._words()
            result["rationale"] = self._rationale()
        return result

    def shown(self, answer: JSON | None) -> JSON:
        """The answer as the controls want it: words for yes and no, the rationale as lines and as places."""
        answer = {**BLANK, **(answer or {})}
        marks = [mark for mark in answer["rationale"] if mark[0] is not None]
        lines = [" ".join((cut(self.paragraphs, Span(*mark)) or "").split()) for mark in marks]
        places = {name: "" if answer[name] is None else str(answer[name]) for name in (*PLACE, "option")}
        fields = {
            **super().shown(answer)["fields"],
            "text": answer["text"],
            **places,
            "rationale": "\n".join(lines),
            "marks": " ".join(".".join(map(str, mark)) for mark in marks),
        }
        return {**fields, "fields": fields}

    def _option(self) -> JSON:
        option = self.number("option")
        if option is None or option >= len(self.payload["options"]):
            return {}
        return {"kind": "option", "option": option, "text": self.payload["options"][option]}

    def _words(self) -> JSON:
        """A selected span, cut out again by its place; or typed words, looked up."""
        text = self.text("text")
        paragraph, start, end = (self.number(name) for name in PLACE)
        if paragraph is not None and start is not None and end is not None:
            own = cut(self.paragraphs, Span(paragraph, start, end))
            if own is not None and own.split() == text.split():
                return {"kind": "span", "text": own, "paragraph": paragraph, "start": start, "end": end}
        span = locate(text, self.paragraphs)
        if span is None:
            return {"kind": "typed", "text": text}
        return {"kind": "span", "text": cut(self.paragraphs, span), **span._asdict()}

    def _rationale(self) -> list[list[Any]]:
        """The marked spans if their texts match the lines; otherwise the lines' spans, by search."""
        lines = [line.split() for line in self.text("rationale").split("\n") if line.strip()]
        marks = [_mark(word) for word in self.text("marks").split()]
        own = [(cut(self.paragraphs, Span(*mark)) or "").split() if mark else [] for mark in marks]
        if own == lines:
            return [list(mark) for mark in marks if mark]
        spans = [locate(" ".join(line), self.paragraphs) for line in lines]
        return [[None, None, None] if span is None else list(span) for span in spans]


def _mark(word: str) -> tuple[int, int, int] | None:
    parts = [parse_integer(part) for part in word.split(".")]
    if len(parts) != 3:
        return None
    paragraph, start, end = parts
    return None if paragraph is None or start is None or end is None else (paragraph, start, end)
