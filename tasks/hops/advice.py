"""Feedback on practice items: `why` is about the whole item, `notes` has a reason for each paragraph."""

from collections.abc import Iterator

from annotation.pure.data.example import Example
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.helpers.answering import answer_text
from annotation.tasktype.helpers.practice_feedback import note_of, on_words, why_of

from .aggregation import gold_paragraphs
from .steps import FREE, KIND, KINDS, filled, final, golds


def remarks(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    """On the kind, on each step's answer, or on the answer to the question and on the paragraphs ticked."""
    if payload["arm"] == KIND:
        yield _on_kind(answer["kind"], gold)
    elif payload["arm"] != FREE:
        for hop, right in zip(answer["hops"], golds(gold, payload["arm"]), strict=True):
            yield on_words(answer_text(hop), right, why=why_of(gold))
    else:
        yield on_words(answer_text(final(payload, answer) or {"kind": "none"}), gold.answers, why=why_of(gold))
        yield from _on_paragraphs(answer, gold)
        yield Remark(None, _("Our steps to compare with: %(steps)s"), {"steps": _steps(gold)})


def _on_kind(kind: str, gold: Example) -> Remark:
    several = len(gold.hops) > 1
    right = _("Right: it takes several steps. %(why)s") if several else _("Right: one step is enough. %(why)s")
    wrong = _("It takes several steps. %(why)s") if several else _("One step is enough. %(why)s")
    is_right = kind == KINDS[several]
    return Remark(is_right, right if is_right else wrong, {"why": why_of(gold)})


def _on_paragraphs(answer: JSON, gold: Example) -> Iterator[Remark]:
    ticked, needed = {place for hop in answer["hops"] for place in hop["support"]}, set(gold_paragraphs(gold))
    for place in sorted(needed - ticked):
        yield Remark(False, _("A step that needs “%(part)s” is missing. %(why)s"), _part(gold, place))
    for place in sorted(ticked - needed):
        yield Remark(False, _("No step needs “%(part)s”. %(why)s"), _part(gold, place))
    if ticked == needed:
        yield Remark(True, _("You ticked the right paragraphs."))


def _part(gold: Example, place: int) -> JSON:
    return {"part": gold.paragraphs[place].title, "why": note_of(gold, place)}


def _steps(gold: Example) -> str:
    answers = [hop.answer for hop in gold.hops]
    return " · ".join(f"{filled(hop.question, answers)} {hop.answer}" for hop in gold.hops)
