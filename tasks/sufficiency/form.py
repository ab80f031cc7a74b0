"""Parsing the posted decision on a pair of paragraphs."""

from annotation.tasktype import JSON
from annotation.tasktype.helpers import evidence
from annotation.tasktype.helpers.task_form import DecisionForm


class Form(DecisionForm):
    """The verdict and the marked evidence."""

    def answer(self) -> JSON:
        return {**super().answer(), "evidence": evidence.parsed(self.text("evidence"), self._order())}

    def shown(self, answer: JSON | None) -> JSON:
        spans = evidence.posted((answer or {}).get("evidence") or [], self._order())
        fields = {**super().shown(answer)["fields"], "evidence": spans}
        return {**fields, "fields": fields}

    def _order(self) -> list[int]:
        return self.payload.get("order") or [0, 1]
