"""Vocabulary and rules of sub-questions: judgments of each hop, the form of answers, and missing parts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.data import dag
from annotation.pure.data.subquestion_corrections import flowed
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Problem

KEEP, SINGLE_HOP, WRONG_ANSWER = "no", "single_hop", "wrong_answer"
DISCARDS = (KEEP, SINGLE_HOP, WRONG_ANSWER)
WELL_FORMED, MEANING, VALID = "well_formed", "meaning", "valid"
JUDGMENTS = (WELL_FORMED, MEANING, VALID)
LONGEST = {"question": 1000, "answer": 500}
KNOWN = "known_subquestions"  # in the `extra` of an example: the correct response, in its stored form

_UNJUDGED = {
    WELL_FORMED: _("Hop %(hop)s: say whether the sub-question is well-formed."),
    MEANING: _("Hop %(hop)s: say whether the sub-question asks for the right thing."),
    VALID: _("Hop %(hop)s: say whether the answer is valid."),
}
_EMPTY = {
    "question": _("Hop %(hop)s: the sub-question is empty."),
    "answer": _("Hop %(hop)s: the answer is empty."),
}
_UNCORRECTED = {
    "question": _("Hop %(hop)s: correct the sub-question, or say that it is right."),
    "answer": _("Hop %(hop)s: correct the answer, or say that it is valid."),
}
_CORRECTED = {
    "question": _(
        "Hop %(hop)s: you changed the sub-question but marked it as right. Say what was wrong, or undo the change."
    ),
    "answer": _(
        "Hop %(hop)s: you changed the answer but marked it as valid. Mark it as not valid, or undo the change."
    ),
}


def untouched(payload: JSON) -> list[JSON]:
    """The hops of an answer without any judgment."""
    return [
        dict.fromkeys(JUDGMENTS) | {"question": hop["question"], "answer": hop["answer"]} for hop in payload["hops"]
    ]


def following(payload: JSON, hops: Sequence[JSON]) -> list[str]:
    """Each sub-question as it reads with nothing corrected but the answers before it."""
    questions, answers = ([hop[name] for hop in payload["hops"]] for name in ("question", "answer"))
    return flowed(questions, answers, [hop["answer"] for hop in hops])


def corrected(payload: JSON, hops: Sequence[JSON]) -> list[dict[str, bool]]:
    """For each hop whether its question and answer were corrected; a question that only follows an answer was not."""
    follow = following(payload, hops)
    return [
        {
            "question": tidy(hop["question"]) not in {tidy(own["question"]), tidy(after)},
            "answer": tidy(hop["answer"]) != tidy(own["answer"]),
        }
        for hop, own, after in zip(hops, payload["hops"], follow, strict=True)
    ]


def problems_of(payload: JSON, answer: JSON) -> Iterator[Problem]:
    """Problems that prevent submitting: of the whole, then of each hop (missing judgments or corrections)."""
    if answer["discard"] not in DISCARDS:
        yield Problem("discard", _("Say first whether to keep the question."))
        return
    if answer["discard"] != KEEP:
        return
    if len(answer["hops"]) != len(payload["hops"]):
        yield Problem("discard", _("There must be one decision for each hop."))
        return
    changed = corrected(payload, answer["hops"])
    for number, (hop, own, change) in enumerate(zip(answer["hops"], payload["hops"], changed, strict=True), 1):
        yield from _problems(number, hop, own, change)


def _problems(number: int, hop: JSON, own: JSON, change: Mapping[str, bool]) -> Iterator[Problem]:
    values = {"hop": number}
    for name in JUDGMENTS:
        if hop[name] is None:
            yield Problem(f"hop-{number}-{name}", _UNJUDGED[name], values)
    right = {"question": (hop[WELL_FORMED], hop[MEANING]), "answer": (hop[VALID],)}
    for part, judged in right.items():
        field = f"hop-{number}-{part}"
        if not hop[part].strip():
            yield Problem(field, _EMPTY[part], values)
        elif len(hop[part]) > LONGEST[part]:
            most = LONGEST[part]
            yield Problem(field, _("Hop %(hop)s: use at most %(most)s characters."), {**values, "most": most})
        elif change[part] and all(judged):
            yield Problem(field, _CORRECTED[part], values)
        elif not change[part] and False in judged:
            yield Problem(field, _UNCORRECTED[part], values)
    if change["question"]:
        yield from _references(number, hop["question"], own["question"])


def _references(number: int, question: str, own: str) -> Iterator[Problem]:
    """A template must go on using the answers that it used."""
    needed, used = set(dag.references(own)), set(dag.references(question))
    if needed == used:
        return
    marks = ", ".join(f"#{k}" for k in sorted(needed))
    values: dict[str, Any] = {"hop": number, "marks": marks}
    message = _("Hop %(hop)s: keep %(marks)s, which stands for an earlier answer, and add no other number.")
    if not needed:
        message = _("Hop %(hop)s: write the earlier answer itself; # with a number is not used in this question.")
    yield Problem(f"hop-{number}-question", message, values)
