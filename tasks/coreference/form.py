"""Parsing the posted judgments of bridges."""

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import DecisionForm


class Form(DecisionForm):
    """The decisions and a note."""

    def answer(self) -> JSON:
        return {**super().answer(), "why": self.text("why").strip()}

    def shown(self, answer: JSON | None) -> JSON:
        why = (answer or {}).get("why", "")
        fields = {**super().shown(answer)["fields"], "why": why}
        return {"why": why, "fields": fields}
