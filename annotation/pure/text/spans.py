"""Finding and cutting answer spans. Offsets are Unicode code points, ends exclusive."""

import re
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from annotation.pure.text.normalization import answer_tokens, folded, is_mark, pattern


class Span(NamedTuple):
    paragraph: int
    start: int
    end: int


def cut(texts: Sequence[str], span: Span) -> str | None:
    """The text of a span, or None if the span is outside its paragraph or empty."""
    if not 0 <= span.paragraph < len(texts):
        return None
    text = texts[span.paragraph]
    return text[span.start : span.end] if 0 <= span.start < span.end <= len(text) else None


def locate(answer: str, texts: Sequence[str], *, first: Sequence[int] = ()) -> Span | None:
    """The first of `places`, or None."""
    return next(places(answer, texts, first=first), None)


def places(answer: str, texts: Sequence[str], *, first: Sequence[int] = ()) -> Iterator[Span]:
    """Every place of a typed answer: whole words as typed; if none, in another spelling; if none, parts of words.

    Paragraphs in `first` are searched before the others. White space may differ in kind and length; which spellings
    are the same says `normalization`. The answer page finds the same places while somebody types (static/js/places.js);
    tests/places.json has cases for both.
    """
    words = answer.split()
    if not words:
        return
    order = [*first, *(k for k in range(len(texts)) if k not in first)]
    found = False
    for paragraph in order:
        for place in _as_typed(words, texts[paragraph]):
            found = True
            yield Span(paragraph, *place)
    wanted = pattern(answer)
    for whole in (True, False) if wanted else ():
        if found:
            return
        for paragraph in order:
            for place in _folded_places(wanted, texts[paragraph], whole=whole):
                found = True
                yield Span(paragraph, *place)


def _folded_places(wanted: str, text: str, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Where a pattern is in a text; no place begins or ends inside a character or before its accents."""
    plain, origins = folded(text)
    for match in re.finditer(rf"(?<!\w){wanted}(?!\w)" if whole else wanted, plain):
        start, end = match.span()
        if is_mark(plain[start]) or is_mark(plain[end : end + 1]):
            continue
        if whole and start and is_mark(plain[start - 1]):  # an accent is part of its word, though \w does not match it
            continue
        if origins is None:
            yield start, end
        elif origins[end] != origins[end - 1] and not (start and origins[start] == origins[start - 1]):
            yield origins[start], origins[end - 1] + 1


def locate_as_scored(answer: str, texts: Sequence[str], *, first: Sequence[int] = ()) -> Span | None:
    """Locate the answer, or words that the official scorers count as equal: "Ocean'S 11" for "Oceans 11"."""
    if span := locate(answer, texts, first=first):
        return span
    wanted = answer_tokens(answer)
    for paragraph in [*first, *(k for k in range(len(texts)) if k not in first)]:
        if wanted and (place := _as_scored(wanted, texts[paragraph])):
            return Span(paragraph, *place)
    return None


def _as_scored(wanted: Sequence[str], text: str) -> tuple[int, int] | None:
    """The first whole words of the text that normalise to the wanted tokens, without the punctuation around them."""
    words = [(word, match) for match in re.finditer(r"\S+", text) for word in answer_tokens(match[0])]
    for at in range(len(words) - len(wanted) + 1):
        if all(words[at + k][0] == word for k, word in enumerate(wanted)):
            start, end = words[at][1].start(), words[at + len(wanted) - 1][1].end()
            if answer_tokens(text[start:end]) == list(wanted):
                piece = text[start:end].rstrip(string.punctuation)
                return end - len(text[start:end].lstrip(string.punctuation)), start + len(piece)
    return None


def _as_typed(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Find the words as consecutive whole words, case-sensitively, without compiling a pattern."""
    start = text.find(words[0])
    while start >= 0:
        end = _end_of(words, text, start)
        after = "" if end is None else text[end : end + 1]
        if end is not None and not _in_word(after) and not (start and _in_word(text[start - 1])):
            yield start, end
            start = text.find(words[0], end)
        else:
            start = text.find(words[0], start + 1)


def _end_of(words: Sequence[str], text: str, start: int) -> int | None:
    """The end of the words that begin at `start`, with white space between them."""
    end = start + len(words[0])
    for word in words[1:]:
        gap = end
        while text[end : end + 1].isspace():
            end += 1
        if end == gap or not text.startswith(word, end):
            return None
        end += len(word)
    return end


def is_word(sign: str) -> bool:
    """Whether a regular expression's \\w matches the character ("" at the end of a text is none)."""
    return sign.isalnum() or sign == "_"


def _in_word(sign: str) -> bool:
    """Whether a word goes on in a neighbouring character: a letter, a digit, or an accent of the letter before."""
    return is_word(sign) or (sign > "~" and is_mark(sign))


def mentions(answer: str, text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every occurrence of an answer in a text, as whole words in any spelling."""
    if wanted := pattern(answer):
        yield from _folded_places(wanted, text, whole=True)
