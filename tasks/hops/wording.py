"""Responses in words, as a requester reads and writes them, one line a step; and side by side with the hops."""

from collections.abc import Sequence

from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.relations import in_words
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, InvalidWording
from annotation.tasktype.helpers.answering import answer_text
from annotation.tasktype.helpers.task_form import parse_integer

from .aggregation import aggregate, gold_paragraphs, status
from .steps import FREE, KIND, asked, completed, filled, problems_of

ANSWERED, RESTS = "→", "←"
WRITES = _(
    "One line per step: sub-question → answer ← paragraph numbers. To accept a paragraph in place of a gold one, write "
    "the gold one's number. If the batch gives the sub-questions: one answer per line. If it asks for the number of "
    "steps: “one” or “several”."
)


def wording(payload: JSON, answer: JSON) -> str:
    """A line for each step, or the kind of question."""
    if payload["arm"] == KIND:
        return str(answer["kind"])
    return "\n".join(_line(payload, hop) for hop in answer["hops"])


def _line(payload: JSON, hop: JSON) -> str:
    text = tidy(answer_text(hop))
    if payload["arm"] != FREE:
        return text
    numbers = ", ".join(str(place + 1) for place in hop["support"])
    return f"{tidy(hop['question'])} {ANSWERED} {text} {RESTS} {numbers}"


def reworded(payload: JSON, text: str) -> JSON:
    """The response that the lines say. Raises InvalidWording with the first invalid line."""
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    if payload["arm"] == KIND:
        answer: JSON = {"kind": lines[0] if len(lines) == 1 else "", "hops": []}
    else:
        answer = {"kind": "", "hops": [_step(payload, number, line) for number, line in enumerate(lines, 1)]}
    if payload["arm"] not in (FREE, KIND) and len(lines) != len(payload["steps"]):
        raise InvalidWording(
            _("Write one line for each step: %(wanted)s, not %(given)s."),
            wanted=len(payload["steps"]),
            given=len(lines),
        )
    for problem in problems_of(payload, answer):
        raise InvalidWording(problem.message, **problem.values)
    return answer


def _step(payload: JSON, number: int, line: str) -> JSON:
    if payload["arm"] != FREE:
        return completed(payload, {"text": line})
    said, rests, numbers = line.rpartition(RESTS)
    question, answered, answer = said.rpartition(ANSWERED)
    places = [parse_integer(part.strip()) for part in numbers.split(",")]
    if not rests or not answered or not all(place and place <= len(payload["paragraphs"]) for place in places):
        raise InvalidWording(_("Line %(line)s: write sub-question → answer ← paragraph numbers."), line=number)
    support = sorted({place - 1 for place in places if place})
    return completed(payload, {"question": tidy(question), "text": tidy(answer), "support": support})


def compared(payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    """{"columns": one a response {"kind", "steps" [{"question", "answer", "paragraphs"}]}, "gold": steps, "cited",
    "status", "paragraphs" [{"number", "title", "text", "is_gold"}]}; numbers are those of the payload.
    """
    found = aggregate(payload, [one.answer for one in given])
    answers = [hop.answer for hop in gold.hops]
    needed = gold_paragraphs(gold)
    return {
        "columns": [_column(payload, one.answer) for one in given],
        "gold": [_shown(filled(hop.question, answers), hop.answer, [hop.support]) for hop in gold.hops],
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
        "steps": [_shown(question, answer_text(hop), hop["support"]) for question, hop in pairs],
    }


def _shown(question: str, answer: str, support: Sequence[int | None]) -> JSON:
    numbers = ", ".join(str(place + 1) for place in support if place is not None)
    return {"question": in_words(question), "answer": answer, "paragraphs": numbers}
