"""Finding and cutting answer spans. Offsets are Unicode code points, ends exclusive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    paragraph: int
    start: int
    end: int


def cut(texts: Sequence[str], span: Span) -> str | None:
    """The text of a span, or None where the span lies outside its paragraph or is empty."""
    if not 0 <= span.paragraph < len(texts):
        return None
    text = texts[span.paragraph]
    return text[span.start : span.end] if 0 <= span.start < span.end <= len(text) else None


def locate(answer: str, texts: Sequence[str], *, first: Sequence[int] = ()) -> Span | None:
    """Where a typed answer stands: as typed before in other case, whole words before parts of words.

    Paragraphs in `first` are looked through before the others. White space may differ in kind and length.
    """
    words = answer.split()
    if not words:
        return None
    plain = r"\s+".join(map(re.escape, words))
    order = [*first, *(k for k in range(len(texts)) if k not in first)]
    for pattern, flags in ((rf"(?<!\w){plain}(?!\w)", 0), (rf"(?<!\w){plain}(?!\w)", re.I), (plain, re.I)):
        for paragraph in order:
            if found := re.search(pattern, texts[paragraph], flags):
                return Span(paragraph, found.start(), found.end())
    return None


def mentions(answer: str, text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every occurrence of an answer in a text, as whole words, in any case."""
    words = answer.split()
    if words:
        pattern = r"\s+".join(map(re.escape, words))
        for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.I):
            yield found.start(), found.end()
