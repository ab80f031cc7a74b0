"""Feedback on practice items, from the right response in their `extra` (`known_subquestions`).

`why` is the reason to keep or discard the question, `notes` has one for each hop.
"""

from collections.abc import Iterator

from annotation.pure.data.example import Example
from annotation.pure.data.subquestion_corrections import answer_key, question_key
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.helpers.practice_feedback import note_of, why_of

from .rules import JUDGMENTS, KEEP, KNOWN, MEANING, SINGLE_HOP, VALID, WELL_FORMED, WRONG_ANSWER

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
