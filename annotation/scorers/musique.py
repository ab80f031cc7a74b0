"""MuSiQue's official figures (evaluate_v1.0.py): answer and support, and for Full the pairs.

Means over the answerable questions, given at 3 decimals. A pair scores as its answerable question,
but 0 unless answerability is predicted correctly for both. Gold without labels of supporting paragraphs gives the
figures of the answer alone.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from annotation.pure.data.column_mapping import truth_of
from annotation.pure.statistics.metrics import MUSIQUE
from annotation.pure.text.whole_numbers import whole_number
from annotation.scorers.base import Figures, Prediction, Source, gold_file, kind, predictions_file

_DECIMALS = 3  # as the official script prints them
_PLAIN = ("answer_f1", "answer_em", "support_f1")
_PAIRED = ("group_answer_sufficiency_f1", "group_support_sufficiency_f1")


class MuSiQue:
    """Predictions are lines of `id, predicted_answer, predicted_support_idxs, predicted_answerable` in the
    order of the gold file.
    """

    name = "musique"
    rank = 2
    options: tuple[str, ...] = ()

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        seen: Counter[str] = Counter()
        for _, prediction in _predictions(predictions_file(path)):
            yield replace(prediction, occurrence=seen[prediction.item_id])
            seen[prediction.item_id] += 1

    def evaluate(self, gold: Path, predictions: Path) -> Figures:
        rights, guesses = gold_file(gold), predictions_file(predictions)
        groups: dict[str, _Group] = {}
        earned: list[tuple[float, ...]] = []
        unsupported: list[str] = []
        for right, predicted in _matched(rights, guesses):
            group = groups.setdefault(right.item_id, _Group())
            group.right.append(right.answerable)
            group.called.append(bool(predicted.answerable))
            if right.answerable:
                answer = MUSIQUE.answer(predicted.answer or "", right.answers)
                unsupported += [right.item_id] if right.support is None else []
                support = MUSIQUE.support(predicted.support or (), right.support or ())
                earned.append((answer.f1, answer.em, support.f1))
                group.earned = (answer.f1, support.f1)
        figures = _means(_PLAIN, earned)
        if not all(all(group.right) for group in groups.values()):
            _check_pairs(groups, rights, guesses)
            figures |= _means(_PAIRED, [group.counted() for group in groups.values()])
        if unsupported and len(unsupported) < len(earned):
            wrong, fix = "no paragraph says whether it is supporting", "Say it in every record, or in none"
            raise rights.bad("the file", unsupported[0], field="is_supporting", wrong=wrong, fix=fix)
        return {name: value for name, value in figures.items() if not (unsupported and "support" in name)}


@dataclass(frozen=True, slots=True)
class _Gold:
    item_id: str
    answers: tuple[str, ...]
    support: tuple[int, ...] | None  # None: the file does not say
    answerable: bool


@dataclass(slots=True)
class _Group:
    """The questions of one id: gold and predicted answerability, and the scores of the answerable one."""

    right: list[bool] = field(default_factory=list)
    called: list[bool] = field(default_factory=list)
    earned: tuple[float, float] | None = None  # answer F1, support F1

    def counted(self) -> tuple[float, float]:
        return self.earned if self.earned and self.right == self.called else (0.0, 0.0)


def _matched(rights: Source, guesses: Source) -> Iterator[tuple[_Gold, Prediction]]:
    """Gold and prediction of each line. Refuses files of different lengths or in a different order."""
    for right, guess in zip_longest(_golds(rights), _predictions(guesses)):
        if right is None or guess is None:
            longer = "more predictions than questions" if right is None else "fewer predictions than questions"
            place = guess[0] if guess else "the end"
            raise guesses.bad(place, "", field="record", wrong=longer, fix="Give one prediction a question, in order")
        place, predicted = guess
        if predicted.item_id != right.item_id:
            wrong = f"the question here is {right.item_id}"
            fix = "Write the predictions in the order of the gold file"
            raise guesses.bad(place, predicted.item_id, field="id", wrong=wrong, fix=fix)
        if right.answerable and predicted.answer is None:
            fix = 'Give a text ("" for no answer)'
            raise guesses.bad(place, right.item_id, field="predicted_answer", wrong="found null", fix=fix)
        yield right, predicted


def _golds(source: Source) -> Iterator[_Gold]:
    empty = True
    for place, record in source.objects():
        empty = False
        item_id = source.text(record, "id", place=place)
        # The answer to an unanswerable question is not scored.
        hidden = {"answer": ""} if record.get("answerable") is False else {}
        answer = source.text({**hidden, **record}, "answer", place=place, record_id=item_id)
        aliases = source.items({"answer_aliases": [], **record}, "answer_aliases", place=place, record_id=item_id)
        if not all(type(alias) is str for alias in aliases):
            fix = "Give a list of texts"
            raise source.bad(place, item_id, field="answer_aliases", wrong="one is not a text", fix=fix)
        support = _gold_support(source, record, place=place, record_id=item_id)
        answerable = _flag(source, record, "answerable", place=place, record_id=item_id)
        yield _Gold(item_id, (answer, *aliases), support, answerable)
    if empty:
        raise source.without_questions()


def _gold_support(source: Source, record: Mapping[str, Any], *, place: str, record_id: str) -> tuple[int, ...] | None:
    paragraphs = source.items(record, "paragraphs", place=place, record_id=record_id)
    for paragraph in paragraphs:
        if type(paragraph) is not dict or type(paragraph.get("idx")) is not int:
            wrong, fix = "a paragraph has no idx", "Number the paragraphs from 0 on"
            raise source.bad(place, record_id, field="paragraphs", wrong=wrong, fix=fix)
    if paragraphs and all(paragraph.get("is_supporting") is None for paragraph in paragraphs):
        return None
    return tuple(paragraph["idx"] for paragraph in paragraphs if paragraph.get("is_supporting"))


def _predictions(source: Source) -> Iterator[tuple[str, Prediction]]:
    """(place, prediction) of each line; all four keys must be there."""
    in_table = source.is_table
    for place, record in source.objects():
        item_id = source.text(record, "id", place=place)
        answer = None
        if record.get("predicted_answer", "") is not None:
            answer = source.text(record, "predicted_answer", place=place, record_id=item_id)
        marked = source.items(record, "predicted_support_idxs", place=place, record_id=item_id)
        support = tuple(_position(source, one, place=place, record_id=item_id) for one in marked)
        answerable = _flag(source, record, "predicted_answerable", place=place, record_id=item_id, in_table=in_table)
        yield place, Prediction(item_id, answer=answer, support=support, answerable=answerable)


def _position(source: Source, value: object, *, place: str, record_id: str) -> int:
    with suppress(ValueError):  # refused below
        number = int(value) if isinstance(value, bool | str) else whole_number(value)
        if number is not None:
            return number
    fix = "Give the idx of paragraphs as whole numbers"
    raise source.bad(place, record_id, field="predicted_support_idxs", wrong=kind(value), fix=fix)


def _flag(
    source: Source, record: Mapping[str, Any], key: str, *, place: str, record_id: str, in_table: bool = False
) -> bool:
    value = record.get(key)
    truth = truth_of(value) if in_table else value
    if truth in (True, False):
        return bool(truth)
    raise source.mistyped(record, key, place, record_id, "Give true or false")


def _check_pairs(groups: Mapping[str, _Group], rights: Source, guesses: Source) -> None:
    """In a file with unanswerable questions every id must have two questions, one of them answerable."""
    for item_id, group in groups.items():
        if len(group.right) != 2:
            wrong = f"the id stands {len(group.right)} times in a file with unanswerable questions"
            fix = "Give two predictions for each id, one for each question of the pair"
            raise guesses.bad("the file", item_id, field="id", wrong=wrong, fix=fix)
        if group.earned is None:
            wrong = "neither question of the pair is answerable"
            raise rights.bad("the file", item_id, field="answerable", wrong=wrong, fix="Mark one as answerable")


def _means(names: tuple[str, ...], rows: Collection[tuple[float, ...]]) -> Figures:
    """Added one after the other as the official script does, so that the third decimal is the same."""
    totals = [0.0] * len(names)
    for row in rows:
        totals = [total + score for total, score in zip(totals, row, strict=True)]
    return {
        name: round(total / len(rows) if rows else 0.0, _DECIMALS) for name, total in zip(names, totals, strict=True)
    }


SCORER = MuSiQue()
