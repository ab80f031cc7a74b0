"""Parsing the posted answerability page."""

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import YES_NO, YES_NO_VALUES, AnswerForm

from .groups import NOT_ANSWERABLE


class Form(AnswerForm):
    """Whether the question is answerable, and if so, an answer and its support."""

    def answer(self) -> JSON:
        answerable = YES_NO.get(self.text("answerable"))
        if answerable is False:
            return dict(NOT_ANSWERABLE)
        return {"answerable": answerable, **super().answer()}

    def shown(self, answer: JSON | None) -> JSON:
        return {**super().shown(answer), "answerable": YES_NO_VALUES[(answer or {}).get("answerable")]}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        return {**super().posted(answer), "answerable": [YES_NO_VALUES[answer["answerable"]]]}
