"""Parsing the posted page of steps."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.pure.text.relations import in_words
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import PLACE, AnswerForm, TaskForm, parse_integer

from .steps import BLANK, FREE, KIND, KINDS, LONGEST, MOST, STEPWISE, asked, is_blank, tidied


class _Step(Mapping[str, str]):
    """One step's fields under the names that an answer's have; paragraphs are numbers in words, such as “3, 7”."""

    def __init__(self, data: Any, number: int, *, yes_no: bool) -> None:
        self._data, self._prefix, self._yes_no = data, f"hop-{number}-", yes_no

    def __getitem__(self, name: str) -> str:
        return str(self.get(name, ""))

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def get(self, name: str, default: Any = None) -> Any:
        if name != "kind":
            return self._data.get(self._prefix + name, default)
        said = self["text"].strip().lower()
        if self._yes_no and said in ("yes", "no"):
            return said
        return "span" if self["start"] else "text"

    def getlist(self, name: str) -> list[str]:
        numbers = (
            [parse_integer(part.strip()) for part in self["support"][:200].split(",")] if name == "support" else []
        )
        return [str(number - 1) for number in numbers if number]


class Form(TaskForm):
    """The steps with their answers, or the kind of question; trailing empty steps do not count."""

    def answer(self) -> JSON:
        if self.payload["arm"] == KIND:
            return {"kind": self.text("kind") if self.text("kind") in KINDS else "", "hops": []}
        hops = [self._hop(number) for number in range(1, self._most() + 1)]
        while hops and is_blank(hops[-1]) and self.payload["arm"] == FREE:
            hops.pop()
        return {"kind": "", "hops": hops}

    def _most(self) -> int:
        """The number of steps to read: those that were posted, or what can be written."""
        if self.payload["arm"] == FREE:
            return MOST
        posted = [k for k in range(1, len(self.payload["steps"]) + 1) if f"hop-{k}-text" in self.data]
        return max(posted, default=1)

    def _hop(self, number: int) -> JSON:
        step = _Step(self.data, number, yes_no=self.payload["controls"]["yes_no"])
        question = self.text(f"hop-{number}-question")[: LONGEST + 1] if self.payload["arm"] == FREE else ""
        answer = AnswerForm(self.payload, step).answer() if self.data else {}
        return tidied({**BLANK, **answer, "question": question})

    def shown(self, answer: JSON | None) -> JSON:
        """{"kind", "given", "rows", "is_last", "support", "fields"}: rows of the open steps and of those closed."""
        answer = answer or {"kind": "", "hops": []}
        arm, hops = self.payload["arm"], answer["hops"] or [BLANK]
        if arm == FREE:
            hops = [*hops, *[BLANK] * (MOST - len(hops))]
        before = len(self.payload["given"])
        rows = [] if arm == KIND else [self._row(k, hop, hops, before) for k, hop in enumerate(hops, 1)]
        fields = {f"hop-{row['name']}-{name}": value for row in rows for name, value in row["fields"].items()}
        given = [{**hop, "question": in_words(hop["question"])} for hop in self.payload["given"]]
        return {
            "kind": answer["kind"],
            "given": [{**hop, "number": number} for number, hop in enumerate(given, 1)],
            "rows": rows,
            "is_last": arm not in STEPWISE or len(hops) >= len(self.payload["steps"]),
            "support": [],  # of no answer but a step's
            "fields": {"kind": answer["kind"]} if arm == KIND else fields,
        }

    def _row(self, number: int, hop: JSON, hops: list[JSON], before: int) -> JSON:
        arm = self.payload["arm"]
        shown = AnswerForm.shown(AnswerForm(self.payload), {name: hop[name] for name in BLANK if name != "question"})
        fields = {name: "" if shown[name] is None else str(shown[name]) for name in ("text", *PLACE)}
        if arm == FREE:
            fields |= {"question": hop["question"], "support": ", ".join(str(k + 1) for k in shown["support"])}
        return {
            "name": number,
            "number": before + number,
            "asked": "" if arm == FREE else asked(self.payload, hops, number - 1),
            "is_closed": arm in STEPWISE and number < len(hops),
            "fields": fields,
        }
