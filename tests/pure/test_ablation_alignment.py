"""Tokens of an original found again in its ablated text."""

from __future__ import annotations

import pytest

from annotation.pure.data.example import Example, Paragraph
from annotation.pure.derivations.ablation import ABLATIONS, SHUFFLES, ablate
from annotation.pure.derivations.ablation_text import UNKNOWN, aligned, parts_of_contractions, passage

TEXT = (
    "The Grey Heron ⛵ wasn't launched (by anyone) in 1871, it's said; twelve of Ada's 3.5 kg were @noun1 [VBD].\r\n"
    "She  carried salt, because no other ship had 20 more, «שלדג» or not! E.g. the U.S. had some…"
)
WORDLESS = {1, 13}  # ablations of the question


def ablation(number: int, text: str = TEXT) -> tuple[str, int]:
    """The ablated text and how many tokens were dropped or replaced."""
    example = Example("q", "Who launched the Grey Heron?", (Paragraph("", text),), ("Grey Heron",))
    made = ablate(example, number, seed=1)
    return made.example.paragraphs[0].text, made.counts.dropped


@pytest.mark.parametrize("number", sorted(set(ABLATIONS) - SHUFFLES - WORDLESS))
def test_every_token_is_found_and_as_many_are_lost_as_the_ablation_counts(number: int) -> None:
    text, dropped = ablation(number)
    found = aligned(TEXT, text, number)
    assert found is not None
    assert [one.token for one in found] == passage(TEXT).tokens
    assert sum(not one.kept for one in found) == dropped
    places = [(one.start, one.end) for one in found]
    assert places == sorted(places)
    for one in found:
        assert one.kept == (text[one.start : one.end] == one.token.text)


def test_a_dropped_token_stands_as_unknown() -> None:
    found = aligned("He ran to it.", "[UNK] ran [UNK] [UNK].", 3)
    assert found is not None
    assert [one.kept for one in found] == [False, True, False, False, True]
    assert (found[2].start, found[2].end) == (10, 10 + len(UNKNOWN))


@pytest.mark.parametrize("other", ["ran He to it.", "[UNK] ran [UNK] [UNK]. He", "[UNK] ran [UNK]", ""])
def test_another_text_is_not_aligned(other: str) -> None:
    assert aligned("He ran to it.", other, 3) is None


def test_parts_of_contractions_touch_another_word() -> None:
    tokens = passage("It's Ada's, and/or don't.").tokens
    found = parts_of_contractions(tokens)
    assert [token.text for token in tokens if token.start in found] == ["It", "'s", "Ada", "'s", "do", "n't"]
