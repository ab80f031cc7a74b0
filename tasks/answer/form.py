"""Parsing the posted answer page (annotation/tasktype/helpers/answer_fields.py)."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON
from annotation.tasktype.helpers.answer_fields import AnswerFields


class Form(forms.Form):
    """A parser of (payload as shown, POST). Unreadable values count as missing."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.read = AnswerFields(payload, posted)

    def answer(self) -> JSON:
        """The posted answer with the payload's positions."""
        return self.read.answer()

    def shown(self, answer: JSON | None) -> JSON:
        """A stored answer as initial values of the page: positions as shown."""
        return self.read.shown(answer)

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        return self.read.fields(answer)
