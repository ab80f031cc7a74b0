"""The responses to one graph side by side, for requesters."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.pure.data.example import Example
from annotation.tasktype import JSON, Given

from .aggregation import aggregate, bridge_counts
from .bridging import known
from .review import reviewed


def compared(payload: JSON, given: Sequence[Given], gold: Example) -> JSON:
    """Context of `_compare.html`.

    {"payload", "hops", "edges": [{"number", "head", "tail", "entity", "known" ("same", "different" or ""), "counts"
    {"same", "different", "unsure"}}], "question" (the dataset's own, "" where it has none), "disputed",
    "columns": one a given answer {"worker", "seconds", "edges", "discarded", "why", "text", "words", "findings",
    "coverage", "pasted"} as review.reviewed has them}.
    """
    answers = [one.answer for one in given]
    right, counts = known(gold), bridge_counts(payload, answers)
    edges = [
        {
            "number": number,
            **edge,
            "known": right[number - 1] if number <= len(right) else "",
            "counts": counts[number - 1],
        }
        for number, edge in enumerate(payload["edges"], 1)
    ]
    return {
        "payload": payload,
        "hops": payload["hops"],
        "edges": edges,
        "question": gold.question,
        "disputed": aggregate(payload, answers)["disputed"],
        "columns": [_column(payload, one) for one in given],
    }


def _column(payload: JSON, one: Given) -> JSON:
    told = reviewed(payload, one.answer)
    kept = ("edges", "discarded", "why", "text", "words", "findings", "coverage", "pasted")
    return {"worker": one.worker, "seconds": one.seconds} | {name: told[name] for name in kept}
