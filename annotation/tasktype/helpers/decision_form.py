"""Parsing posted decisions."""

from typing import Any, ClassVar

from annotation.tasktype import JSON
from annotation.tasktype.helpers.decision_task import DecisionTask
from annotation.tasktype.helpers.task_form import TaskForm


class DecisionForm(TaskForm):
    """The choice of each decision ("", or None of yes and no, for none). A task with other fields adds them."""

    task: ClassVar[DecisionTask]  # set by the registry

    def __init__(self, payload: JSON, posted: Any = None) -> None:
        super().__init__(payload, posted)
        self.decisions = self.task.decisions(payload)

    def answer(self) -> JSON:
        found: JSON = {}
        for one in self.decisions:
            stored = one.read(self.text(one.control))
            if one.place is None:
                found[one.field] = stored
            else:
                found.setdefault(one.field, []).append(stored)
        return found

    def shown(self, answer: JSON | None) -> JSON:
        fields = {one.control: one.value(answer or {}) for one in self.decisions}
        return {**fields, "fields": fields}
