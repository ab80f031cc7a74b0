"""Measures of agreement, computed from the rows a second time."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from statistics import fmean
from typing import Any

from annotation.pure.statistics.distance_agreement import masi
from annotation.pure.statistics.metrics import scored_as, scorer_for
from annotation.tasktype.helpers.answering import answer_text
from tasks.cloze.words import key
from tests.flow.reports import sentence_rows
from tests.flow.reports.sentence_rows import Rows, Units, number


def units(rows: Rows) -> Units:
    """The labels that a measure of agreement compares, by what the sentence before it says that it is on."""
    one_of = {
        "sufficiency": lambda answer: answer["verdict"],
        "answerability": lambda answer: answer["answerable"],
        "the composition": lambda answer: answer["chosen"],
        "keeping the question": lambda answer: answer["discard"],
        "whether the removed words are necessary": lambda answer: answer["necessary"],
        "the class": lambda answer: (
            answer["guessable"], answer["necessary"] if answer["guessable"] else answer["solvable"]
        ),
    }  # fmt: skip
    if rows.on in one_of:
        return rows.labels(one_of[rows.on])
    whole = rows.labels(lambda answer: answer)
    if rows.on == "the words":
        return [{w: key(a["words"][k]) for w, a in unit.items()} for unit in whole for k in range(5)]  # type: ignore[index]
    if rows.on == "the bridges":
        return [dict(zip(unit, edge, strict=True)) for unit in whole for edge in _edges(unit)]
    return _judged(whole)


def _edges(unit: Any) -> Iterable[Any]:
    return zip(*(answer["bridges"] for answer in unit.values()), strict=True)


def _judged(whole: Any) -> Units:
    found: list[Any] = []
    for unit in whole:
        kept = {worker: answer["hops"] for worker, answer in unit.items() if answer["discard"] == "no"}
        for k in range(max((len(hops) for hops in kept.values()), default=0)):
            for name in ("well_formed", "meaning", "valid"):
                found.append({worker: hops[k][name] for worker, hops in kept.items() if name in hops[k]})
    return [unit for unit in found if unit]


def compares(rows: Rows, on: str, count: str) -> bool:
    rows.on = on
    try:
        found = units(rows)
    except (KeyError, TypeError, IndexError):  # a planted fault: what answers do not have
        return False
    return sentence_rows.pairs(found) == number(count) > 0


def is_agreement(rows: Rows, said: tuple[str, ...]) -> bool:
    measure, value, share, n = said[:4]
    if measure in OF_ANSWERS:
        found, count = _of_answers(rows, measure)
    elif not rows.on:
        return False
    else:
        of = [unit for unit in units(rows) if len(unit) > 1]
        count, found = len(of), _OF_LABELS.get(measure, lambda rows, of: -9)(rows, of)
    return int(n) == count and abs((float(value) / (100 if share else 1)) - found) < (0.0006 if share else 0.00051)


def _guessed(rows: Rows, of: Units) -> float:
    several = {row.hit for row in rows.counted if [other.hit for other in rows.counted].count(row.hit) > 1}
    return fmean(1 / (len(hit.payload["compositions"]) + 1) for hit in several)


_OF_LABELS = {
    "Agreement of pairs of annotators": lambda rows, of: sentence_rows.agreeing(of),
    "Raw agreement of two annotators": lambda rows, of: sentence_rows.agreeing(of),
    "Agreement expected by chance": lambda rows, of: sentence_rows.by_chance(of),
    "Agreement by random guessing": _guessed,
    "Krippendorff's alpha (nominal)": lambda rows, of: sentence_rows.alpha(of),
}


def _of_answers(rows: Rows, measure: str) -> tuple[float, int]:
    """The agreement of answers or of their supports, and the number of items with two responses or more."""
    hit = rows.hits[0]
    scorer = scorer_for(scored_as(hit.item.example, hit.item.dataset.format))
    part = (lambda answer: frozenset(answer["support"])) if "support" in measure else answer_text
    of = [list(unit.values()) for unit in rows.labels(part) if len(unit) > 1]
    if measure.startswith("Kripp") and "support" in measure:
        return sentence_rows.alpha([dict(enumerate(unit)) for unit in of], lambda a, b: 1 - masi(a, b)), len(of)
    if measure.startswith("Kripp"):
        keyed = [{k: scorer.key(str(text)) for k, text in enumerate(unit)} for unit in of]
        return sentence_rows.alpha(keyed, lambda a, b: float(a != b and 1 - scorer.answer(a, [b]).f1)), len(of)
    alike = scorer.support if "support" in measure else (lambda a, b: scorer.answer(a, (b,)))
    k = min(max(rows.numbers), max(min(n for n in rows.numbers if n), min(hit.wanted for hit in rows.there)))
    return fmean(_against_others(unit, min(k, len(unit)), alike) for unit in of), len(of)


def _against_others(unit: list[Any], k: int, alike: Any) -> float:
    """Over all draws of k answers, the best match of each with the others of its draw."""
    draws = list(combinations(range(len(unit)), k))
    best = [max(alike(unit[i], unit[j]).f1 for j in some if j != i) for some in draws for i in some]
    return fmean(best)


OF_ANSWERS = (
    "Agreement on the answer (F1)",
    "Agreement on support (F1)",
    "Krippendorff's alpha of the answer (distance 1 − F1)",
    "Krippendorff's alpha of the support (MASI distance)",
)
