"""Guess a file's format from its first record."""

from pathlib import Path

from annotation.formats.base import Headed, Named, Unreadable
from annotation.formats.looks import known_formats, look_of
from annotation.formats.streams import head, opened, rows, single_or_rows


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
    return look_of(first.value, "") if first is not None else ""


def garbled(path: Path) -> str:
    """The reason why a file's first record is not JSON, JSON lines or Parquet, or ""."""
    try:
        first = next(single_or_rows(path), None)
    except Unreadable as failure:
        return failure.flaw.wrong
    return first.faults[0].wrong if first is not None and first.value is None and first.faults else ""


def _by_its_head(path: Path) -> str:
    """The name of the format that a file's first bytes suggest, for files of one object over many lines; else ""."""
    try:
        with opened(path) as stream:
            start = head(stream)
    except Unreadable:
        return ""
    return next((name for name, each in known_formats().items() if isinstance(each, Headed) and each.begins(start)), "")
