"""Predictions of a model for a rubric: read from a table's columns, and several runs combined into one."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.ratings.responses import is_empty, rows_of
from annotation.pure.ratings.rubric import NUMBER, SCALE, Criterion
from annotation.pure.statistics.agreement import most_frequent


def of_columns(payload: JSON, rows: Sequence[Mapping[str, Any]]) -> JSON:
    """The response that rows of a table hold in columns named as the criteria; `element` is a position from 0.

    Of a criterion with `each` every row has the value of its element, of any other one row has it. Raises ValueError.
    """
    found: JSON = {}
    for criterion in payload["criteria"]:
        name, size = criterion["name"], rows_of(payload, criterion)
        given = [(row, row[name]) for row in rows if not is_empty(row.get(name))]
        if size is None:
            if len({str(value) for _row, value in given}) > 1:
                raise ValueError(f"{name} has different values in the rows of one item")
            found[name] = given[0][1] if given else None
            continue
        found[name] = [None] * size
        for row, value in given:
            found[name][_element(row, size)] = value
    return found


def _element(row: Mapping[str, Any], size: int) -> int:
    text = str(row.get("element", ""))
    if not (text.isascii() and text.isdigit() and int(text) < size):
        raise ValueError(f"element must be a position from 0 to {size - 1}, not {text!r}")
    return int(text)


def combined(criteria: Sequence[Criterion], answers: Sequence[JSON]) -> tuple[JSON, float]:
    """The runs' values by criterion and element, and how large a share of runs gave the most frequent, on average.

    Scales and numbers: the mean; else the most frequent value, of several the first given. A value that less than
    half of the runs have is None.
    """
    found, shares = {}, []
    for criterion in criteria:
        values = [answer.get(criterion.name) for answer in answers]
        if criterion.each:
            size = max(len(value or ()) for value in values)
            cells = [_one(criterion, [value[k] for value in values if value]) for k in range(size)]
            found[criterion.name] = [value for value, _share in cells]
        else:
            cells = [_one(criterion, values)]
            found[criterion.name] = cells[0][0]
        shares += [share for value, share in cells if value is not None]
    return found, sum(shares) / len(shares) if shares else 1.0


def _one(criterion: Criterion, values: Sequence[Any]) -> tuple[Any, float]:
    given = [value for value in values if value is not None]
    if 2 * len(given) < len(values) or not given:
        return None, 1.0
    value, share = most_frequent(given, repr)
    return sum(given) / len(given) if criterion.kind in (SCALE, NUMBER) else value, share
