"""What the answer page posts becomes an answer (tasks/_answer_fields.py)."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON
from tasks._answer_fields import AnswerFields


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.read = AnswerFields(payload, posted)

    def answer(self) -> JSON:
        """The posted answer with the payload's positions."""
        return self.read.answer()

    def shown(self, answer: JSON | None) -> JSON:
        """An answer at rest as the page's controls want it: shown positions."""
        return self.read.shown(answer)

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        return self.read.fields(answer)
