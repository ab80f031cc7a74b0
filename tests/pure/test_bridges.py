"""Where answers are mentioned in questions, and what takes their place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.data import dag
from annotation.pure.data.example import Paragraph
from annotation.pure.derivations.bridges import entity_key, folded, masked, mentions, tidy
from annotation.pure.derivations.single_hop import Single
from annotation.pure.text.named_entities import PlainCheck

WORDS = st.text(st.sampled_from("abAB sS'#1-İſß"), max_size=12)


@pytest.mark.parametrize(
    ("answer", "question", "found"),
    [
        ("Port Anselm", "Who founded Port Anselm?", "Who founded #1?"),
        ("Port Anselm", "who founded PORT  anselm ?", "who founded #1 ?"),
        ("Port Anselm", "What is Port Anselm's bell?", "What is #1's bell?"),
        ("Port Anselm", "What are Port Anselm’s bells?", "What are #1’s bells?"),
        ("Roman", "Which roads did the Romans build?", "Which roads did the #1 build?"),
        ("Fox", "Where do the Foxes play?", "Where do the #1 play?"),
        ("the Beatles", "When did the Beatles part?", "When did #1 part?"),
        ("the Beatles", "When did Beatles fans cry?", "When did #1 fans cry?"),
        ("Beatles", "When did the Beatles part?", "When did the #1 part?"),
        ("the Beatles", "Did bathe Beatles?", "Did bathe #1?"),
        ('"Hamlet"', "Who wrote Hamlet?", "Who wrote #1?"),
        ("Ayr", "From Ayr to Ayr?", "From #1 to #1?"),
        ("Van Hook Township", "Van Hook Township >> capital", "#1 >> capital"),
        ("U.S.", "Who led the U.S. in 1900?", "Who led the #1 in 1900?"),
        ("C++", "Who made C++17?", None),
        ("Ben", "Who rang Big Benson?", None),
        ("Jon", "Who is Tom Jones?", None),
        ("Al", "Who is Als?", None),
        ("York", "Who built NewYork?", None),
        ("net", "Who made ASP.net?", "Who made ASP.#1?"),
        ("", "Who?", None),
    ],
)
def test_a_mention_is_whole_words_in_any_case_with_simple_endings(
    answer: str, question: str, found: str | None
) -> None:
    assert masked(question, [(answer, 1)]) == found


def test_two_entities_get_their_own_references() -> None:
    assert masked("Did Ayr join Skarrow?", [("Skarrow", 1), ("Ayr", 2)]) == "Did #2 join #1?"


def test_overlapping_mentions_are_refused() -> None:
    assert masked("Who sold New York City?", [("New York", 1), ("York City", 2)]) is None


@given(WORDS, WORDS, WORDS)
@settings(deadline=None)
def test_a_masked_question_mentions_the_answer_no_more(answer: str, before: str, after: str) -> None:
    question = f"{before} {answer} {after}"
    found = masked(question, [(answer, 1)])
    if found is not None and not dag.references(question):
        assert 1 in dag.references(found)
        pieces = [folded(piece) for piece in found.split("#1")]
        assert not any(mentions(entity_key(answer), piece) for piece in pieces if piece == tidy(piece))


@given(st.text())
@settings(deadline=None)
def test_folding_keeps_every_offset(text: str) -> None:
    assert len(folded(text)) == len(text)


def head(answer: str, text: str = "") -> Single:
    return Single("1", "Who?", (answer,), Paragraph("A title", text))


@pytest.mark.parametrize(
    "answer",
    [
        "Port Anselm", "the Dutch", "BSkyB", "iPhone", "20th Century Fox", "University of Kansas",
        "in New Delhi", "George Washington", "World War II", "U.S.", "Al-Andalus",
        "O'Brien", "Seventh Daughter", "Red Sea", "Москва", "San José",
    ],
)  # fmt: skip
def test_names_are_entities(answer: str) -> None:
    assert PlainCheck().names(head(answer))


@pytest.mark.parametrize(
    "answer",
    [
        "1688", "3,792,621", "July 4, 1776", "4 July", "May 2008", "the 1960s", "21st century", "yes", "No", "Two",
        "36%", "612 metres", "$15 million", "lantern gull", "north", "North", "A", "?", "", "450 BC", "Blue", "10:30",
        "The Father", "Twenty Two", "May 15th",
        "The gull flies when the tide is out", "a b c d e f g h i j", "Because it rained", "September",
    ],
)  # fmt: skip
def test_numbers_dates_and_plain_words_are_none(answer: str) -> None:
    assert not PlainCheck().names(head(answer))


def test_a_word_that_the_paragraph_also_writes_small_is_no_name() -> None:
    assert not PlainCheck().names(head("Water", "They drank water. Water was dear."))
    assert PlainCheck().names(head("Waterford", "They drank water. Waterford was dear."))


@pytest.mark.parametrize(
    ("answer", "question", "taken"),
    [
        ("Washington", "Where was George Washington born?", False),
        ("Washington", "George Washington was born where?", False),
        ("Washington", "What is the area of Washington County?", False),
        ("Washington", "What is the capital of Washington?", True),
        ("Washington", "Is Washington in the north?", True),
        ("Washington", "What was Adams' Washington like?", True),
        ("Washington", "what is george washington county", True),
        ("Saxon", "Which Anglo-Saxon king fell?", False),
        ("Hungary", "Which Hungary-based company won?", True),
        ("Brien", "Who is O'Brien?", False),
        ("Turkey", "How is a turkey cooked in Texas?", False),
        ("Turkey", "how is a turkey cooked in texas?", True),
        ("Senate", "Who leads The Senate now?", True),
        ("Skarrow", "What does Port Anselm's Skarrow owe?", True),
    ],
)
def test_a_piece_of_a_longer_name_is_no_mention(answer: str, question: str, taken: bool) -> None:
    (place,) = mentions(entity_key(answer), folded(question))
    assert PlainCheck().mentioned(question, place) is taken
    assert PlainCheck(whole_names=False).mentioned(question, place)
