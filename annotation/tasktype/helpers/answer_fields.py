"""Parsing a posted form with an answer and its support. Positions are the payload's; `check` validates."""

from __future__ import annotations

from typing import Any, Protocol

from annotation.pure.text.spans import Span, cut, locate
from annotation.tasktype import JSON

MOST = 20_000  # characters of an answer


class Posted(Protocol):
    """Posted fields: a name may have several values."""

    def get(self, name: str, /) -> Any: ...

    def getlist(self, name: str, /) -> list[str]: ...


class AnswerFields:
    """A parser of (payload as shown, posted fields or None). Unreadable values count as missing."""

    def __init__(self, payload: JSON, posted: Posted | None) -> None:
        self.payload, self.posted = payload, posted
        self.order: list[int] = payload.get("order") or list(range(len(payload["paragraphs"])))

    def answer(self) -> JSON:
        """The posted answer with the payload's positions."""
        support, facts = self._support()
        given = {"support": support, "facts": facts}
        blank: JSON = {"text": "", "paragraph": None, "start": None, "end": None, "option": None, **given}
        kind = self.text("kind")
        if kind in {"yes", "no"}:
            return blank | {"kind": kind, "text": kind}
        if kind == "none":
            return blank | {"kind": "none"}
        if kind == "option":
            return blank | self._option()
        return blank | self._words(support)

    def shown(self, answer: JSON | None) -> JSON:
        """A stored answer as initial values of the page: positions as shown."""
        place = {payload: shown for shown, payload in enumerate(self.order)}
        empty: JSON = {"kind": "", "text": "", "paragraph": None, "start": None, "end": None, "option": None}
        answer = {**empty, "support": [], "facts": [], **(answer or {})}
        return answer | {
            "kind": "text" if answer["kind"] == "typed" else answer["kind"],
            "paragraph": place.get(answer["paragraph"]),
            "support": sorted(place[k] for k in answer["support"]),
            "facts": [f"{place[p]}.{s}" for p, s in answer["facts"]],
        }

    def fields(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        shown = self.shown(answer)
        single = ("kind", "text", "paragraph", "start", "end", "option")
        result = {name: ["" if shown[name] is None else str(shown[name])] for name in single}
        return result | {"support": [str(place) for place in shown["support"]], "fact": shown["facts"]}

    def text(self, name: str) -> str:
        """The field's last value, "" where there is none."""
        given = self.posted.get(name) if self.posted is not None else None
        return str(given or "")[:MOST].replace("\r\n", "\n").replace("\0", "")

    def _number(self, name: str) -> int | None:
        text = self.text(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    def _support(self) -> tuple[list[int], list[list[int]]]:
        size = len(self.order)
        ticked = {int(v) for v in self._list("support") if v.isascii() and v.isdigit() and int(v) < size}
        facts = sorted(fact for value in self._list("fact") if (fact := self._fact(value)))
        if self.payload["controls"]["sentences"]:
            return sorted({p for p, _s in facts}), [list(fact) for fact in facts]
        return sorted(self.order[k] for k in ticked), []

    def _list(self, name: str) -> list[str]:
        return [v[:12] for v in self.posted.getlist(name)] if self.posted is not None else []

    def _fact(self, value: str) -> tuple[int, int] | None:
        shown, _dot, sentence = value.partition(".")
        if not (shown + sentence).isascii() or not shown.isdigit() or not sentence.isdigit():
            return None
        if int(shown) >= len(self.order):
            return None
        fact = (self.order[int(shown)], int(sentence))
        return fact if fact[1] < len(self.payload["paragraphs"][int(shown)].get("sentences", [])) else None

    def _option(self) -> JSON:
        option = self._number("option")
        if option is None or option >= len(self.payload["options"]):
            return {"kind": "option", "option": None}
        return {"kind": "option", "option": option, "text": self.payload["options"][option]}

    def _words(self, support: list[int]) -> JSON:
        """A selected span, cut out again by its offsets; or typed text, located in the paragraphs."""
        text = self.text("text")
        shown = [p["text"] for p in self.payload["paragraphs"]]
        place = [self._number(name) for name in ("paragraph", "start", "end")]
        if self.text("kind") == "span" and None not in place:
            paragraph, start, end = (int(n) for n in place if n is not None)
            if paragraph < len(shown):
                return {
                    "kind": "span",
                    "text": self._selected(text, shown, Span(paragraph, start, end)),
                    "paragraph": self.order[paragraph],
                    "start": start,
                    "end": end,
                }
        if not text.strip():
            return {"kind": ""}
        first = [k for k, payload in enumerate(self.order) if payload in support]
        span = locate(text, shown, first=first)
        if span is None:
            return {"kind": "typed", "text": text.strip()}
        exact: Any = cut(shown, span)
        return {
            "kind": "span",
            "text": exact,
            "paragraph": self.order[span.paragraph],
            "start": span.start,
            "end": span.end,
        }

    def _selected(self, text: str, shown: list[str], span: Span) -> str:
        """The span's own text if the browser only changed its line breaks; else what was posted."""
        exact = cut(shown, span)
        return exact if exact is not None and exact.split() == text.split() else text
