"""A response in words, as a requester reads and writes it: one line a step."""

from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, InvalidWording
from annotation.tasktype.helpers.answering import answer_text
from annotation.tasktype.helpers.task_form import parse_integer

from .options import FREE, KIND
from .steps import completed, problems_of

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
