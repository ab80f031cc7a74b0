"""HotpotQA's official figures (hotpot_evaluate_v1.py): answer, supporting facts and both jointly.

Means over all gold questions, unrounded; a question without a predicted answer or without predicted facts
scores 0 there and in the joint figures. Gold without any supporting facts gives the figures of the answer alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.pure.statistics.metrics import HOTPOTQA, ZERO, Score, joint
from annotation.scorers.base import Fact, Figures, Prediction, Source, facts_in, gold_file, predictions_file

_FIGURES = ("em", "f1", "prec", "recall")
_PAIR = "Give pairs of a title and the number of a sentence"
_HIDDEN = object()  # gold that a record does not have

Scored = tuple[str, str, Sequence[Any]]  # place, id, and of each part its Score, None (not predicted) or _HIDDEN


class HotpotQA:
    """Predictions are one object: `{"answer": {id: text}, "sp": {id: [[title, sentence], ...]}}`."""

    name = "hotpotqa"
    rank = 1
    options: tuple[str, ...] = ()

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        predicted = Predicted(predictions_file(path))
        for item_id in predicted.parts["answer"] | predicted.parts["sp"]:
            answer, facts = predicted.answer(item_id), predicted.facts(item_id)
            yield Prediction(item_id, answer=answer, facts=None if facts is None else tuple(facts))

    def evaluate(self, gold: Path, predictions: Path) -> Figures:
        predicted = Predicted(predictions_file(predictions))
        source = gold_file(gold)

        def scored() -> Iterator[Scored]:
            for place, record in source.objects():
                item_id, right = gold_answer(source, record, place=place)
                answer = predicted.answer(item_id)
                answer_score = None if answer is None else HOTPOTQA.answer(answer, (right,))
                marked, facts = predicted.facts(item_id), gold_facts(source, record, place, item_id)
                yield place, item_id, (answer_score, against(facts, marked, HOTPOTQA.support))

        return means(source, scored(), {"": "answer", "sp_": "supporting_facts"})


class Predicted:
    """The parts of a prediction file, validated on use."""

    def __init__(self, source: Source, names: Sequence[str] = ("answer", "sp")) -> None:
        self.source = source
        document = source.document()
        if not document.keys() & set(names) and all(type(text) is str for text in document.values()):  # answers only
            document = {name: document if name == "answer" else {} for name in names}
        self.parts = {name: self._part(document, name) for name in names}

    def answer(self, item_id: str) -> str | None:
        answers = self.parts["answer"]
        if item_id not in answers:
            return None
        return self.source.text(answers, item_id, place="answer", record_id=item_id)

    def facts(self, item_id: str) -> list[Fact] | None:
        if item_id not in self.parts["sp"]:
            return None
        pairs = self.source.items(self.parts["sp"], item_id, place="sp", record_id=item_id)
        return _pairs(self.source, pairs, place="sp", record_id=item_id)

    def _part(self, document: Mapping[str, Any], key: str) -> dict[str, Any]:
        part = document.get(key)
        if type(part) is dict:
            return part
        raise self.source.mistyped(document, key, "the file", "", "Give an object from question ids to predictions")


def gold_answer(source: Source, record: Mapping[str, Any], *, place: str) -> tuple[str, str]:
    """Id and answer; "noanswer", as in the official scorers, if the record has none."""
    item_id = source.text(record, "_id" if "_id" in record else "id", place=place)
    if record.get("answerable") is False and record.get("answer") is None:
        return item_id, "noanswer"
    return item_id, source.text(record, "answer", place=place, record_id=item_id)


def gold_facts(source: Source, record: Mapping[str, Any], place: str, item_id: str) -> list[Fact] | None:
    """Supporting facts as pairs, also from the column layout of dataset hubs; None if the record has none."""
    pairs = record.get("supporting_facts")
    if pairs is None:
        return None
    if type(pairs) is dict:
        titles = source.items(pairs, "title", place=place, record_id=item_id)
        numbers = source.items(pairs, "sent_id", place=place, record_id=item_id)
        pairs = [[title, number] for title, number in zip(titles, numbers, strict=False)]
    else:
        pairs = source.items(record, "supporting_facts", place=place, record_id=item_id)
    return _pairs(source, pairs, place=place, record_id=item_id)


def against(right: Any, predicted: Any, score: Callable[[Any, Any], Score]) -> Any:
    """The score of a part, as `means` takes it."""
    if right is None:
        return _HIDDEN
    return None if predicted is None else score(predicted, right)


def means(source: Source, rows: Iterator[Scored], parts: Mapping[str, str]) -> Figures:
    """The mean of each figure of each part, then of the parts jointly; `parts` are the keys' prefixes and gold fields.

    A part that no record has in its gold is left out, together with the joint figures. Raises BadGold if only some
    records have it, or if there are no records.
    """
    width = len(_FIGURES)
    totals, questions = [0.0] * width * (len(parts) + 1), 0
    hidden: dict[int, list[tuple[str, str]]] = {}
    for place, item_id, scores in rows:
        questions += 1
        for number, score in enumerate(scores):
            if score is _HIDDEN:
                hidden.setdefault(number, []).append((place, item_id))
        known = [score if isinstance(score, Score) else ZERO for score in scores]
        both = joint(*known) if all(isinstance(score, Score) for score in scores) else ZERO
        earned = [figure for score in (*known, both) for figure in score]
        totals = [total + figure for total, figure in zip(totals, earned, strict=True)]
    if not questions:
        raise source.without_questions()
    for number, places in hidden.items():
        if len(places) < questions:
            field, (place, item_id) = list(parts.values())[number], places[0]
            fix = "Give it in every record, or in none for the other figures alone"
            raise source.bad(place, item_id, field=field, wrong="the field is missing", fix=fix)
    kept = [prefix for number, prefix in enumerate(parts) if number not in hidden]
    keys = [prefix + figure for prefix in (*parts, "joint_") for figure in _FIGURES]
    shown = {prefix + figure for prefix in (*kept, *(() if hidden else ("joint_",))) for figure in _FIGURES}
    return {key: total / questions for key, total in zip(keys, totals, strict=True) if key in shown}


def _pairs(source: Source, pairs: list[Any], *, place: str, record_id: str) -> list[Fact]:
    facts = facts_in(pairs)
    if isinstance(facts, int):
        wrong = f"number {facts + 1} is not a pair of a title and a number"
        raise source.bad(place, record_id, field="supporting facts", wrong=wrong, fix=_PAIR)
    return facts


SCORER = HotpotQA()
