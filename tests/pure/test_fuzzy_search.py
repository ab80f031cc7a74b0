"""The search over paragraphs: what answers the query stands first."""

from __future__ import annotations

from annotation.pure.text.fuzzy_search import search

PARAGRAPHS = [
    ("Farrow", "A village on a river."),
    ("Well 3", "Ana Brook dug it."),
    ("Ana Brook", "She dug wells in Farrow."),
    ("Mill", "It grinds corn."),
]


def test_the_best_match_stands_first_and_what_does_not_match_last() -> None:
    assert [match.paragraph for match in search("ana brook", PARAGRAPHS)][:2] == [2, 1]
    assert [match.score for match in search("ana brook", PARAGRAPHS)][2:] == [0, 0]


def test_equal_matches_keep_their_order() -> None:
    assert [match.paragraph for match in search("lighthouse", PARAGRAPHS)] == [0, 1, 2, 3]
