"""The files behind DiRe's figures: gold rows in groups, and JSON lines of predictions joined to them.

Predictions are joined by `sub_idx` if the rows have one. Two rows without it take the lines of their question from
the last, like the official script: with equal confidence the first line counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.pure.text.whole_numbers import whole_number
from annotation.scorers.base import Fact, Source, facts_in, kind


@dataclass(frozen=True, slots=True)
class Row:
    """The labels of a row: the answer, titles and (title, sentence) pairs."""

    answer: str
    paragraphs: frozenset[str]
    sentences: frozenset[Fact]
    sufficiency: int | None = None
    sub_idx: int | None = None


@dataclass(frozen=True, slots=True)
class RowPrediction:
    """A prediction of a row."""

    answer: str
    paragraphs: frozenset[str]
    sentences: frozenset[Fact]
    confidence: float = 0.0
    sufficiency: int | None = None
    sub_idx: int | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one question, and once joined each with its prediction."""

    id: str
    place: str
    rows: tuple[Row, ...]
    pairs: tuple[tuple[Row, RowPrediction], ...] = ()

    def union(self) -> Row:
        """The gold of the original question: the union of the labels of all rows."""
        paragraphs = frozenset(title for row in self.rows for title in row.paragraphs)
        return Row(self.rows[0].answer, paragraphs, frozenset(s for row in self.rows for s in row.sentences))


def groups_of(source: Source) -> Iterator[Group]:
    """The rows of a gold file by question, in the order in which questions begin. Raises BadGold."""
    places: dict[str, str] = {}
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for place, record in source.objects():
        row_id = source.text(record, "_id" if "_id" in record else "id", place=place)
        places.setdefault(row_id, place)
        rows[row_id].append(_row(source, record, place=place, record_id=row_id))
    if not rows:
        raise source.without_questions()
    for row_id, members in rows.items():
        yield Group(row_id, places[row_id], tuple(members))


def _row(source: Source, record: Mapping[str, Any], **where: str) -> Row:
    facts = _facts(source, record, "supporting_facts", **where)
    return Row(
        answer=source.text(record, "answer", **where),
        paragraphs=frozenset(title for title, _sentence in facts),
        sentences=facts,
        sufficiency=_whole(source, record, "sufficiency", **where),
        sub_idx=_whole(source, record, "sub_idx", **where),
    )


def predictions_of(source: Source, *, sufficiency: bool) -> Predictions:
    """The lines of a prediction file by question. Raises BadPredictions, also for a missing sufficiency."""
    predictions = Predictions(source)
    for place, record in source.objects():
        prediction = _row_prediction(source, record, place=place, sufficiency=sufficiency)
        predictions.lines[record["question_id"]].append(prediction)
        predictions.places.setdefault(record["question_id"], place)
    return predictions


def _row_prediction(source: Source, record: Mapping[str, Any], *, place: str, sufficiency: bool) -> RowPrediction:
    record_id = source.text(record, "question_id", place=place)
    where = {"place": place, "record_id": record_id}
    titles = source.items(record, "supporting_paragraphs", **where)
    if not all(type(title) is str for title in titles):
        raise source.bad(**where, field="supporting_paragraphs", wrong="not all are texts", fix="Give titles")
    label = _whole(source, record, "sufficiency", **where)
    if sufficiency and label is None:
        raise source.bad(**where, field="sufficiency", wrong="the field is missing", fix="Give 1, 0 or -1")
    confidence = record.get("answer_confidence", 0.0)
    if type(confidence) not in (int, float):
        raise source.bad(**where, field="answer_confidence", wrong=kind(confidence), fix="Give a number")
    return RowPrediction(
        answer=source.text(record, "answer", **where),
        paragraphs=frozenset(titles),
        sentences=_facts(source, record, "supporting_sentences", **where),
        confidence=float(confidence),
        sufficiency=label,
        sub_idx=_whole(source, record, "sub_idx", **where),
    )


@dataclass
class Predictions:
    """The predictions of a file by question, in the order of its lines."""

    source: Source
    lines: defaultdict[str, list[RowPrediction]] = field(default_factory=lambda: defaultdict(list))
    places: dict[str, str] = field(default_factory=dict)

    def joined(self, group: Group) -> Group:
        """The group with a prediction for each row."""
        predictions = self.lines.get(group.id, [])
        if len(predictions) != len(group.rows):
            wrong = f"{len(predictions)} predictions for {len(group.rows)} rows"
            self._refuse(group.id, wrong, "Give one for each row")
        if group.rows[0].sub_idx is None:
            return replace(group, pairs=tuple(zip(group.rows, reversed(predictions), strict=True)))
        by_number = {each.sub_idx: each for each in predictions}
        missing = sorted({row.sub_idx for row in group.rows if row.sub_idx not in by_number}, key=str)
        if missing:
            self._refuse(group.id, f"none has the sub_idx {missing[0]}", "Copy the sub_idx of the row")
        return replace(group, pairs=tuple((row, by_number[row.sub_idx]) for row in group.rows))

    def only_prediction(self, question_id: str) -> RowPrediction:
        """The only prediction for an original question. Raises BadPredictions if there is not exactly one."""
        predictions = self.lines.get(question_id, [])
        if len(predictions) != 1:
            self._refuse(question_id, f"{len(predictions)} predictions of the original question", "Give exactly one")
        return predictions[0]

    def _refuse(self, question_id: str, wrong: str, fix: str) -> None:
        place = self.places.get(question_id, "the file")
        raise self.source.bad(place, question_id, field="question_id", wrong=wrong, fix=fix)


def _facts(source: Source, record: Mapping[str, Any], key: str, *, place: str, record_id: str) -> frozenset[Fact]:
    facts = facts_in(source.items(record, key, place=place, record_id=record_id))
    if isinstance(facts, int):
        fix = "Give pairs of a title and the number of a sentence"
        raise source.bad(place, record_id, field=key, wrong="one is no such pair", fix=fix)
    return frozenset(facts)


def _whole(source: Source, record: Mapping[str, Any], key: str, *, place: str, record_id: str) -> int | None:
    value = record.get(key)
    number = whole_number(value)
    if value is None or number is not None:
        return number
    raise source.bad(place, record_id, field=key, wrong=kind(value), fix="Give a whole number")
