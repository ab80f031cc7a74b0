"""Sub-questions with their answers in words, as a requester reads and writes them: one line a hop."""

from __future__ import annotations

from annotation.pure.data.corrections import plain
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, UnfitWording

from .judging import JUDGMENTS, KEEP, VALID, WELL_FORMED, corrected, problems_of, untouched

ARROW = "→"
WRITES = _("One line per hop: sub-question → answer. A number with # stands for an earlier answer and must stay.")


def wording(payload: JSON, answer: JSON) -> str:
    """A line for each hop; of a discarded question those that it came with."""
    return "\n".join(_line(hop) for hop in _hops(payload, answer))


def reworded(payload: JSON, answer: JSON, text: str) -> JSON:
    """An answer that keeps the question with the texts of the lines; UnfitWording names the line that cannot stand.

    The judgments of a hop stay where they fit its texts; else they follow from what was changed.
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    own = _hops(payload, answer)
    if len(lines) != len(own):
        raise UnfitWording(
            _("Write one line for each hop: %(wanted)s, not %(given)s."), wanted=len(own), given=len(lines)
        )
    hops = [_parted(number, line, hop) for number, (line, hop) in enumerate(zip(lines, own, strict=True), 1)]
    made = {"discard": KEEP, "hops": _judged(payload, hops)}
    for problem in problems_of(payload, made):
        raise UnfitWording(problem.message, **problem.values)
    return made


def _hops(payload: JSON, answer: JSON) -> list[JSON]:
    hops: list[JSON] = answer["hops"] if answer["discard"] == KEEP else untouched(payload)
    return hops


def _line(hop: JSON) -> str:
    return f"{plain(hop['question'])} {ARROW} {plain(hop['answer'])}"


def _parted(number: int, line: str, own: JSON) -> JSON:
    """The hop with the texts of its line; a line that nobody touched says what it said, arrows within it or not."""
    if plain(line) == plain(_line(own)):
        return own
    question, arrow, answer = line.rpartition(ARROW)
    if not arrow:
        raise UnfitWording(_("Line %(line)s: write “→” between the sub-question and its answer."), line=number)
    if not question.strip():
        raise UnfitWording(_("Line %(line)s: the sub-question before “→” is empty."), line=number)
    if not answer.strip():
        raise UnfitWording(_("Line %(line)s: the answer after “→” is empty."), line=number)
    return {**own, "question": plain(question), "answer": plain(answer)}


def _judged(payload: JSON, hops: list[JSON]) -> list[JSON]:
    """The hops with judgments that fit: no is said of what was changed, and yes of what was not."""
    made = []
    for hop, change in zip(hops, corrected(payload, hops), strict=True):
        told = {name: hop[name] for name in JUDGMENTS if name != VALID}
        if not change["question"]:
            told = dict.fromkeys(told, True)
        elif False not in told.values():
            told = dict.fromkeys(told, True) | {WELL_FORMED: False}
        made.append({**hop, **told, VALID: not change["answer"]})
    return made
