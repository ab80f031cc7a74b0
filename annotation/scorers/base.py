"""The base classes of evaluations: official predictions in, official figures out.

One module a format, with `SCORER = Name()` on its last line; `EVALUATORS` in `annotation.scorers` finds them.
Gold is read like in the official scripts, not through Examples, so that details lost by an import (a fact outside
the context) cannot change a figure. A file that cannot be scored is refused with the place, the field and the fix;
nothing is guessed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from annotation.formats.base import Flaw, Unreadable
from annotation.formats.cells import is_table
from annotation.formats.storable import shown
from annotation.formats.streams import Row, opened, rows
from annotation.formats.tables import any_rows
from annotation.pure.text.whole_numbers import whole_number

Figures = dict[str, float]
Fact = tuple[str, int]  # title and number of a sentence


_IDS = ("id", "_id", "question_id", "qid")
_ANSWERS = ("answer", "predicted_answer", "prediction", "prediction_text")


class BadRecords(ValueError):
    """A file that cannot be scored; `flaw` says where, and how to fix it."""

    def __init__(self, path: Path, flaw: Flaw) -> None:
        super().__init__(f"{path.name}: {flaw}")
        self.path = path
        self.flaw = flaw


class BadPredictions(BadRecords):
    """The prediction file cannot be scored."""


class BadGold(BadRecords):
    """The gold file cannot be scored."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's prediction for one item; None for parts that it does not predict.

    `occurrence` counts the uses of an id from 0 (MuSiQue-Full has two), unless `number` is the `sub_idx` of the item
    (DiRe). The support is in the file's own terms: `support` holds paragraph positions, `titles` paragraphs' titles,
    `facts` (title, sentence) pairs.
    """

    item_id: str
    occurrence: int = 0
    answer: str | None = None
    support: tuple[int, ...] | None = None
    facts: tuple[tuple[str, int], ...] | None = None
    answerable: bool | None = None
    confidence: float | None = None
    caseless: bool = False
    number: int | None = None
    titles: tuple[str, ...] | None = None


class Evaluator(Protocol):
    """An official evaluation."""

    @property
    def name(self) -> str:
        """The format's name, as for `--format`."""

    @property
    def options(self) -> tuple[str, ...]:
        """The keyword arguments that `evaluate` takes besides the two files."""

    def evaluate(self, gold: Path, predictions: Path) -> Mapping[str, Any]:
        """The official keys in the official order and rounding. Raises BadGold, BadPredictions."""


@runtime_checkable
class Reader(Protocol):
    """An evaluation whose predictions can be read into a batch."""

    def read_predictions(self, path: Path) -> Iterator[Prediction]:
        """The predictions of an official file, in its order. Raises BadPredictions, also midway."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file being read, with the error class to raise for its flaws."""

    path: Path
    error: type[BadRecords]

    def bad(self, place: str, record_id: str, *, field: str, wrong: str, fix: str) -> BadRecords:
        """The error to raise for one thing wrong."""
        return self.error(self.path, Flaw("error", place, shown(record_id), field, wrong, fix))

    def objects(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """(place, record) of each record of a JSON array, of JSON lines, of Parquet or of a table.

        Cells of a table that hold lists are decoded.
        """
        with self._reading():
            if self.is_table:
                for row in any_rows(self.path):
                    yield row.place, {key: _of_cell(value) for key, value in self._object(row).items()}
                return
            for row in rows(self.path):
                yield row.place, self._object(row)

    @property
    def is_table(self) -> bool:
        """Whether the file is CSV or Excel."""
        return self.path.is_file() and is_table(self.path)

    def document(self) -> dict[str, Any]:
        """The file's content, one JSON object; of a table, an array or JSON lines the answers by their ids."""
        with self._reading():
            if self.is_table:
                return dict(self._answers())
        with self._reading(), opened(self.path) as stream:
            try:
                content = json.loads(stream.read().decode("utf-8-sig"))
            except json.JSONDecodeError as error:
                if error.msg == "Extra data":  # several objects
                    return dict(self._answers())
                place, wrong = f"line {error.lineno}", f"not JSON: {error.msg} in column {error.colno}"
                raise self.bad(place, "", field="JSON", wrong=wrong, fix="Repair or fetch it again") from error
            except (UnicodeDecodeError, RecursionError) as error:
                fix = "Save it as UTF-8 JSON"
                raise self.bad("the file", "", field="content", wrong=shown(error), fix=fix) from error
        if type(content) is list and content and all(type(each) is dict for each in content):
            return dict(self._answers())
        if type(content) is not dict:
            raise self.bad("the file", "", field="content", wrong=kind(content), fix="Give one JSON object")
        return content

    def text(self, record: Mapping[str, Any], key: str, *, place: str, record_id: str = "") -> str:
        """A required text field."""
        value = record.get(key)
        if type(value) is str:
            return value
        raise self.mistyped(record, key, place, record_id, "Give a text")

    def items(self, record: Mapping[str, Any], key: str, *, place: str, record_id: str = "") -> list[Any]:
        """A required list field."""
        value = record.get(key)
        if type(value) is list:
            return value
        raise self.mistyped(record, key, place, record_id, "Give a list")

    def mistyped(self, record: Mapping[str, Any], key: str, place: str, record_id: str, fix: str) -> BadRecords:
        """The error to raise for a field that is missing or of another type."""
        wrong = kind(record[key]) if key in record else "the field is missing"
        return self.bad(place, record_id, field=key, wrong=wrong, fix=fix)

    def without_questions(self) -> BadRecords:
        """The error to raise for a file without any record."""
        return self.bad("the file", "", field="content", wrong="it has no questions", fix="Give some")

    def _answers(self) -> Iterator[tuple[str, str]]:
        for place, record in self.objects():
            names = [next((name for name in known if name in record), "") for known in (_IDS, _ANSWERS)]
            if "" in names:
                fix = f"Name the columns {_IDS[0]} and {_ANSWERS[0]}"
                raise self.bad(place, "", field="columns", wrong=f"found {', '.join(record)[:200]}", fix=fix)
            yield str(record[names[0]]), str(record[names[1]])

    def _object(self, row: Row) -> dict[str, Any]:
        if type(row.value) is dict:
            return row.raw if type(row.raw) is dict else row.value
        fault = row.error
        if row.value is None and fault:
            raise self.bad(row.place, "", field=fault.field, wrong=fault.wrong, fix=fault.fix)
        raise self.bad(row.place, "", field="record", wrong=kind(row.value), fix="Give an object")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except Unreadable as error:
            raise self.error(self.path, error.flaw) from error


def _of_cell(text: str) -> Any:
    """The list that a cell holds as JSON; any other text as it is."""
    with suppress(ValueError, RecursionError):
        return json.loads(text) if text.startswith("[") else text
    return text


def gold_file(path: Path) -> Source:
    return Source(path, BadGold)


def predictions_file(path: Path) -> Source:
    return Source(path, BadPredictions)


def facts_in(pairs: Sequence[object]) -> list[Fact] | int:
    """The pairs as (title, number) tuples, or the position of the first invalid pair."""
    facts: list[Fact] = []
    for position, pair in enumerate(pairs):
        if (
            type(pair) is not list
            or len(pair) != 2
            or type(pair[0]) is not str
            or (number := whole_number(pair[1])) is None
        ):
            return position
        facts.append((pair[0], number))
    return facts


def percent(values: Sequence[float], places: int) -> float:
    """The mean of values between 0 and 1, in percent."""
    return round(100 * sum(values) / len(values), places)


def kind(value: object) -> str:
    """A value in words for a message: `found a list`, `found null`."""
    if value is None:
        return "found null"
    names = {bool: "true or false", dict: "an object", list: "a list", str: "a text"}
    return f"found {names.get(type(value), 'a number')}"
