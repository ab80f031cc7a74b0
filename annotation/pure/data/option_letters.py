"""Answers to multiple-choice questions that name an option by its letter, as RACE's own files do."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase


def option_of(answer: str, options: Sequence[str]) -> str:
    """The option that a letter stands for; an option, or any other text, as it is.

    ValueError for a letter beyond the options.
    """
    letter = answer.strip().upper()
    if answer.strip() in {option.strip() for option in options} or len(letter) != 1 or letter not in ascii_uppercase:
        return answer
    number = ascii_uppercase.index(letter)
    if number >= len(options):
        raise ValueError(f"the letter {letter} names none of the {len(options)} options")
    return options[number]
