"""Masks hide every mention, and paragraphs that carry an answer are known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Hop
from annotation.pure.text.masking import carries, hidden, resolved, without_references
from annotation.pure.text.spans import mentions

SIGNS = st.text(alphabet="abABsey 's.-—É1", max_size=30)
MENTIONS = st.text(alphabet="abABsey.É1 ", min_size=1, max_size=6).filter(
    lambda mention: any(map(str.isalnum, mention))
)


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Who founded Farrow?", "Farrow"),
        ("who founded FARROW's port", "Farrow"),
        ("Who founded the  Port\nEmber?", "port ember"),
        ("Who wrote of Quills?", "Quill"),
        ("Which cities?", "city"),
        ("Which city?", "cities"),
        ("Who lived in Washington D.C. then?", "Washington, D.C."),
        ("Who joined Beatles?", "The Beatles"),
        ("What happened in the 1990s?", "1990"),
        ("What is multi - use?", "multi-use"),
    ],
)
def test_it_hides_a_mention_in_its_forms(text: str, mention: str) -> None:
    found = hidden(text, [mention])
    assert found.count("[MASK]") == 1
    assert not list(mentions(mention, found))


@pytest.mark.parametrize(("text", "mention"), [("Farrowby", "Farrow"), ("unfarrow", "Farrow"), ("in an inn", "i")])
def test_it_leaves_what_only_looks_like_a_mention(text: str, mention: str) -> None:
    assert hidden(text, [mention]) == text


def test_the_longer_of_two_mentions_goes_first() -> None:
    assert hidden("New Farrow City", ["New Farrow", "New Farrow City"]) == "[MASK]"


@given(SIGNS, st.lists(MENTIONS, max_size=3))
def test_a_mask_of_nothing_hides_every_mention(text: str, them: list[str]) -> None:
    found = hidden(text, them, mask=" ")
    assert not any(list(mentions(each, found)) for each in them)


@given(SIGNS, MENTIONS)
def test_a_mask_hides_every_mention(text: str, mention: str) -> None:
    assert not list(mentions(mention, hidden(text, [mention], mask="[XX]")))


@given(SIGNS, MENTIONS)
def test_a_text_carries_an_answer_wherever_it_is_mentioned(text: str, mention: str) -> None:
    assert carries(f"{text} {mention} {text}", mention)
    if list(mentions(mention, text)):
        assert carries(text, mention)


def test_long_answers_count_within_words_and_short_ones_do_not() -> None:
    assert carries("A Parisian café", "Paris")
    assert not carries("Ermine", "Er")
    assert not carries("nothing", "")


HOPS = (Hop("Where was Quill born?", "Farrow"), Hop("Who rules #1?", "Ember"), Hop("Does #2 hate Farrow or #1?", "no"))


def test_references_become_answers() -> None:
    assert resolved(HOPS[2].question, HOPS) == "Does Ember hate Farrow or Farrow?"
    assert resolved("#9 and #1", HOPS) == "#9 and Farrow"
    assert without_references("Who rules #1?") == "Who rules  ?"


def test_a_masked_answer_is_masked_wherever_it_stands() -> None:
    assert resolved(HOPS[2].question, HOPS, masked=1) == "Does Ember hate [MASK] or [MASK]?"
    assert resolved(HOPS[2].question, HOPS, masked=2) == "Does [MASK] hate Farrow or Farrow?"
    assert resolved("Is #1 a mask?", (Hop("?", "Mask"),), masked=1) == "Is [MASK] a [MASK]?"
