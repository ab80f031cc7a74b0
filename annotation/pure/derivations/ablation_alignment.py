"""The tokens of an original text and where each stands in its ablated one (Sugawara et al. 2020, Table 2).

Ablations that shuffle cannot be aligned: which of two equal words is which is not known.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.pure.derivations.ablation_text import UNKNOWN, Token, passage
from annotation.pure.text.tagging import is_sign

ANONYMOUS, DUMMY_NUMERICS = 4, 9
_TAG = re.compile(r"@[a-z]+\d+(?: \[[^\]\s]+\])?")
_TWO_DIGITS = re.compile(r"\d\d")
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A token of the original, its place in the ablated text, and whether it still reads the same there (`kept`)."""

    token: Token
    start: int
    end: int
    kept: bool


def aligned(original: str, ablated: str, number: int) -> list[Aligned] | None:
    """Every token of the original in order; None if the other text is not its ablation of that number."""
    found: list[Aligned] = []
    at = before = 0
    for token in passage(original).tokens:
        gap = original[before : token.start]
        at += len(gap) if ablated.startswith(gap, at) else 0
        at += len(ablated) - at - len(ablated[at:].lstrip())
        end = _end(ablated, at, token.text, number)
        if end is None:
            return None
        found.append(Aligned(token, at, end, ablated[at:end] == token.text))
        at, before = end, token.end
    return found if ablated[at:].strip() == original[before:].strip() else None


def _end(ablated: str, at: int, word: str, number: int) -> int | None:
    """The end of what stands at `at` for a word; None if neither the word nor a replacement does."""
    if number == ANONYMOUS:
        tag = _TAG.match(ablated, at)
        return tag.end() if tag else None
    if number != DUMMY_NUMERICS and ablated.startswith(UNKNOWN, at):
        return at + len(UNKNOWN)
    if ablated.startswith(word, at):
        return at + len(word)
    return _end_of_number(ablated, at, word) if number == DUMMY_NUMERICS else None


def _end_of_number(ablated: str, at: int, word: str) -> int | None:
    pattern = re.compile(r"\d".join(map(re.escape, _DIGIT.split(word)))) if _DIGIT.search(word) else _TWO_DIGITS
    number = pattern.match(ablated, at)
    return number.end() if number else None


def parts_of_contractions(tokens: Sequence[Token]) -> frozenset[int]:
    """The starts of words that touch another word, such as both parts of "don't" and of "Ada's"."""
    touching = [
        (one, other)
        for one, other in pairwise(tokens)
        if one.end == other.start and not is_sign(one.text) and not is_sign(other.text)
    ]
    return frozenset(token.start for pair in touching for token in pair)
