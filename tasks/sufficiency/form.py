"""Parsing the posted decision on a pair of paragraphs."""

from typing import Any

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm

from . import evidence
from .decisions import VERDICTS


class Form(TaskForm):
    """The verdict ("" for none) and the marked evidence."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.order: list[int] = payload.get("order") or [0, 1]

    def answer(self) -> JSON:
        verdict = self.text("verdict")
        spans = evidence.parsed(self.text("evidence"), self.order)
        return {"verdict": verdict if verdict in VERDICTS else "", "evidence": spans}

    def shown(self, answer: JSON | None) -> JSON:
        spans = evidence.posted((answer or {}).get("evidence") or [], self.order)
        fields = {"verdict": (answer or {}).get("verdict", ""), "evidence": spans}
        return {**fields, "fields": fields}
