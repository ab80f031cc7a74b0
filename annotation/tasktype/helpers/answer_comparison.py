"""The responses to one HIT side by side with gold, for requesters."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from annotation.pure.data.example import Example
from annotation.pure.reports import human_scores
from annotation.pure.statistics import metrics
from annotation.pure.statistics.answer_sets import accuracy
from annotation.pure.text.spans import mentions
from annotation.tasktype import JSON, GivenResponse
from annotation.tasktype.helpers.answering import answer_key, answer_text
from annotation.tasktype.helpers.lettered_text import Stretch, lettered


def compared(payload: JSON, given: Sequence[GivenResponse], gold: Example) -> JSON:
    """{"columns": one a given answer, "gold", "support_asked", "only_support_tied", "rows": one a paragraph}.

    Paragraphs with an answer come first, then those that anybody ticked. F1 and EM are MuSiQue's; reports use the
    dataset's scorer.
    """
    supports, paragraphs = gold.supports or (), payload["paragraphs"]
    facts = list(gold.facts or ()) if payload["controls"]["sentences"] else []
    rows = [
        {
            "number": place + 1,
            "title": paragraph["title"],
            "gold": place in supports,
            "ticked_by": [one.worker for one in given if place in one.answer["support"]],
            "pieces": lettered(paragraph["text"], _stretches(place, paragraph, given, gold)),
        }
        for place, paragraph in enumerate(paragraphs)
    ]
    return {
        "columns": [_column(one, gold) | {"support": _ticked(payload, one.answer)} for one in given],
        "gold": {
            "answers": [] if gold.answerable is False else list(gold.answers),
            "set": [list(answer) for answer in gold.answer_set],
            "none": gold.answerable is False,
            "support": _ticked(payload, {"support": supports, "facts": facts}),
            "hidden": not (gold.answers or gold.answer_set) and gold.answerable is not False,
        },
        "support_asked": payload["controls"]["support"],
        "only_support_tied": _is_only_support_tied([one.answer for one in given]),
        "rows": sorted(rows, key=_rank),
    }


def _is_only_support_tied(answers: Sequence[JSON]) -> bool:
    """Whether one answer has the most votes, but no choice of support has."""
    texts = human_scores.majorities(answers, key=answer_key) if answers else ()
    return len(texts) == 1 and len(human_scores.majorities(answers, key=lambda a: frozenset(a["support"]))) > 1


def _column(one: GivenResponse, gold: Example) -> JSON:
    answer, scorer = one.answer, metrics.MUSIQUE
    column = {"text": answer_text(answer), "kind": answer["kind"]}
    if gold.answerable is False:
        return column | {"right_none": answer["kind"] == "none"}
    if gold.answer_set:
        return column | accuracy(answer_text(answer), gold.answer_set)._asdict()
    if gold.answers:
        mark = scorer.answer(answer_text(answer), gold.answers)
        column |= {"em": mark.em, "f1": mark.f1}
    if gold.supports:
        column["support_f1"] = scorer.support(frozenset(answer["support"]), frozenset(gold.supports)).f1
    return column


def _ticked(payload: JSON, answer: JSON) -> list[JSON]:
    """The supporting paragraphs, each with the numbers of its ticked sentences ("" without sentences)."""
    return [
        {"number": place + 1, "title": paragraph["title"], "sentences": _sentences(answer["facts"], place)}
        for place, paragraph in enumerate(payload["paragraphs"])
        if place in answer["support"]
    ]


def _sentences(facts: Collection[Any], place: int) -> str:
    return ", ".join(str(sentence + 1) for paragraph, sentence in facts if paragraph == place)


def _stretches(place: int, paragraph: JSON, given: Sequence[GivenResponse], gold: Example) -> Iterator[Stretch]:
    for one in given:
        if one.answer["kind"] == "span" and one.answer["paragraph"] == place:
            yield one.answer["start"], one.answer["end"], one.worker
    if place in (gold.supports or ()):
        for answer in gold.answers:
            for start, end in mentions(answer, paragraph["text"]):
                yield start, end, ""


def _rank(row: JSON) -> tuple[bool, bool]:
    return not any(piece["by"] for piece in row["pieces"]), not row["ticked_by"]
