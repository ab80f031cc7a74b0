"""Parsing the posted page of sub-questions."""

from collections.abc import Iterator

from annotation.pure.data.corrections import difference
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.relations import from_words, in_words
from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import YES_NO, YES_NO_VALUES, TaskForm

from .rules import DISCARDS, JUDGMENTS, following, untouched


class Form(TaskForm):
    """The decision to keep or discard, and each hop's judgments and texts; a missing text counts as unchanged."""

    def answer(self) -> JSON:
        discard = self.text("discard")
        hops = [self._hop(number, own) for number, own in enumerate(self.payload["hops"], 1)]
        return {"discard": discard if discard in DISCARDS else "", "hops": hops}

    def _hop(self, number: int, own: JSON) -> JSON:
        judgment: JSON = {name: YES_NO.get(self.text(f"hop-{number}-{name}")) for name in JUDGMENTS}
        for part in ("question", "answer"):
            judgment[part] = _text(self.data.get(f"hop-{number}-{part}"), own[part])
        judgment["question"] = _text(from_words(judgment["question"], own["question"]), own["question"])
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
                **{name: YES_NO_VALUES[hop[name]] for name in JUDGMENTS},
                "question": in_words(hop["question"]),
                "answer": hop["answer"],
                "followed": hop["question"] == after != own["question"],
                "question_change": difference(in_words(own["question"]), in_words(hop["question"])),
                "answer_change": difference(own["answer"], hop["answer"]),
            }
            for number, (hop, own, after) in enumerate(zip(hops, self.payload["hops"], follow, strict=True), 1)
        ]
        return {"discard": discard, "rows": rows, "fields": fields}


def _fields(hops: list[JSON]) -> Iterator[tuple[str, str]]:
    for number, hop in enumerate(hops, 1):
        for name in JUDGMENTS:
            yield f"hop-{number}-{name}", YES_NO_VALUES[hop[name]]
        for part in ("question", "answer"):
            yield f"hop-{number}-{part}", in_words(hop[part]) if part == "question" else hop[part]


def _text(posted: str | None, own: str) -> str:
    """A posted text on one line, or the original if only white space was changed."""
    text = own if posted is None else tidy(posted.replace("\0", ""))
    return own if text == tidy(own) else text
