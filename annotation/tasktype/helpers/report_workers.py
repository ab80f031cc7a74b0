"""How much the figures of a report on labels depend on single workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from annotation.pure.reports.people_tables import responses_each
from annotation.pure.statistics.worker_intervals import Unit, whom
from annotation.tasktype import JSON, Judged

H = TypeVar("H")
Value = Callable[[Sequence[Judged]], float | None]


def workers_of(rows: Iterable[Judged]) -> int:
    """The number of workers with responses that count."""
    return len({given.worker for row in rows if not row.excluded for given in row.given})


def responses_of(rows: Iterable[Judged]) -> list[int]:
    """The number of responses that count, by item."""
    return [len(row.given) for row in rows if row.given and not row.excluded]


def about(rows: Sequence[Judged], *, intervals: bool = True) -> list[JSON]:
    """A paragraph on all figures: responses per item, and for whom the intervals hold."""
    numbers = responses_of(rows)
    cells = [responses_each(numbers)] if numbers else []
    cells += [whom(workers_of(rows))] if numbers and intervals else []
    return [{"message": cell["text"], "values": cell["values"]} for cell in cells]


def question_of(row: Judged) -> tuple[str, str]:
    """What rows of one question share: the dataset and the group, or the item alone."""
    return row.dataset, row.example.group or row.example.id


def by_question(rows: Iterable[Judged]) -> list[list[Judged]]:
    """The rows by question, in order of first appearance."""
    found: dict[tuple[str, str], list[Judged]] = {}
    for row in rows:
        found.setdefault(question_of(row), []).append(row)
    return list(found.values())


def units(groups: Iterable[Sequence[Judged]], value: Value) -> Iterator[Unit]:
    """The value of each group of rows, and its value without each worker (None: it would not count)."""
    for rows in groups:
        workers = dict.fromkeys(given.worker for row in rows for given in row.given)
        yield Unit(value(rows), {worker: value(_without(rows, worker)) for worker in workers})


def _without(rows: Sequence[Judged], worker: str) -> list[Judged]:
    return [replace(row, given=tuple(one for one in row.given if one.worker != worker)) for row in rows]


def alone(value: Callable[[Judged], float | None]) -> Value:
    """The value of a group of a single row; None without responses."""
    return lambda rows: value(rows[0]) if rows[0].given else None


def label_units(labels: Iterable[Mapping[str, H]], value: Callable[[Sequence[H]], float]) -> Iterator[Unit]:
    """The value of labels by worker, and without each worker; without labels a unit does not count."""
    for said in labels:
        others = {worker: [x for name, x in said.items() if name != worker] for worker in said}
        yield Unit(value(list(said.values())), {w: value(rest) if rest else None for w, rest in others.items()})
