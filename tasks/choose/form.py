"""Parsing the posted choice between compositions."""

from typing import Any

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm

NONE = "none"


class Form(TaskForm):
    """The position of the chosen composition, None for none of them, "" for no choice."""

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.order: list[int] = payload.get("order") or list(range(len(payload["compositions"])))

    def answer(self) -> JSON:
        posted = self.text("chosen")
        if posted == NONE:
            return {"chosen": None}
        shown = {str(place): position for place, position in enumerate(self.order)}
        return {"chosen": shown.get(posted, "")}

    def shown(self, answer: JSON | None) -> JSON:
        chosen = (answer or {}).get("chosen", "")
        value = NONE if chosen is None else str(self.order.index(chosen)) if chosen in self.order else ""
        return {"chosen": value, "fields": {"chosen": value}}
