"""Parsing the posted judgments of bridges; `check` validates them."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.names = [f"bridge-{number}" for number in range(1, len(payload["edges"]) + 1)]

    def answer(self) -> JSON:
        posted = self.data
        bridges = [posted.get(name, "") for name in self.names]
        known = [kind if kind in ("same", "different", "unsure") else "" for kind in bridges]
        return {"bridges": known, "why": _plain(posted.get("why", ""))}

    def shown(self, answer: JSON | None) -> JSON:
        """{"bridges": [{"name", "value"}], "why", "fields"} for the page and its scripts."""
        bridges = (answer or {}).get("bridges") or [""] * len(self.names)
        why = (answer or {}).get("why", "")
        judgments = dict(zip(self.names, bridges, strict=True))
        return {
            "bridges": [{"name": name, "value": value} for name, value in judgments.items()],
            "why": why,
            "fields": {**judgments, "why": why},
        }

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\0", "").strip()
