"""A QuestionForm as form fields, parsed by QuestionIdentifier.

Pages in a frame post to a URL of their own (mturk_api/views), so they send nothing here.
"""

from dataclasses import asdict
from typing import Any, cast

from annotation.pure.mturk import question_form
from annotation.pure.mturk.mturk_xml import read_question
from annotation.pure.mturk.question_form import FreeText, Question, Selection
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm

IN_A_LIST = {"dropdown", "list", "combobox"}


class Form(TaskForm):
    """The values of each question. Controls are named q0, q1, …, the text beside choices q0-other."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        question = read_question(payload["question"])
        self.asked = question if isinstance(question, question_form.QuestionForm) else None

    def answer(self) -> JSON:
        """{"fields": [[QuestionIdentifier, value], ...]}; "fields" is None if the frame answers."""
        if self.asked is None:
            return {"fields": None}
        fields: list[list[str]] = []
        for number, question in enumerate(self.asked.questions):
            fields += [[question.name, value] for value in self._values(number, question)]
        return {"fields": fields}

    def _values(self, number: int, question: Question) -> list[str]:
        given = [_plain(value) for value in self.texts(f"q{number}")]
        if isinstance(question.answer, Selection):
            other = _plain(self.data.get(f"q{number}-other", ""))
            known = [choice.name for choice in question.answer.choices if choice.name in given]
            return [*known, *([other] if other and question.answer.other else [])]
        return [given[0] if given else ""] if isinstance(question.answer, FreeText) else []

    def shown(self, answer: JSON | None) -> JSON:
        """{"framed", "parts", "fields"} for the page and its scripts; no parts if a frame is shown."""
        if self.asked is None:
            return {"framed": True, "parts": [], "fields": {}}
        given = (answer or {}).get("fields")
        parts, number = [], 0
        for part in self.asked.parts:
            if isinstance(part, Question):
                values = None if given is None else [value for name, value in given if name == part.name]
                parts.append(_control(part, f"q{number}", values))
                number += 1
            else:
                parts.append({"overview": True, "pieces": [asdict(piece) for piece in part]})
        return {"framed": False, "parts": parts, "fields": _fields(parts)}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        return cast(dict[str, list[str]], self.shown(answer)["fields"])


def _control(question: Question, name: str, values: list[str] | None) -> JSON:
    """Template context of a question; `values` None: no answer yet."""
    shown: JSON = {
        "name": name,
        "title": question.title,
        "required": question.required,
        "pieces": [asdict(piece) for piece in question.content],
    }
    if isinstance(question.answer, Selection):
        return shown | _choices(question.answer, name, values or [])
    if question.answer is None:
        return shown | {"control": "none"}
    text = question.answer.default if values is None else (values or [""])[0]
    return shown | {"control": "text", "text": _text(question.answer, name, text)}


def _text(answer: FreeText, name: str, value: str) -> JSON:
    pattern = f".*(?:{answer.pattern}).*" if answer.pattern and not answer.flags and answer.lines == 1 else ""
    return asdict(answer) | {"name": name, "value": value, "pattern": pattern}


def _choices(answer: Selection, name: str, values: list[str]) -> JSON:
    plain = all(choice.content.kind == "text" for choice in answer.choices)
    known = {choice.name for choice in answer.choices}
    control = "check" if answer.most > 1 else "select" if plain and answer.style in IN_A_LIST else "radio"
    others = [value for value in values if value not in known]
    return {
        "control": control,
        "least": answer.least,
        "most": answer.most,
        "choices": [
            {"value": choice.name, "piece": asdict(choice.content), "chosen": choice.name in values}
            for choice in answer.choices
        ],
        "other": answer.other and _text(answer.other, f"{name}-other", (others or [answer.other.default])[0]),
    }


def _fields(parts: list[JSON]) -> dict[str, list[str]]:
    fields: dict[str, list[Any]] = {}
    for part in parts:
        if part.get("control") == "text":
            fields[part["name"]] = [part["text"]["value"]]
        elif part.get("choices"):
            chosen = [choice["value"] for choice in part["choices"] if choice["chosen"]]
            fields[part["name"]] = chosen or ([""] if part["control"] == "select" else [])
            if part["other"]:
                fields[part["other"]["name"]] = [part["other"]["value"]]
    return fields


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\0", "").strip()
