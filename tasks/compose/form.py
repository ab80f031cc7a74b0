"""Parsing the posted composition; `check` validates it."""

from __future__ import annotations

import re

from django import forms
from django.http import QueryDict

from annotation.pure.derivations.bridges import tidy
from annotation.tasktype import JSON

from .bridging import ENDS, JUDGMENTS
from .findings import IDS

MOST = 20_000  # characters that are read at all; check refuses far fewer
MOST_WHY, MOST_REASON = 500, 300  # as the page's controls have it


class Form(forms.Form):
    """Parses (payload, POST): bridge-1 ... bridge-n, why, question, override-<finding>, pasted."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.payload = payload

    def answer(self) -> JSON:
        """The posted answer; a value that cannot be read counts as not given."""
        question = tidy(self._text("question"))
        return {
            "bridges": self._judgments(),
            "why": tidy(self._text("why"))[:MOST_WHY],
            "question": question,
            "overrides": self._overrides(),
            "pasted": self._share(question),
        }

    def shown(self, answer: JSON | None) -> JSON:
        """{"bridges": one an edge, "why", "question", "overrides", "pasted": characters} for the page's controls."""
        answer = answer or {}
        edges, question = len(self.payload["edges"]), answer.get("question", "")
        return {
            "bridges": [*answer.get("bridges", ()), *[""] * edges][:edges],
            "why": answer.get("why", ""),
            "question": question,
            "overrides": dict(answer.get("overrides", {})),
            "pasted": round(answer.get("pasted", 0) * len(question)),
        }

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        bridges = {f"bridge-{edge}": [judgment] for edge, judgment in enumerate(answer["bridges"], 1)}
        reasons = {f"override-{name}": [reason] for name, reason in answer["overrides"].items()}
        plain = {name: [answer[name]] for name in ("why", "question")}
        return {**bridges, **reasons, **plain, "pasted": [str(self.shown(answer)["pasted"])]}

    def _text(self, name: str) -> str:
        return str(self.data.get(name) or "")[:MOST].replace("\0", "")

    def _judgments(self) -> list[str]:
        """One an edge; what was said behind the one that ended the check is not asked for."""
        judgments: list[str] = []
        for edge in range(1, len(self.payload["edges"]) + 1):
            given = self._text(f"bridge-{edge}")
            ended = any(judgment in ENDS for judgment in judgments)
            judgments.append(given if given in JUDGMENTS and not ended else "")
        return judgments

    def _overrides(self) -> dict[str, str]:
        given = {name: tidy(self._text(f"override-{name}"))[:MOST_REASON] for name in IDS}
        return {name: reason for name, reason in given.items() if reason}

    def _share(self, question: str) -> float:
        """The share of the question's characters that were pasted."""
        posted = self._text("pasted")
        count = int(posted) if re.fullmatch("[0-9]{1,7}", posted) else 0
        return round(min(1.0, count / len(question)), 3) if question else 0.0
