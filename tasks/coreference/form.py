"""Parsing the posted judgments of bridges."""

from typing import Any

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm


class Form(TaskForm):
    """A judgment for each edge ("" for none) and a note."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.names = [f"bridge-{number}" for number in range(1, len(payload["edges"]) + 1)]

    def answer(self) -> JSON:
        bridges = [self.text(name) for name in self.names]
        known = [kind if kind in ("same", "different", "unsure") else "" for kind in bridges]
        return {"bridges": known, "why": self.text("why").strip()}

    def shown(self, answer: JSON | None) -> JSON:
        bridges = (answer or {}).get("bridges") or [""] * len(self.names)
        why = (answer or {}).get("why", "")
        judgments = dict(zip(self.names, bridges, strict=True))
        rows = [{"name": name, "value": value} for name, value in judgments.items()]
        return {"bridges": rows, "why": why, "fields": {**judgments, "why": why}}
