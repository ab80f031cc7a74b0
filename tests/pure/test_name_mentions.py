"""Who is mentioned in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.people.name_mentions import mentioned
from annotation.pure.text.normalization import fold

NAMES = ["Ana", "Ana Maria", "mara@example.org", "Jörg", "d.o'neil"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@Ana, look", {"Ana"}),
        ("Look, @ana.", {"Ana"}),
        ("@Ana  Maria\nknows", {"Ana Maria"}),
        ("@Ana and @Ana Maria", {"Ana", "Ana Maria"}),
        ("(@jörg)", {"Jörg"}),
        ("@JÖRG!", {"Jörg"}),
        ("ask @mara@example.org", {"mara@example.org"}),
        ("@d.o'neil's answer", {"d.o'neil"}),
        ("write to x@Ana", set()),
        ("@Anatol", set()),
        ("@mara", set()),
        ("Ana", set()),
        ("@", set()),
        ("", set()),
    ],
)
def test_a_name_after_an_at_sign_is_a_mention(text: str, found: set[str]) -> None:
    assert mentioned(text, NAMES) == found


def test_names_that_differ_in_case_only_are_mentioned_together() -> None:
    assert mentioned("@ana", ["Ana", "ANA"]) == {"Ana", "ANA"}


def test_a_name_of_a_free_standing_accent_is_found() -> None:
    assert mentioned("ask @\u00b8 or @Ana", ["\u00b8"]) == {"\u00b8"}


def test_nobody_is_there_to_be_mentioned() -> None:
    assert mentioned("@Ana", []) == set()
    assert mentioned("@ @", ["", " "]) == set()


@given(st.text(), st.lists(st.text(max_size=8), max_size=5))
def test_any_text_and_any_names_can_be_read(text: str, names: list[str]) -> None:
    assert mentioned(text, names) <= set(names)
    for name in names:
        assert not fold(name) or mentioned(f"@{name.strip()}", [name]) == {name}
