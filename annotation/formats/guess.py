"""Guess a file's format from its first records; recognise a record read in the wrong one."""

from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats.base import Format, Headed, Named, Recognised, Tabular, Unreadable
from annotation.formats.cells import is_table
from annotation.formats.streams import head, opened, rows
from annotation.formats.tables import any_rows, header_of
from annotation.pure.data.column_mapping import is_asking


def known_formats() -> dict[str, Format]:
    from annotation.formats import FORMATS  # only once it is made: its modules import this one

    return FORMATS


def look_of(record: object, wanted: str) -> str:
    """The name of the record's format; "" if it is ambiguous or could be `wanted`."""
    if not isinstance(record, dict):
        return ""
    known = {name: each.looks(record) for name, each in known_formats().items() if isinstance(each, Recognised)}
    looks = {name: sure for name, sure in known.items() if sure}
    return "" if wanted in looks or not looks else max(looks, key=lambda name: looks[name])


def keys_of_paragraphs(record: dict[str, Any]) -> set[str]:
    """The fields of a record's first paragraph, or of the object of lists that holds its paragraphs."""
    paragraphs = record.get("paragraphs")
    if isinstance(paragraphs, dict):
        return set(paragraphs)
    first = paragraphs[0] if isinstance(paragraphs, list) and paragraphs else None
    return set(first) if isinstance(first, dict) else set()


_LOOKED_AT = 20  # records, of which the first may be broken


def guess(path: Path, *, file_name: str = "") -> str:
    """The name of the file's format; "" if it is ambiguous."""
    plain = file_name.lower().removesuffix(".gz")
    for name, each in known_formats().items():
        if isinstance(each, Named) and plain.endswith(each.endings):
            return name
    try:
        if is_table(path):
            columns = header_of(path)
            tables = ((name, each) for name, each in known_formats().items() if isinstance(each, Tabular))
            return next((name for name, each in tables if each.heads(columns)), "")
        decoded = [row.value for row in islice(rows(path), _LOOKED_AT) if row.value is not None]
    except Unreadable:
        decoded = []
    if not decoded:
        return _by_its_head(path)
    return next((look for value in decoded if (look := look_of(value, ""))), "")


def garbled(path: Path) -> str:
    """The reason why a file has no record that is an object of JSON or a line of a table, with the fix, or ""."""
    try:
        sample = list(islice(any_rows(path), _LOOKED_AT))
        if not sample:
            return "it has no records. Give a file with at least one"
        single = [value for row in sample if isinstance(row.value, dict) for value in row.value.values()]
        if len(single) == len(sample) and not is_asking(single) and is_table(path):
            return "it is no table of several columns. Give a table with a line of names, JSON, JSON Lines or Parquet"
    except Unreadable as failure:
        where = "" if failure.flaw.place == "the file" else f"{failure.flaw.place}: "
        return f"{where}{failure.flaw.wrong}. {failure.flaw.fix}"
    error = sample[0].error if all(row.value is None for row in sample) else None
    return f"{sample[0].place}: {error.wrong}. {error.fix}" if error else ""


def _by_its_head(path: Path) -> str:
    """The name of the format that a file's first bytes suggest, for those that are one object; else ""."""
    try:
        with opened(path) as stream:
            start = head(stream)
    except Unreadable:
        return ""
    headed = {name: each for name, each in known_formats().items() if isinstance(each, Headed)}
    return next((name for name, each in headed.items() if each.begins(start)), "")
