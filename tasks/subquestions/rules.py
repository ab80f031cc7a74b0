"""Rules of sub-questions: judgments of each hop, the form of answers, missing parts; and feedback on practice items,
from the right response in their `extra` (`known_subquestions`)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.pure.data import dag
from annotation.pure.data.corrections import answer_key, flowed, question_key
from annotation.pure.data.example import Example
from annotation.pure.derivations.bridges import tidy
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Problem, Remark
from annotation.tasktype.helpers.practice_feedback import note_of, why_of

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


_DISCARD = {
    KEEP: _("Keep this question. %(why)s"),
    SINGLE_HOP: _("Discard this question: it needs no multihop reasoning. %(why)s"),
    WRONG_ANSWER: _("Discard this question: its answer is wrong. %(why)s"),
}
_DISCARDED = {
    SINGLE_HOP: _("Right: the question needs no multihop reasoning. %(why)s"),
    WRONG_ANSWER: _("Right: the answer of the question is wrong. %(why)s"),
}
_JUDGED = {  # (judgment, as it should be)
    (WELL_FORMED, True): _("Hop %(hop)s: the sub-question is well-formed. %(why)s"),
    (WELL_FORMED, False): _("Hop %(hop)s: the sub-question is not well-formed. %(why)s"),
    (MEANING, True): _("Hop %(hop)s: the sub-question asks for the right thing. %(why)s"),
    (MEANING, False): _("Hop %(hop)s: the sub-question does not ask for the right thing. %(why)s"),
    (VALID, True): _("Hop %(hop)s: the answer is valid. %(why)s"),
    (VALID, False): _("Hop %(hop)s: the answer is not valid. %(why)s"),
}


def remarks(answer: JSON, gold: Example) -> Iterator[Remark]:
    """Feedback on the decision about the question, then on each hop of a kept one."""
    known = gold.extra[KNOWN]
    if answer["discard"] != known["discard"]:
        yield Remark(False, _DISCARD[known["discard"]], {"why": why_of(gold)})
    elif answer["discard"] != KEEP:
        yield Remark(True, _DISCARDED[known["discard"]], {"why": why_of(gold)})
    else:
        for number, (hop, right) in enumerate(zip(answer["hops"], known["hops"], strict=True), 1):
            yield from _on_hop(hop, right, {"hop": number, "why": note_of(gold, number - 1)})


def _on_hop(hop: JSON, right: JSON, values: JSON) -> Iterator[Remark]:
    """The judgments that are not right; else the corrections: an answer has one right form, a question has several."""
    misjudged = [name for name in JUDGMENTS if hop[name] is not right[name]]
    for name in misjudged:
        yield Remark(False, _JUDGED[name, right[name]], values)
    if misjudged:
        return
    values = {**values, "question": right["question"], "answer": right["answer"]}
    if not right[VALID] and answer_key(hop["answer"]) != answer_key(right["answer"]):
        yield Remark(False, _("Hop %(hop)s: the answer is “%(answer)s”. %(why)s"), values)
        return
    yield Remark(True, _("Hop %(hop)s: right. %(why)s"), values)
    rewritten = not (right[WELL_FORMED] and right[MEANING])
    if rewritten and question_key(hop["question"]) != question_key(right["question"]):
        yield Remark(None, _("Hop %(hop)s: our sub-question to compare with: “%(question)s”"), values)
