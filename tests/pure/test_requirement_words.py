"""Requirements as a person writes them in one line."""

from __future__ import annotations

import pytest

from annotation.pure.people.requirements import LOCALE, Locale, Requirement, read_phrase, read_values, words_of, written


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Round 2>=80", ("Round 2", "GreaterThanOrEqualTo", ("80",))),
        ("  Round 2   >  80 ", ("Round 2", "GreaterThan", ("80",))),
        ("Round 2 <= 80", ("Round 2", "LessThanOrEqualTo", ("80",))),
        ("Round 2 < -1", ("Round 2", "LessThan", ("-1",))),
        ("Round 2 = 1", ("Round 2", "EqualTo", ("1",))),
        ("Round 2 == 1", ("Round 2", "EqualTo", ("1",))),
        ("Round 2 != 1", ("Round 2", "NotEqualTo", ("1",))),
        ("Round 2 in 1, 2;3", ("Round 2", "In", ("1", "2", "3"))),
        ("country not in US-CA DE", ("country", "NotIn", ("US-CA", "DE"))),
        ("Round 2", ("Round 2", "Exists", ())),
        ("not Seen it", ("Seen it", "DoesNotExist", ())),
        ("Notable", ("Notable", "Exists", ())),
    ],
)
def test_a_phrase_is_read(text: str, read: object) -> None:
    assert read_phrase(text) == read


@pytest.mark.parametrize("text", ["", "  ", "Round 2 >=", ">= 80", "a > b > 3"])
def test_what_reads_as_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="write NAME"):
        read_phrase(text)


def test_values_are_read_as_they_are_written() -> None:
    for one in (
        Requirement("3X", "In", (1, -2, 3)),
        Requirement(LOCALE, "In", locales=(Locale("US", "CA"), Locale("DE"))),
        Requirement("3X", "Exists"),
    ):
        assert read_values(words_of(written(one)), places=one.type == LOCALE) == (one.values, one.locales)


def test_a_word_is_no_score() -> None:
    with pytest.raises(ValueError, match="eighty"):
        read_values(["eighty"], places=False)
