"""Parsing the posted answerability page (annotation/tasktype/helpers/answer_fields.py); `check` validates it."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON
from annotation.tasktype.helpers.answer_fields import AnswerFields

from .judging import NOT_ANSWERABLE

SAID = {"yes": True, "no": False}


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.read = AnswerFields(payload, posted)

    def answer(self) -> JSON:
        """The posted answer; of what cannot be answered no answer and no support are kept."""
        answerable = SAID.get(self.read.text("answerable"))
        if answerable is False:
            return dict(NOT_ANSWERABLE)
        return {"answerable": answerable, **self.read.answer()}

    def shown(self, answer: JSON | None) -> JSON:
        """An answer at rest as the page's controls want it: shown positions, and "answerable" as "yes", "no" or ""."""
        label = {True: "yes", False: "no"}.get((answer or {}).get("answerable"), "")
        return {**self.read.shown(answer), "answerable": label}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        return {**self.read.fields(answer), "answerable": [self.shown(answer)["answerable"]]}
