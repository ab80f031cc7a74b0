"""Cells that a spreadsheet would run are made inert, and texts come back exactly."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.text.spreadsheet import guarded, unguarded
from tests.long_forms import examples

LIVE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\rx",
    "\nx",
    "\0x",
    " =1",
    "\u3000＝1",
    "＋1",
    "－1",
    "＠x",
    "\ufeff=1",
    "﹦1",
]
CALM = ["", "tin", "1-1", "a=b", "'", "' tin", "it's", "“=”"]


@pytest.mark.parametrize("text", LIVE)
def test_a_cell_that_could_be_a_formula_gets_an_apostrophe(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert guarded(f"'{text}") == f"''{text}"


@pytest.mark.parametrize("text", CALM)
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert guarded(text) == text
    assert unguarded(text) == text


openings = st.text("=+-@\t\r\n '＝＋－＠\u200b\u3000a1", max_size=5)


@settings(max_examples=examples(100, soak=500), deadline=None)
@given(openings, st.text(max_size=5))
def test_guarding_loses_nothing_and_leaves_nothing_live(opening: str, rest: str) -> None:
    cell = guarded(opening + rest)
    assert unguarded(cell) == opening + rest
    assert is_inert(cell)


def is_inert(cell: str) -> bool:
    """Whether no spreadsheet can take the cell for a formula, judged by its first signs alone."""
    first = next((unicodedata.normalize("NFKC", sign)[:1] for sign in cell if not sign.isspace()), "")
    return first not in ("=", "+", "-", "@") and cell[:1] not in ("\t", "\r", "\n", "\0")


def test_two_thousand_openings_of_formulas_are_inert() -> None:
    starts = ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫"]
    bodies = ["1+1", "cmd|' /C calc'!A0", 'HYPERLINK("//h.example","x")', "", "SUM(A1:A9)", "'x", "7", "-7", " "]
    rng = random.Random(13)
    texts = {start + body for start in starts for body in bodies}
    while len(texts) < 2000:
        blank = rng.choice(["", " ", "\u00a0", "\u200b", "\ufeff", "\u3000"])
        texts.add(blank * rng.randrange(3) + rng.choice(starts) + rng.choice(bodies) + str(rng.randrange(10_000)))
    live = [text for text in texts if not is_inert(guarded(text))]
    assert live == []
    assert [text for text in texts if unguarded(guarded(text)) != text] == []
