"""Feedback on practice items: on an answer, on its support, and on a decision. Reasons are in the item's `extra`:
`why` about the whole item, `notes` about its parts (paragraphs, hops, compositions).
"""

from collections.abc import Iterator, Sequence

from annotation.pure.data.example import Example
from annotation.pure.text.normalization import answer_key
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Remark
from annotation.tasktype.capabilities import RIGHT, WRONG
from annotation.tasktype.helpers.answering import answer_text, is_closed_book

NECESSITY = {  # (whether it is known to be, whether the response says so)
    (True, True): _("Right: what was removed is necessary. %(why)s"),
    (False, True): _("Right: what was removed is not necessary. %(why)s"),
    (True, False): _("What was removed is necessary. %(why)s"),
    (False, False): _("What was removed is not necessary. %(why)s"),
}


def why_of(gold: Example) -> str:
    """The reason for the right response to the item; "" if it has none."""
    return str(gold.extra.get("why", ""))


def note_of(gold: Example, part: int | None) -> str:
    """The reason that belongs to a part of the item; "" if it has none."""
    notes = gold.extra.get("notes") or ()
    return str(notes[part]) if part is not None and part < len(notes) else ""


def on_answer(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    """Feedback on an answer as annotation.tasktype.helpers.answering has it, and on its support."""
    given, none = answer_text(answer), answer["kind"] == "none"
    if is_closed_book(payload) and gold.answerable is False:
        yield Remark(none, RIGHT if none else WRONG, {"why": why_of(gold)})
        return
    if is_closed_book(payload) and none:
        yield Remark(None, _("The answer is “%(gold)s”. %(why)s"), {"gold": gold.answers[0], "why": why_of(gold)})
        return
    if gold.answerable is False:
        right = _("Right: the paragraphs do not answer the question. %(why)s")
        wrong = _("The paragraphs do not answer the question. %(why)s")
        yield Remark(none, right if none else wrong, {"why": why_of(gold)})
        return
    if none:
        yield Remark(False, _("The paragraphs do answer the question. %(why)s"), {"why": why_of(gold)})
        return
    yield on_words(given, gold.answers, why=_why_wrong(payload, answer, gold))
    if payload["controls"]["support"]:
        yield from _on_support(payload, answer, gold)


def on_words(given: str, answers: Sequence[str], *, why: str = "") -> Remark:
    """Feedback on an answer's words; `why` is the reason why another answer than the right one is wrong."""
    key, keys = answer_key(given), [answer_key(answer) for answer in answers]
    values = {"text": given, "gold": answers[0], "why": why}
    if key in keys:
        return Remark(True, _("“%(text)s” is right."), values)
    if any(f" {right} " in f" {key} " for right in keys):
        return Remark(False, _("“%(text)s” is too long: “%(gold)s” alone answers the question."), values)
    if key and any(f" {key} " in f" {right} " for right in keys):
        return Remark(False, _("“%(text)s” is too short: the whole answer is “%(gold)s”."), values)
    return Remark(False, _("“%(gold)s” is the answer, not “%(text)s”. %(why)s"), values)


def _why_wrong(payload: JSON, answer: JSON, gold: Example) -> str:
    """What the item says about the paragraph of a wrong answer, or, of words from nowhere, about a wrong support."""
    if is_closed_book(payload):
        return why_of(gold)
    if answer["paragraph"] is not None:
        return note_of(gold, answer["paragraph"])
    return next((note_of(gold, place) for place in answer["support"] if place not in (gold.supports or ())), "")


def _on_support(payload: JSON, answer: JSON, gold: Example) -> Iterator[Remark]:
    """Each missing and each needless paragraph, or sentence if the batch asks for sentences, with the reason."""
    needed: set[tuple[int, int | None]]
    ticked: set[tuple[int, int | None]]
    if payload["controls"]["sentences"]:
        needed = {(place, sentence) for place, sentence in gold.facts or ()}
        ticked = {(place, sentence) for place, sentence in answer["facts"]}
    else:
        needed = {(place, None) for place in gold.supports or ()}
        ticked = {(place, None) for place in answer["support"]}
    for part in sorted(needed - ticked, key=str):
        yield Remark(False, _("“%(part)s” is needed as support. %(why)s"), _part(payload, gold, *part))
    for part in sorted(ticked - needed, key=str):
        yield Remark(False, _("“%(part)s” is not needed as support. %(why)s"), _part(payload, gold, *part))
    if needed == ticked:
        yield Remark(True, _("You ticked all the support that is needed, and no more."))


def _part(payload: JSON, gold: Example, place: int, sentence: int | None) -> JSON:
    paragraph = payload["paragraphs"][place]
    if sentence is None:
        return {"part": paragraph["title"], "why": note_of(gold, place)}
    start, end = paragraph["sentences"][sentence]
    return {"part": paragraph["text"][start:end], "why": note_of(gold, place)}
