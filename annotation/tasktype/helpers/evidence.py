"""Words that a decision on two paragraphs rests on.

Each span is {"paragraph", "start", "end"} with the payload's positions, in code points.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from annotation.tasktype import JSON
from annotation.tasktype.helpers.answering import position_of

KEYS = ("paragraph", "start", "end")
_SPAN = re.compile(r"([01]):([0-9]{1,9}):([0-9]{1,9})", re.ASCII)


def are_spans(given: Any, paragraphs: Sequence[JSON]) -> bool:
    """Whether `given` is a list of spans of the paragraphs, in order and without overlaps."""
    if not isinstance(given, list) or not all(isinstance(span, dict) and set(span) == set(KEYS) for span in given):
        return False
    spans = [tuple(span[key] for key in KEYS) for span in given]
    if any(type(value) is not int for span in spans for value in span):
        return False
    if not all(p in (0, 1) and 0 <= start < end <= len(paragraphs[p]["text"]) for p, start, end in spans):
        return False
    return all(one[0] < other[0] or one[2] <= other[1] for one, other in pairwise(spans))


def by_position(given: Any, titles: Sequence[str]) -> Any:
    """The spans with paragraph positions in place of titles; invalid values stay, for `are_spans` to refuse."""
    if not isinstance(given, list) or not all(isinstance(span, dict) for span in given):
        return given
    named = [span for span in given if isinstance(span.get("paragraph"), str)]
    placed = {id(span): position_of(span["paragraph"], titles, "evidence") for span in named}
    return [{**span, "paragraph": placed.get(id(span), span.get("paragraph"))} for span in given]


def words_of(given: Sequence[JSON], paragraphs: Sequence[JSON]) -> list[str]:
    return [paragraphs[span["paragraph"]]["text"][span["start"] : span["end"]] for span in given]


def parsed(posted: str, order: Sequence[int]) -> list[JSON]:
    """Parse posted spans ("0:4:9 1:0:3", paragraphs as shown) into stored ones; invalid spans are left out."""
    marks = [tuple(map(int, match.groups())) for part in posted.split() if (match := _SPAN.fullmatch(part))]
    spans = sorted({(order[shown], start, end) for shown, start, end in marks})
    return [dict(zip(KEYS, span, strict=True)) for span in spans]


def posted(given: Sequence[JSON], order: Sequence[int]) -> str:
    """Stored spans in the form that the page posts."""
    shown = sorted((order.index(span["paragraph"]), span["start"], span["end"]) for span in given)
    return " ".join(":".join(map(str, span)) for span in shown)
