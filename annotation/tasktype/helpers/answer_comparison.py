"""The responses to one HIT side by side with gold, for requesters."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.statistics import metrics
from annotation.pure.text.spans import mentions
from annotation.tasktype import JSON, Given
from annotation.tasktype.helpers.answering import answer_text

Stretch = tuple[int, int, str]  # start, end, and the column's name ("" for gold)


def compared(payload: JSON, given: Sequence[Given], gold: Example) -> JSON:
    """{"columns": one a given answer, "gold", "rows": one a paragraph}.

    F1 and EM are MuSiQue's; the report uses the scorer of the dataset's format.
    """
    supports = set(gold.supports or ())
    facts = list(gold.facts or ()) if payload["controls"]["sentences"] else []
    return {
        "columns": [_column(one, gold) for one in given],
        "gold": {
            "answers": [] if gold.answerable is False else list(gold.answers),
            "none": gold.answerable is False,
            "support": _numbers(supports),
            "hidden": not gold.answers and gold.answerable is not False,
        },
        "support_asked": payload["controls"]["support"],
        "rows": [
            {
                "number": place + 1,
                "title": paragraph["title"],
                "gold": place in supports,
                "gold_facts": _sentences(facts, place),
                "ticks": [
                    {"on": place in one.answer["support"], "sentences": _sentences(one.answer["facts"], place)}
                    for one in given
                ],
                "pieces": list(_pieces(paragraph["text"], _stretches(place, paragraph, given, gold))),
            }
            for place, paragraph in enumerate(payload["paragraphs"])
        ],
    }


def _column(one: Given, gold: Example) -> JSON:
    answer, scorer = one.answer, metrics.MUSIQUE
    column = {"text": answer_text(answer), "kind": answer["kind"], "support": _numbers(answer["support"])}
    if gold.answerable is False:
        return column | {"right_none": answer["kind"] == "none"}
    if gold.answers:
        mark = scorer.answer(answer_text(answer), gold.answers)
        column |= {"em": mark.em, "f1": mark.f1}
    if gold.supports:
        column["support_f1"] = scorer.support(frozenset(answer["support"]), frozenset(gold.supports)).f1
    return column


def _numbers(places: Any) -> str:
    return ", ".join(str(place + 1) for place in sorted(places))


def _sentences(facts: Any, place: int) -> str:
    return ", ".join(str(sentence + 1) for paragraph, sentence in facts if paragraph == place)


def _stretches(place: int, paragraph: JSON, given: Sequence[Given], gold: Example) -> Iterator[Stretch]:
    for one in given:
        if one.answer["kind"] == "span" and one.answer["paragraph"] == place:
            yield one.answer["start"], one.answer["end"], one.worker
    if place in (gold.supports or ()):
        for answer in gold.answers:
            for start, end in mentions(answer, paragraph["text"]):
                yield start, end, ""


def _pieces(text: str, stretches: Iterator[Stretch]) -> Iterator[JSON]:
    """The text cut at the ends of marked stretches; joined, the pieces are the text."""
    marked = sorted(set(stretches))
    cuts = sorted({0, len(text)} | {end for stretch in marked for end in stretch[:2]})
    for start, end in pairwise(cuts):
        over = [s for s in marked if s[0] <= start and end <= s[1]]
        names = [name for _s, _e, name in over if name]
        ends = [name for _s, e, name in over if name and e == end]
        yield {"text": text[start:end], "by": names, "ends": ends, "gold": any(not n for *_, n in over)}
