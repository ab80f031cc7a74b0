"""The responses to one question side by side with its hops, for requesters."""

from collections.abc import Sequence

from annotation.pure.data.example import Example
from annotation.pure.text.relations import in_words
from annotation.tasktype import JSON, GivenResponse
from annotation.tasktype.helpers.answering import answer_text

from .aggregation import aggregate, gold_paragraphs, status
from .options import FREE
from .steps import asked, filled


def compared(payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    """{"columns": one a response {"kind", "steps" [{"question", "answer", "paragraphs"}]}, "gold": steps, "cited",
    "status", "paragraphs" [{"number", "title", "text", "is_gold"}]}; numbers are those of the payload.
    """
    found = aggregate(payload, [one.answer for one in given])
    answers = [hop.answer for hop in gold.hops]
    needed = gold_paragraphs(gold)
    return {
        "columns": [_column(payload, one.answer) for one in given],
        "gold": [_step(filled(hop.question, answers), hop.answer, [hop.support]) for hop in gold.hops],
        "status": status(gold, found),
        "cited": [place + 1 for place in found.get("cited", ())],
        "paragraphs": [
            {"number": k + 1, **paragraph, "is_gold": k in needed} for k, paragraph in enumerate(payload["paragraphs"])
        ],
    }


def _column(payload: JSON, answer: JSON) -> JSON:
    free = payload["arm"] == FREE
    hops = answer["hops"]
    questions = [hop["question"] if free else asked(payload, hops, k) for k, hop in enumerate(hops)]
    pairs = zip(questions, hops, strict=True)
    return {
        "kind": answer["kind"],
        "steps": [_step(question, answer_text(hop), hop["support"]) for question, hop in pairs],
    }


def _step(question: str, answer: str, support: Sequence[int | None]) -> JSON:
    numbers = ", ".join(str(place + 1) for place in support if place is not None)
    return {"question": in_words(question), "answer": answer, "paragraphs": numbers}
