"""Parsing the posted choice between compositions; `check` validates it."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from annotation.tasktype import JSON

NONE = "none"


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given, which is ""."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.order: list[int] = payload.get("order") or list(range(len(payload["compositions"])))

    def answer(self) -> JSON:
        posted = self.data.get("chosen", "")
        if posted == NONE:
            return {"chosen": None}
        shown = {str(place): position for place, position in enumerate(self.order)}
        return {"chosen": shown.get(posted, "")}

    def shown(self, answer: JSON | None) -> JSON:
        """{"chosen": the value of the radio that is chosen, "fields"} for the page and its scripts."""
        chosen = (answer or {}).get("chosen", "")
        value = NONE if chosen is None else str(self.order.index(chosen)) if chosen in self.order else ""
        return {"chosen": value, "fields": {"chosen": value}}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}
