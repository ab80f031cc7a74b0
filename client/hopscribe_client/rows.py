"""Rows of a list: iterated as they are loaded, or as a frame of pandas, polars or Hugging Face's datasets."""

import json
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from hopscribe_client.connection import JSON, HopscribeError

SCALARS = (str, int, float, bool)


class Rows:
    """An iterable of rows; each iteration loads them anew, page by page."""

    def __init__(self, fetch: Callable[[], Iterable[JSON]], name: str = "rows") -> None:
        self._fetch, self._name = fetch, name

    def __repr__(self) -> str:
        return f"<Rows: {self._name}; iterate, .to_list(), .to_pandas(), .to_polars(), .to_dataset()>"

    def __iter__(self) -> Iterator[JSON]:
        return iter(self._fetch())

    def to_list(self) -> list[JSON]:
        return list(self)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame; nested objects become columns (`answer.text`), lists stay lists."""
        return _extra("pandas", "to_pandas").DataFrame(_columns(self))

    def to_polars(self) -> Any:
        """A polars.DataFrame with the same columns; nested lists and lists of mixed types become JSON text."""
        columns = {name: _even(values) for name, values in _columns(self).items()}
        return _extra("polars", "to_polars").DataFrame(columns, strict=False)

    def to_dataset(self) -> Any:
        """A datasets.Dataset with the columns of `to_polars`."""
        columns = {name: _even(values) for name, values in _columns(self).items()}
        return _extra("datasets", "to_dataset").Dataset.from_dict(columns)


def _extra(name: str, method: str) -> Any:
    try:
        return import_module(name)
    except ImportError as missing:
        message = f"{method}() needs the package {name}, which is not installed: pip install 'hopscribe[client]'"
        raise HopscribeError(message) from missing


def _columns(rows: Iterable[JSON]) -> dict[str, list[Any]]:
    """Every column of any row, None where a row does not have it."""
    found: dict[str, list[Any]] = {}
    for count, row in enumerate(rows, start=1):
        for name, value in dict(_flat(row)).items():
            found.setdefault(name, [None] * (count - 1)).append(value)
        for values in found.values():
            values.extend([None] * (count - len(values)))
    return found


def _flat(row: JSON) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict) and value:
            yield from ((f"{name}.{inner}", own) for inner, own in value.items())
        else:
            yield name, value


def _even(values: list[Any]) -> list[Any]:
    """The values if they have one type; else each as JSON text, because typed columns cannot mix types."""
    kinds = {_kind(value) for value in values} - {""}
    if len(kinds) <= 1 and "other" not in kinds:
        return values
    if kinds <= {"int", "float"}:
        return [None if value is None else float(value) for value in values]
    return [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]


def _kind(value: Any) -> str:
    """The type of a value for its column; "" if it fits any."""
    if value is None:
        return ""
    if isinstance(value, SCALARS):
        return type(value).__name__
    if isinstance(value, list):
        inner = {_kind(one) for one in value}
        if not inner:
            return ""
        return f"list of {inner.pop()}" if len(inner) == 1 and "" not in inner else "other"
    return "other"
