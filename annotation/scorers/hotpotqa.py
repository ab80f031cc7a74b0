"""HotpotQA's official figures (hotpot_evaluate_v1.py): answer, supporting facts and both jointly.

Means over all gold questions, unrounded; a question without a predicted answer or without predicted facts
scores 0 there and in the joint figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from annotation.pure.metrics import HOTPOTQA, ZERO, Score, joint
from annotation.scorers.base import Figures, Prediction, Source, gold_file, kind, predictions_file

Fact = tuple[str, int]

_PARTS = ("em", "f1", "prec", "recall")
_KEYS = [prefix + part for prefix in ("", "sp_", "joint_") for part in _PARTS]
_PAIR = "Give pairs of a title and the number of a sentence"


class HotpotQA:
    """Predictions are one object: `{"answer": {id: text}, "sp": {id: [[title, sentence], ...]}}`."""

    name = "hotpotqa"

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        predicted = _Predicted(predictions_file(path))
        for item_id in predicted.answers | predicted.facts:
            answer, facts = predicted.answer(item_id), predicted.facts_of(item_id)
            yield Prediction(item_id, answer=answer, facts=None if facts is None else tuple(facts))

    def evaluate(self, gold: Path, predictions: Path) -> Figures:
        predicted = _Predicted(predictions_file(predictions))
        source = gold_file(gold)
        totals, questions = [0.0] * len(_KEYS), 0
        for place, record in source.objects():
            answer, support = _scores(source, record, place=place, predicted=predicted)
            both = joint(answer, support) if answer and support else ZERO
            earned = (*_parts(answer or ZERO), *_parts(support or ZERO), *_parts(both))
            totals = [total + score for total, score in zip(totals, earned, strict=True)]
            questions += 1
        if not questions:
            raise source.bad("the file", "", field="content", wrong="it has no questions", fix="Give some")
        return {key: total / questions for key, total in zip(_KEYS, totals, strict=True)}


class _Predicted:
    """The two parts of a prediction file, checked where they are used."""

    def __init__(self, source: Source) -> None:
        self.source = source
        document = source.document()
        self.answers = self._part(document, "answer")
        self.facts = self._part(document, "sp")

    def answer(self, item_id: str) -> str | None:
        if item_id not in self.answers:
            return None
        return self.source.text(self.answers, item_id, place="answer", record_id=item_id)

    def facts_of(self, item_id: str) -> list[Fact] | None:
        if item_id not in self.facts:
            return None
        found = self.source.items(self.facts, item_id, place="sp", record_id=item_id)
        return _facts(self.source, found, place="sp", record_id=item_id)

    def _part(self, document: Mapping[str, Any], key: str) -> dict[str, Any]:
        part = document.get(key)
        if type(part) is dict:
            return part
        wrong = kind(part) if key in document else "the field is missing"
        fix = "Give an object from question ids to predictions"
        raise self.source.bad("the file", "", field=key, wrong=wrong, fix=fix)


def _scores(
    source: Source, record: Mapping[str, Any], *, place: str, predicted: _Predicted
) -> tuple[Score | None, Score | None]:
    """(answer, support) scores of a question; None for what is not predicted."""
    item_id = source.text(record, "_id" if "_id" in record else "id", place=place)
    right = source.text(record, "answer", place=place, record_id=item_id)
    facts = _gold_facts(source, record, place=place, record_id=item_id)
    answer, marked = predicted.answer(item_id), predicted.facts_of(item_id)
    return (
        None if answer is None else HOTPOTQA.answer(answer, (right,)),
        None if marked is None else HOTPOTQA.support(marked, facts),
    )


def _gold_facts(source: Source, record: Mapping[str, Any], *, place: str, record_id: str) -> list[Fact]:
    """Supporting facts as pairs, also from the column layout of dataset hubs."""
    found = record.get("supporting_facts")
    if type(found) is dict:
        titles = source.items(found, "title", place=place, record_id=record_id)
        numbers = source.items(found, "sent_id", place=place, record_id=record_id)
        found = [[title, number] for title, number in zip(titles, numbers, strict=False)]
    else:
        found = source.items(record, "supporting_facts", place=place, record_id=record_id)
    return _facts(source, found, place=place, record_id=record_id)


def _facts(source: Source, found: list[Any], *, place: str, record_id: str) -> list[Fact]:
    facts: list[Fact] = []
    for position, pair in enumerate(found):
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not int:
            wrong = f"number {position + 1} is not a pair of a title and a number"
            raise source.bad(place, record_id, field="supporting facts", wrong=wrong, fix=_PAIR)
        facts.append((pair[0], pair[1]))
    return facts


def _parts(score: Score) -> tuple[float, float, float, float]:
    return score.em, score.f1, score.precision, score.recall
