"""Context for the review of one composition (all that the worker saw and wrote), or of several side by side."""

from collections.abc import Sequence
from itertools import chain, repeat

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse

from . import bridge_judgments
from .aggregation import aggregate, bridge_counts
from .bridge_judgments import known
from .findings import coverage, findings_of


def judged_edges(payload: JSON, answer: JSON) -> list[JSON]:
    """[{"number", "head", "tail", "entity", "judgment"}], the judgment "" after the end of the check."""
    judgments = bridge_judgments.judged(payload, answer)
    return [
        {"number": number, **edge, "judgment": judgment}
        for number, (edge, judgment) in enumerate(zip(payload["edges"], judgments, strict=True), 1)
    ]


def reviewed(payload: JSON, answer: JSON) -> JSON:
    """Context of `_review.html`.

    {"payload", "hops", "edges" (as `judged_edges`), "discarded", "why", "text" (the question, "" if the item was
    discarded), "words", "findings" (findings.found: level, message, values, overridden, reason), "coverage", "pasted",
    "asks" (of a discarded item, in place of the criteria: gettext id)}.
    """
    discarded = bridge_judgments.discarded(payload, answer)
    text = "" if discarded else str(answer["question"])
    return {
        "payload": payload,
        "hops": payload["hops"],
        "edges": judged_edges(payload, answer),
        "discarded": discarded,
        "why": answer.get("why", ""),
        "text": text,
        "words": len(text.split()),
        "findings": findings_of(payload, text, answer.get("overrides")) if text else [],
        "coverage": coverage(payload, text) if text else [],
        "pasted": 0.0 if discarded else answer.get("pasted", 0.0),
        "asks": _("Is the worker right that this bridge does not hold?") if discarded else "",
    }


def compared(payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    """Context of `_compare.html`.

    {"payload", "hops", "edges": [{"number", "head", "tail", "entity", "known" ("same", "different" or ""), "counts"
    {"same", "different", "unsure"}}], "question" (the dataset's own, or ""), "disputed",
    "columns": one a given answer {"worker", "seconds", "edges", "discarded", "why", "text", "words", "findings",
    "coverage", "pasted"} as review.reviewed has them}.
    """
    answers = [one.answer for one in given]
    rows = zip(payload["edges"], chain(known(gold), repeat("")), bridge_counts(payload, answers), strict=False)
    edges = [
        {"number": number, **edge, "known": label, "counts": count}
        for number, (edge, label, count) in enumerate(rows, 1)
    ]
    return {
        "payload": payload,
        "hops": payload["hops"],
        "edges": edges,
        "question": gold.question,
        "disputed": aggregate(payload, answers)["disputed"],
        "columns": [_column(payload, one) for one in given],
    }


def _column(payload: JSON, one: GivenResponse) -> JSON:
    response = reviewed(payload, one.answer)
    kept = ("edges", "discarded", "why", "text", "words", "findings", "coverage", "pasted")
    return {"worker": one.worker, "seconds": one.seconds} | {name: response[name] for name in kept}
