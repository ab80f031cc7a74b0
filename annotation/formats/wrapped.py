"""The records inside one object, as programs wrap them: `{"data": [...]}`, and pandas' layouts of a whole table."""

from collections.abc import Sequence
from typing import Any

_LISTS = ("data", "rows", "records", "examples", "items", "instances", "results")


def records_in(value: Any) -> Sequence[Any] | None:
    """The records that an object holds; None if it is a record itself."""
    if not isinstance(value, dict):
        return None
    for name in _LISTS:
        members = value.get(name)
        if not isinstance(members, list) or not members:
            continue
        if all(isinstance(each, dict) for each in members):
            inner = [each.get("row") for each in members]  # as the Hub's server of rows has them
            return inner if all(isinstance(each, dict) for each in inner) else members
        columns = value.get("columns")
        if isinstance(columns, list) and all(isinstance(each, list) and len(each) == len(columns) for each in members):
            return [dict(zip(map(str, columns), each, strict=True)) for each in members]
    return _turned(value)


def _turned(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The rows of an object of objects, of which one level numbers or names the rows."""
    inner = list(value.values())
    if len(inner) < 2 or not all(isinstance(each, dict) and each for each in inner):
        return None
    if all(key.isdecimal() for key in value):
        return inner
    if all("question" in each for each in inner):  # questions by their ids
        return [{"id": key, **each} for key, each in value.items()]
    numbers = list(inner[0])
    if all(number.isdecimal() for number in numbers) and all(list(each) == numbers for each in inner):
        return [{column: each[number] for column, each in value.items()} for number in numbers]
    return None
