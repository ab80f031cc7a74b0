"""One composition for review, with everything that the worker saw and wrote."""

from __future__ import annotations

from annotation.tasktype import JSON

from . import bridging
from .findings import coverage, found


def edges_told(payload: JSON, answer: JSON) -> list[JSON]:
    """[{"number", "head", "tail", "entity", "judgment"}], the judgment "" where the check had ended before."""
    judgments = bridging.judged(payload, answer)
    return [
        {"number": number, **edge, "judgment": judgment}
        for number, (edge, judgment) in enumerate(zip(payload["edges"], judgments, strict=True), 1)
    ]


def reviewed(payload: JSON, answer: JSON) -> JSON:
    """Context of `_review.html`.

    {"payload", "hops", "edges" (as `edges_told`), "discarded", "why", "text" (the question, "" where the item was put
    aside), "words", "findings" (findings.found: level, message, values, overridden, reason), "coverage", "pasted"}.
    """
    discarded = bridging.discarded(payload, answer)
    text = "" if discarded else str(answer["question"])
    return {
        "payload": payload,
        "hops": payload["hops"],
        "edges": edges_told(payload, answer),
        "discarded": discarded,
        "why": answer.get("why", ""),
        "text": text,
        "words": len(text.split()),
        "findings": found(payload, text, answer.get("overrides")) if text else [],
        "coverage": coverage(payload, text) if text else [],
        "pasted": 0.0 if discarded else answer.get("pasted", 0.0),
    }
