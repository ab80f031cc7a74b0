"""Parsing the posted page of sub-questions; `check` validates it."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms
from django.http import QueryDict

from annotation.pure.data.corrections import difference, plain
from annotation.tasktype import JSON

from .judging import DISCARDS, JUDGMENTS, following, untouched

_SAID = {"yes": True, "no": False}
_VALUES = {True: "yes", False: "no", None: ""}


class Form(forms.Form):
    """Parses (payload as shown, POST). A value that cannot be read counts as not given, a missing text as unchanged."""

    def __init__(self, payload: JSON, posted: QueryDict | None = None) -> None:
        super().__init__(posted)
        self.payload = payload

    def answer(self) -> JSON:
        discard = self.data.get("discard", "")
        hops = [self._hop(number, own) for number, own in enumerate(self.payload["hops"], 1)]
        return {"discard": discard if discard in DISCARDS else "", "hops": hops}

    def _hop(self, number: int, own: JSON) -> JSON:
        judgment: JSON = {name: _SAID.get(self.data.get(f"hop-{number}-{name}", "")) for name in JUDGMENTS}
        for part in ("question", "answer"):
            judgment[part] = _text(self.data.get(f"hop-{number}-{part}"), own[part])
        return judgment

    def shown(self, answer: JSON | None) -> JSON:
        """{"discard", "rows", "fields"} for the page and its scripts; one row a hop."""
        discard = (answer or {}).get("discard", "")
        hops = (answer or {}).get("hops") or untouched(self.payload)
        fields = {"discard": discard} | dict(_fields(hops))
        follow = following(self.payload, hops)
        rows = [
            {
                "number": number,
                "names": {name: f"hop-{number}-{name}" for name in JUDGMENTS},
                **{name: _VALUES[hop[name]] for name in JUDGMENTS},
                "question": hop["question"],
                "answer": hop["answer"],
                "followed": hop["question"] == after != own["question"],
                "question_change": difference(own["question"], hop["question"]),
                "answer_change": difference(own["answer"], hop["answer"]),
            }
            for number, (hop, own, after) in enumerate(zip(hops, self.payload["hops"], follow, strict=True), 1)
        ]
        return {"discard": discard, "rows": rows, "fields": fields}

    def posted(self, answer: JSON) -> dict[str, list[str]]:
        """The fields that a browser would post for this answer."""
        fields: dict[str, str] = self.shown(answer)["fields"]
        return {name: [value] for name, value in fields.items()}


def _fields(hops: list[JSON]) -> Iterator[tuple[str, str]]:
    for number, hop in enumerate(hops, 1):
        for name in JUDGMENTS:
            yield f"hop-{number}-{name}", _VALUES[hop[name]]
        for part in ("question", "answer"):
            yield f"hop-{number}-{part}", hop[part]


def _text(posted: str | None, own: str) -> str:
    """A posted text on one line; what is unchanged but for white space is the original, character for character."""
    text = own if posted is None else plain(posted.replace("\0", ""))
    return own if text == plain(own) else text
