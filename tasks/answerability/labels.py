"""Answerability of one instance: workers' labels, the aggregated label, and the gold label."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.pure.data.example import Example
from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import completed, majority

ANSWERABLE, UNANSWERABLE, TIED, UNDECIDED = "answerable", "unanswerable", "tied", "undecided"
NOT_ANSWERABLE: Mapping[str, Any] = {
    "answerable": False,
    "kind": "none",
    "text": "",
    "paragraph": None,
    "start": None,
    "end": None,
    "option": None,
    "support": [],
    "facts": [],
}  # the stored form of "not answerable"


def called(answer: JSON) -> str:
    """The label of one response."""
    return ANSWERABLE if answer["answerable"] else UNANSWERABLE


def labelled(example: Example) -> str:
    """The dataset's label; "" if it has none."""
    if example.answerable is None:
        return ""
    return ANSWERABLE if example.answerable else UNANSWERABLE


def made_elsewhere(payload: JSON, answer: Any) -> JSON:
    """The stored form of {"text", "support", "facts"}, optionally with "answerable"; text "" is "not answerable"."""
    answer = {"text": "", **answer} if isinstance(answer, Mapping) else answer
    given = completed(payload, answer)
    label = answer.get("answerable", given["kind"] != "none")
    if not isinstance(label, bool):
        raise ValueError("answerable must be true or false")
    if label and given["kind"] == "none":
        raise ValueError('what is answerable needs an answer: {"answerable": true, "text": ..., "support": [...]}')
    return {"answerable": True, **given} if label else dict(NOT_ANSWERABLE)


def together(answers: Sequence[JSON]) -> JSON:
    """The aggregated response: {"kind", "votes", "answer" (of "answerable" responses, else None), "tied", "answers"}.

    `tied`: the labels are tied, or the majority is "answerable" and its answers or supports are tied.
    """
    attempts = [answer for answer in answers if answer["answerable"]]
    votes = {ANSWERABLE: len(attempts), UNANSWERABLE: len(answers) - len(attempts)}
    chosen, tied = majority(attempts) if attempts else (None, False)
    counts = {"votes": votes, "answers": len(answers)}
    if not answers:
        return {"kind": UNDECIDED, "answer": None, "tied": False, **counts}
    if votes[ANSWERABLE] == votes[UNANSWERABLE]:
        return {"kind": TIED, "answer": None, "tied": True, **counts}
    if votes[ANSWERABLE] < votes[UNANSWERABLE]:
        return {"kind": UNANSWERABLE, "answer": None, "tied": False, **counts}
    kept = None if chosen is None else {k: v for k, v in chosen.items() if k not in ("answerable", "accepted")}
    return {"kind": ANSWERABLE, "answer": kept, "tied": tied, **counts}
