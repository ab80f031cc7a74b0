"""Parsing the posted composition."""

import re

from annotation.pure.derivations.bridges import tidy
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import TaskForm

from .bridge_judgments import ENDS, JUDGMENTS
from .findings import IDS

MOST_WHY, MOST_REASON = 500, 300  # as the page's controls have it


class Form(TaskForm):
    """The fields bridge-1 ... bridge-n, why, question, override-<finding> and pasted."""

    def answer(self) -> JSON:
        question = tidy(self.text("question"))
        reasons = {name: tidy(self.text(f"override-{name}"))[:MOST_REASON] for name in IDS}
        return {
            "bridges": self._judgments(),
            "why": tidy(self.text("why"))[:MOST_WHY],
            "question": question,
            "overrides": {name: reason for name, reason in reasons.items() if reason},
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
        bridges = {f"bridge-{edge}": [judgment] for edge, judgment in enumerate(answer["bridges"], 1)}
        reasons = {f"override-{name}": [reason] for name, reason in answer["overrides"].items()}
        plain = {name: [answer[name]] for name in ("why", "question")}
        return {**bridges, **reasons, **plain, "pasted": [str(self.shown(answer)["pasted"])]}

    def _judgments(self) -> list[str]:
        """One judgment per edge; "" for edges after the judgment that ended the check."""
        judgments: list[str] = []
        for edge in range(1, len(self.payload["edges"]) + 1):
            given = self.text(f"bridge-{edge}")
            ended = any(judgment in ENDS for judgment in judgments)
            judgments.append(given if given in JUDGMENTS and not ended else "")
        return judgments

    def _share(self, question: str) -> float:
        """The share of the question's characters that were pasted."""
        posted = self.text("pasted")
        count = int(posted) if re.fullmatch("[0-9]{1,7}", posted) else 0
        return round(min(1.0, count / len(question)), 3) if question else 0.0
