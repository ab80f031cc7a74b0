"""Faults that are planted into compositions to see whether the checks find them. All chance comes from an `rng`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from random import Random

Form = Callable[[Random, str], str | None]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SMALL_WORDS = ["the", "a", "of", "in", "is", "did"]
ONE_SLIP, TWO_SLIPS = 5, 8  # letters of the shortest words that get one and two slips


def slipped(rng: Random, word: str) -> str:
    """The word with two neighbours swapped, a letter dropped, doubled or replaced; it may come out the same."""
    at = rng.randrange(len(word))
    kind = rng.choice(["swap", "drop", "double", "replace"])
    if kind == "swap":
        at = min(at, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    put = {"drop": "", "double": word[at] * 2, "replace": rng.choice(LETTERS)}[kind]
    return word[:at] + put + word[at + 1 :]


def misspelt(rng: Random, text: str, slips: int = 1) -> str | None:
    """The text with slips in one of its words that are long enough; None where there is none."""
    shortest = ONE_SLIP if slips == 1 else TWO_SLIPS
    places = [match for match in re.finditer(r"[^\W\d_]+", text) if len(match[0]) >= shortest]
    if not places:
        return None
    place = rng.choice(places)
    word = place[0]
    while word.lower() == place[0].lower():
        for _ in range(slips):
            word = slipped(rng, word)
    return text[: place.start()] + word + text[place.end() :]


def plural(rng: Random, text: str) -> str | None:
    if not text[-1:].isalpha():
        return None
    if re.search("(s|x|z|ch|sh)$", text):
        return f"{text}es"
    return f"{text[:-1]}ies" if re.search("[^aeiou]y$", text) else f"{text}s"


def possessive(rng: Random, text: str) -> str:
    return f"{text}'" if text.endswith("s") else text + rng.choice(["'s", "’s", " 's"])


def without_marks(rng: Random, text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def punctuated(rng: Random, text: str) -> str:
    """In quotes, with other signs where there were spaces and hyphens."""
    return f"“{re.sub(r'[ -]+', lambda _: rng.choice([' ', '-', ', ', '  ']), text)}”,"


LEAKS: dict[str, Form] = {
    "verbatim": lambda rng, text: text,
    "in lower case": lambda rng, text: text.lower(),
    "in capitals": lambda rng, text: text.upper(),
    "in the plural": plural,
    "as a possessive": possessive,
    "without diacritics": without_marks,
    "with other punctuation": punctuated,
    "with one slip": misspelt,
    "with two slips": lambda rng, text: misspelt(rng, text, 2),
}


def with_leak(rng: Random, question: str, leak: str) -> str:
    """The question with a text put between two of its words, or at an end."""
    words = question.split()
    at = rng.randint(0, len(words))
    return " ".join([*words[:at], leak, *words[at:]])


def retyped(rng: Random, text: str) -> str:
    """A question with one small edit: other case, a small word more, two words swapped, a slip, another end."""
    words = text.split()
    kind = rng.choice(["case", "word", "swap", "slip", "end"])
    if kind == "case":
        return rng.choice([text.upper(), text.capitalize(), text.lower()])
    if kind == "word":
        return with_leak(rng, text, rng.choice(SMALL_WORDS))
    if kind == "swap" and len(words) > 1:
        at = rng.randrange(len(words) - 1)
        return " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])
    if kind == "slip":
        return misspelt(rng, text) or text
    return text.rstrip(" ?") + rng.choice(["??", ".", " ?", ""])
