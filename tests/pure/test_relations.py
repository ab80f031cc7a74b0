"""Relations as people read them, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.text.relations import from_words, in_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Mara Quell >> sibling", "Mara Quell – sibling"),
        ("#1 >> place of birth", "#1 – place of birth"),
        ("War (1914 – 1918) >> place", "War (1914 – 1918) – place"),
        ("Elmsay>>country", "Elmsay – country"),
        ("Who built it?", "Who built it?"),
        (">> sibling", ">> sibling"),
        ("Elmsay >> ", "Elmsay >> "),
        ("", ""),
    ],
)
def test_a_relation_is_read_as_words(question: str, words: str) -> None:
    assert in_words(question) == words


@given(st.text(">– ab#1", max_size=15))
def test_what_nobody_changed_comes_back_as_it_was(question: str) -> None:
    assert from_words(in_words(question), question) == question


@pytest.mark.parametrize(
    ("text", "question", "back"),
    [
        ("Mara Quell – brother", "Mara Quell >> sibling", "Mara Quell >> brother"),
        ("War (1914 – 1918) – year", "War (1914 – 1918) >> place", "War (1914 – 1918) >> year"),
        ("Who is the sibling of Mara Quell?", "Mara Quell >> sibling", "Who is the sibling of Mara Quell?"),
        ("Who – or what – sank?", "Who or what sank?", "Who – or what – sank?"),
    ],
)
def test_a_corrected_relation_is_stored_as_datasets_write_it(text: str, question: str, back: str) -> None:
    assert from_words(text, question) == back
