"""The bases of tasks' forms. A form only parses what a page posts; the task's `check` validates it.

Positions in an answer are the payload's.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from annotation.pure.statistics.metrics import lines_of
from annotation.pure.text.spans import Span, cut, locate
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import ONES_OWN, SEVERAL
from annotation.tasktype.helpers.decision_task import DecisionTask

MOST_CHARACTERS = 20_000  # characters of a field that are read
YES_NO = {"yes": True, "no": False}
YES_NO_VALUES = {True: "yes", False: "no", None: ""}


class TaskForm(ABC):
    """Built with the payload as shown and the POST (None: nothing was posted). Unreadable values count as missing."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        self.payload = payload
        self.data: Any = posted or {}

    @abstractmethod
    def answer(self) -> JSON:
        """The posted answer with the payload's positions."""

    @abstractmethod
    def shown(self, answer: JSON | None) -> JSON:
        """Values of the page's controls for an answer (None: no answer yet); `fields` are the posted ones."""

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}

    def text(self, name: str) -> str:
        """The field's last value, or ""."""
        return str(self.data.get(name) or "")[:MOST_CHARACTERS].replace("\r\n", "\n").replace("\0", "")

    def texts(self, name: str) -> list[str]:
        """All values of the field."""
        return list(self.data.getlist(name)) if self.data else []

    def number(self, name: str) -> int | None:
        """The field's value as an integer below a billion, or None."""
        return parse_integer(self.text(name))


class DecisionForm(TaskForm):
    """The choice of each decision ("", or None of yes and no, for none). A task with other fields adds them."""

    task: ClassVar[DecisionTask]  # set by the registry

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.decisions = self.task.decisions(payload)

    def answer(self) -> JSON:
        found: JSON = {}
        for one in self.decisions:
            stored = one.read(self.text(one.control)) if one.is_asked(found) else one.blank
            if one.place is None:
                found[one.field] = stored
            else:
                found.setdefault(one.field, []).append(stored)
        return found

    def shown(self, answer: JSON | None) -> JSON:
        fields = {one.control: one.value(answer or {}) for one in self.decisions}
        return {**fields, "fields": fields}


def parse_integer(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


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
