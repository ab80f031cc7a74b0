"""What the page of a pair posts becomes an answer with the payload's positions; check judges."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON

from . import evidence
from .deciding import VERDICTS


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given, which is ""."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.order: list[int] = payload.get("order") or [0, 1]

    def answer(self) -> JSON:
        verdict = self.data.get("verdict", "")
        return {
            "verdict": verdict if verdict in VERDICTS else "",
            "evidence": evidence.parsed(self.data.get("evidence", ""), self.order),
        }

    def shown(self, answer: JSON | None) -> JSON:
        """{"verdict", "evidence", "fields"} for the page and its scripts."""
        verdict = (answer or {}).get("verdict", "")
        spans = evidence.posted((answer or {}).get("evidence") or [], self.order)
        return {"verdict": verdict, "evidence": spans, "fields": {"verdict": verdict, "evidence": spans}}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}
