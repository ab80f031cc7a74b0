"""Guess a file's format from its first record."""

from pathlib import Path

from annotation.formats.base import Headed, Named, Unreadable
from annotation.formats.looks import known_formats, look_of
from annotation.formats.streams import head, opened, rows
from annotation.formats.tables import any_rows, is_csv


def guess(path: Path, *, file_name: str = "") -> str:
    """The name of the file's format; "" if it is ambiguous."""
    plain = file_name.lower().removesuffix(".gz")
    for name, each in known_formats().items():
        if isinstance(each, Named) and plain.endswith(each.endings):
            return name
    try:
        first = next(rows(path), None)
    except Unreadable:
        return _by_its_head(path)
    if first is not None and first.value is None:
        return _by_its_head(path)
    return look_of(first.value, "") if first is not None else ""


def garbled(path: Path) -> str:
    """The reason why a file's first record is not JSON, JSON lines, Parquet or a table of several columns, or ""."""
    try:
        first = next(any_rows(path), None)
    except Unreadable as failure:
        return failure.flaw.wrong
    if first is None:
        return "it has no records"
    if isinstance(first.value, dict) and len(first.value) == 1 and is_csv(path):
        return "it is no table of several columns"
    return first.faults[0].wrong if first.value is None and first.faults else ""


def _by_its_head(path: Path) -> str:
    """The name of the format that a file's first bytes suggest, for those that are no list of records; else ""."""
    try:
        with opened(path) as stream:
            start = head(stream)
        headed = {name: each for name, each in known_formats().items() if isinstance(each, Headed)}
        return next((name for name, each in headed.items() if each.begins(start)), "")
    except Unreadable:
        return ""
