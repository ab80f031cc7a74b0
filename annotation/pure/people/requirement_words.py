"""Requirements as a person writes them in one line: `Round 2 >= 80`, `country in US-CA, DE`, `not Seen it`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from annotation.pure.people.requirements import Locale, Requirement

SIGNS: Final = {
    ">=": "GreaterThanOrEqualTo",
    "<=": "LessThanOrEqualTo",
    "!=": "NotEqualTo",
    "==": "EqualTo",
    ">": "GreaterThan",
    "<": "LessThan",
    "=": "EqualTo",
    "not in": "NotIn",
    "in": "In",
}
COMPARED = re.compile(r"([^<>=]+?)\s*(?:(>=|<=|!=|==|>|<|=)|\s(not in|in)\s)\s*([^<>=!]+)")
NOT_HELD = re.compile(r"not\s+(.+)")


def read_phrase(text: str) -> tuple[str, str, tuple[str, ...]]:
    """(the name of a qualification, MTurk's comparator, the values as words); a name alone: it is held.

    Raises ValueError where it reads as none of these.
    """
    phrase = " ".join(text.split())
    if found := COMPARED.fullmatch(phrase):
        name, sign, word, values = found.groups()
        return name.strip(), SIGNS[sign or word], words_of(values)
    if re.search(r"[<>=]", phrase) or not phrase:
        raise ValueError(f"{text!r}: write NAME>=80, NAME in 1,2, NAME, or not NAME")
    if found := NOT_HELD.fullmatch(phrase):
        return found[1], "DoesNotExist", ()
    return phrase, "Exists", ()


def words_of(text: str) -> tuple[str, ...]:
    """What stands between commas, semicolons or spaces."""
    return tuple(word for word in re.split(r"[\s,;]+", text) if word)


def read_values(words: Sequence[str], *, places: bool) -> tuple[tuple[int, ...], tuple[Locale, ...]]:
    """Whole numbers, or places such as US or US-CA. Raises ValueError for a word that is no number."""
    if places:
        parts = (word.upper().partition("-") for word in words)
        return (), tuple(Locale(country, subdivision) for country, _hyphen, subdivision in parts)
    return tuple(int(word) for word in words), ()


def written(one: Requirement) -> str:
    """The values of a requirement as `read_values` reads them, with commas."""
    places = (f"{at.country}-{at.subdivision}" if at.subdivision else at.country for at in one.locales)
    return ", ".join([*map(str, one.values), *places])
