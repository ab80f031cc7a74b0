"""What the page of a pair posts becomes an answer; check judges."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON
from tasks.sufficiency.deciding import VERDICTS


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given, which is ""."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)

    def answer(self) -> JSON:
        posted = self.data.get("verdict", "")
        return {"verdict": posted if posted in VERDICTS else ""}

    def shown(self, answer: JSON | None) -> JSON:
        """{"verdict", "fields"} for the page and its scripts."""
        verdict = (answer or {}).get("verdict", "")
        return {"verdict": verdict, "fields": {"verdict": verdict}}
