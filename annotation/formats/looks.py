"""Recognise a record's format, to detect files read in the wrong one."""

from typing import Any

from annotation.formats.base import Format, Recognised


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
