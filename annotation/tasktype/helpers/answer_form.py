"""Parsing a posted form with an answer and its support. Positions are the payload's; `check` validates."""

from typing import Any

from annotation.pure.statistics.metrics import lines_of
from annotation.pure.text.spans import Span, cut, locate
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import ONES_OWN, SEVERAL
from annotation.tasktype.helpers.task_form import TaskForm

PLACE = ("paragraph", "start", "end")
BLANK: JSON = {"text": "", **dict.fromkeys(PLACE), "option": None}


class AnswerForm(TaskForm):
    """An answer (selected, typed, yes, no, an option or none) with its supporting paragraphs or sentences."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.order: list[int] = payload.get("order") or list(range(len(payload["paragraphs"])))

    def answer(self) -> JSON:
        support, facts = self._support()
        blank = BLANK | {"support": support, "facts": facts} | self._confidence() | self._date()
        kind = self.text("kind")
        if kind in {"yes", "no"}:
            return blank | {"kind": kind, "text": kind}
        if kind == "none":
            return blank | {"kind": "none"}
        if kind == "option":
            return blank | self._option()
        if self.payload["controls"].get("several"):
            text = "\n".join(lines_of(self.text("text")))
            return blank | ({"kind": SEVERAL, "text": text} if text else {"kind": ""})
        return blank | self._words(support)

    def shown(self, answer: JSON | None) -> JSON:
        place = {payload: shown for shown, payload in enumerate(self.order)}
        answer = {**BLANK, "kind": "", "support": [], "facts": [], **(answer or {})}
        return answer | {
            "kind": "text" if answer["kind"] == "typed" else answer["kind"],
            "paragraph": place.get(answer["paragraph"]),
            "support": sorted(place[k] for k in answer["support"]),
            "facts": [f"{place[p]}.{s}" for p, s in answer["facts"]],
        }

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        shown = AnswerForm.shown(self, answer)
        result = {name: ["" if shown[name] is None else str(shown[name])] for name in ("kind", *BLANK)}
        result |= {name: [str(shown[name])] for name in ONES_OWN if shown.get(name) is not None}
        return result | {"support": [str(place) for place in shown["support"]], "fact": shown["facts"]}

    def _confidence(self) -> JSON:
        if not self.payload["controls"].get("confidence"):
            return {}
        stated = self.number("confidence")
        return {"confidence": stated if stated is not None and stated <= 100 else None}

    def _date(self) -> JSON:
        stated = self.text("as_of") if self.payload["controls"].get("as_of") else ""
        return {"as_of": stated} if stated else {}

    def _support(self) -> tuple[list[int], list[list[int]]]:
        size = len(self.order)
        ticked = {int(v) for v in self._short_texts("support") if v.isascii() and v.isdigit() and int(v) < size}
        facts = sorted(fact for value in self._short_texts("fact") if (fact := self._fact(value)))
        if self.payload["controls"]["sentences"]:
            return sorted({p for p, _s in facts}), [list(fact) for fact in facts]
        return sorted(self.order[k] for k in ticked), []

    def _short_texts(self, name: str) -> list[str]:
        return [value[:12] for value in self.texts(name)]

    def _fact(self, value: str) -> tuple[int, int] | None:
        shown, _dot, sentence = value.partition(".")
        if not (shown + sentence).isascii() or not shown.isdigit() or not sentence.isdigit():
            return None
        if int(shown) >= len(self.order):
            return None
        fact = (self.order[int(shown)], int(sentence))
        return fact if fact[1] < len(self.payload["paragraphs"][int(shown)].get("sentences", [])) else None

    def _option(self) -> JSON:
        option = self.number("option")
        if option is None or option >= len(self.payload["options"]):
            return {"kind": "option", "option": None}
        return {"kind": "option", "option": option, "text": self.payload["options"][option]}

    def _words(self, support: list[int]) -> JSON:
        """A selected span, cut out again by its offsets; or typed text, located in the paragraphs."""
        text = self.text("text")
        shown = [p["text"] for p in self.payload["paragraphs"]]
        numbers = [number for name in PLACE if (number := self.number(name)) is not None]
        if self.text("kind") == "span" and len(numbers) == len(PLACE) and numbers[0] < len(shown):
            span = Span(*numbers)
            return self._selected(span, _own_line_breaks(text, cut(shown, span)))
        if not text.strip():
            return {"kind": ""}
        located = locate(text, shown, first=[k for k, payload in enumerate(self.order) if payload in support])
        return self._selected(located, cut(shown, located)) if located else {"kind": "typed", "text": text.strip()}

    def _selected(self, span: Span, text: str | None) -> JSON:
        return {"kind": "span", "text": text, **span._asdict(), "paragraph": self.order[span.paragraph]}


def _own_line_breaks(posted: str, exact: str | None) -> str:
    """The span's own text if the browser only changed its line breaks; else the posted text."""
    return exact if exact is not None and exact.split() == posted.split() else posted
