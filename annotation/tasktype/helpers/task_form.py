"""The bases of tasks' forms. A form only parses what a page posts; the task's `check` validates it."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from annotation.tasktype import JSON
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
