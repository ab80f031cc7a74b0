"""Sub-questions with their answers in words, as a requester reads and writes them; and responses side by side."""

from collections.abc import Sequence

from annotation.pure.data.corrections import difference
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, GivenResponse, InvalidWording

from .aggregation import aggregate
from .rules import JUDGMENTS, KEEP, VALID, WELL_FORMED, corrected, problems_of, untouched

ARROW = "→"
WRITES = _("One line per hop: sub-question → answer. A number with # stands for an earlier answer and must stay.")


def wording(payload: JSON, answer: JSON) -> str:
    """A line for each hop; for a discarded question its original hops."""
    return "\n".join(_line(hop) for hop in _hops(payload, answer))


def reworded(payload: JSON, answer: JSON, text: str) -> JSON:
    """An answer that keeps the question, with the texts of the lines. Raises InvalidWording with the invalid line.

    A hop's judgments stay if they fit its texts; otherwise they follow from the changes.
    """
    lines = [line for line in map(str.strip, text.splitlines()) if line]
    own = _hops(payload, answer)
    if len(lines) != len(own):
        raise InvalidWording(
            _("Write one line for each hop: %(wanted)s, not %(given)s."), wanted=len(own), given=len(lines)
        )
    hops = [_parted(number, line, hop) for number, (line, hop) in enumerate(zip(lines, own, strict=True), 1)]
    edited = {"discard": KEEP, "hops": _judged(payload, hops)}
    for problem in problems_of(payload, edited):
        raise InvalidWording(problem.message, **problem.values)
    return edited


def _hops(payload: JSON, answer: JSON) -> list[JSON]:
    return answer["hops"] if answer["discard"] == KEEP else untouched(payload)


def _line(hop: JSON) -> str:
    return f"{tidy(hop['question'])} {ARROW} {tidy(hop['answer'])}"


def _parted(number: int, line: str, own: JSON) -> JSON:
    """The hop with the texts of its line; an unchanged line keeps its texts, even if they contain arrows."""
    if tidy(line) == tidy(_line(own)):
        return own
    question, arrow, answer = line.rpartition(ARROW)
    if not arrow:
        raise InvalidWording(_("Line %(line)s: write “→” between the sub-question and its answer."), line=number)
    if not question.strip():
        raise InvalidWording(_("Line %(line)s: the sub-question before “→” is empty."), line=number)
    if not answer.strip():
        raise InvalidWording(_("Line %(line)s: the answer after “→” is empty."), line=number)
    return {**own, "question": tidy(question), "answer": tidy(answer)}


def _judged(payload: JSON, hops: list[JSON]) -> list[JSON]:
    """The hops with consistent judgments: changed texts are judged wrong, unchanged texts right."""
    result = []
    for hop, change in zip(hops, corrected(payload, hops), strict=True):
        judgments = {name: hop[name] for name in JUDGMENTS if name != VALID}
        if not change["question"]:
            judgments = dict.fromkeys(judgments, True)
        elif False not in judgments.values():
            judgments = dict.fromkeys(judgments, True) | {WELL_FORMED: False}
        result.append({**hop, **judgments, VALID: not change["answer"]})
    return result


def compared(payload: JSON, given: Sequence[GivenResponse]) -> JSON:
    """Context of `_compare.html`.

    {"payload", "verdict", "columns" [{"discard"}], "rows": one a hop {"number", "question", "answer", "final" (the
    aggregated hop, None if discarded), "responses": one an answer, None of a discard, {"well_formed", "meaning",
    "valid", "question", "answer" (lists of differences), "changed"}}}.
    """
    answers = [one.answer for one in given]
    decided = aggregate(payload, answers)
    rows = [
        {
            "number": k + 1,
            **hop,
            "final": decided["hops"][k] if decided["hops"] else None,
            "responses": [_judgment_json(payload, answer, k) for answer in answers],
        }
        for k, hop in enumerate(payload["hops"])
    ]
    columns = [{"discard": answer["discard"]} for answer in answers]
    return {"payload": payload, "aggregate": decided, "columns": columns, "rows": rows}


def _judgment_json(payload: JSON, answer: JSON, k: int) -> JSON | None:
    if answer["discard"] != KEEP:
        return None
    hop, own = answer["hops"][k], payload["hops"][k]
    changes = {part: difference(own[part], hop[part]) for part in ("question", "answer")}
    return {**hop, **changes, "changed": corrected(payload, answer["hops"])[k]}
