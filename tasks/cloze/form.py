"""Parsing the posted page of a sentence with blanks."""

from annotation.tasktype import JSON
from annotation.tasktype.helpers.task_form import DecisionForm


class Form(DecisionForm):
    """The typed words, one for each blank, and whether what was removed is necessary."""

    def answer(self) -> JSON:
        words = [" ".join(self.text(name).split()) for name in self._names()]
        return {"words": words, **super().answer()}

    def shown(self, answer: JSON | None) -> JSON:
        """`sentence` is the payload's, each blank with its name, its number from 1 and its word."""
        words = [*((answer or {}).get("words") or ()), *([""] * len(self.payload["blanks"]))]
        fields = dict(zip(self._names(), words, strict=False)) | super().shown(answer)["fields"]
        sentence = [self._piece(piece, words) for piece in self.payload["sentence"]]
        return {**fields, "fields": fields, "sentence": sentence}

    def _names(self) -> list[str]:
        return [f"blank-{k}" for k in range(len(self.payload["blanks"]))]

    def _piece(self, piece: JSON, words: list[str]) -> JSON:
        if "blank" not in piece:
            return piece
        k = piece["blank"]
        return {**piece, "name": f"blank-{k}", "number": k + 1, "word": words[k]}
