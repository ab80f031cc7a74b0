"""Figures in reports by their paths, such as `datasets.dev.answer.human_score.f1` or `tables.labels.0.3`.

A step is a key, a table's name, or a row or column by its position from 0. Where a report of other items lacks some
rows, a `steady` path still finds the same row, by its words.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.pure.reports.tables import is_number

Words = tuple[str, int]  # of a table's row: its text before the first number, and which of those with this text it is
Step = str | Words


def at(report: Any, path: str | Sequence[Step]) -> Any:
    """What stands at the path; None if nothing does."""
    found = report
    for step in path.split(".") if isinstance(path, str) else path:
        found = _step(found, step)
    return found


def steady(report: Any, path: str) -> list[Step]:
    """The path with the words of tables' rows for their positions."""
    steps: list[Step] = []
    found = report
    for step in path.split("."):
        rows = _rows(found)
        if step.isdigit() and int(step) < len(rows):
            words = _words(rows[int(step)])
            steps.append((words, [_words(row) for row in rows[: int(step)]].count(words)))
        else:
            steps.append(step)
        found = _step(found, step)
    return steps


def _step(value: Any, step: Step) -> Any:
    if isinstance(step, tuple):
        alike = [row for row in _rows(value) if _words(row) == step[0]]
        return alike[step[1]] if step[1] < len(alike) else None
    if isinstance(value, Mapping):
        rows = _rows(value)
        return rows[int(step)] if step.isdigit() and int(step) < len(rows) else value.get(step)
    if isinstance(value, list):
        if step.isdigit():
            return value[int(step)] if int(step) < len(value) else None
        return next((one for one in value if isinstance(one, Mapping) and one.get("name") == step), None)
    return None


def _rows(value: Any) -> list[Any]:
    return value.get("rows", []) if isinstance(value, Mapping) and "columns" in value else []


def _words(row: Sequence[Any]) -> str:
    first = next((place for place, cell in enumerate(row) if is_number(cell)), len(row))
    return repr(list(row[: max(1, first)]))
