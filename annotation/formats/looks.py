"""Tells from a record which format it is in, so that a file read in the wrong one is recognised."""

from __future__ import annotations

from typing import Any


def look_of(record: object, wanted: str) -> str:
    """The name of the format that a record plainly has; "" where that is unclear or could be `wanted`."""
    if not isinstance(record, dict):
        return ""
    looks = [name for name, has in _LOOKS.items() if has(record)]
    return "" if wanted in looks or not looks else looks[0]


def _paragraph_key(record: dict[str, Any]) -> set[str]:
    paragraphs = record.get("paragraphs")
    first = paragraphs[0] if isinstance(paragraphs, list) and paragraphs else None
    return set(first) if isinstance(first, dict) else set()


def _musique(record: dict[str, Any]) -> bool:
    return "paragraph_text" in _paragraph_key(record) or "question_decomposition" in record


def _jsonl(record: dict[str, Any]) -> bool:
    return bool({"text", "sentences"} & _paragraph_key(record)) and "question" in record


def _squad(record: dict[str, Any]) -> bool:
    articles = record.get("data")
    return isinstance(articles, list) or "qas" in _paragraph_key(record)


def _race(record: dict[str, Any]) -> bool:
    return {"article", "options"} <= set(record) and bool({"questions", "question"} & set(record))


def _hotpotqa(record: dict[str, Any]) -> bool:
    return isinstance(record.get("context"), list | dict) and "question" in record


def _twowiki(record: dict[str, Any]) -> bool:
    return _hotpotqa(record) and "evidences" in record


def _dire(record: dict[str, Any]) -> bool:
    return _hotpotqa(record) and "sufficiency" in record


def _disconnection(record: dict[str, Any]) -> bool:
    return set(record) == {"id", "fold", "question", "paragraphs"}


_LOOKS = {
    "disconnection": _disconnection,
    "2wikimultihopqa": _twowiki,
    "dire": _dire,
    "hotpotqa": _hotpotqa,
    "musique": _musique,
    "squad": _squad,
    "race": _race,
    "jsonl": _jsonl,
}
