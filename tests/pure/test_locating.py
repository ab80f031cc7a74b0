"""Where a typed answer stands: as typed before in another case, whole words before parts of words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.text.spans import Span, cut, locate, places
from tests.long_forms import examples

TEXTS = ["Farrow lies by a well.", "The  Well\nof Ana Brook, and Well 3.", "wellington; farrow"]


@pytest.mark.parametrize(
    ("answer", "first", "found"),
    [
        ("Farrow", [], Span(0, 0, 6)),
        ("farrow", [], Span(2, 12, 18)),
        ("Farrow", [2], Span(0, 0, 6)),
        ("FARROW", [2], Span(2, 12, 18)),
        ("Well", [], Span(1, 5, 9)),
        ("well of", [], Span(1, 5, 12)),
        ("Well of  Ana", [], Span(1, 5, 16)),
        ("ellingto", [], Span(2, 1, 9)),
        ("well", [2], Span(0, 17, 21)),
        ("Well 3", [], Span(1, 28, 34)),
        ("nowhere", [], None),
        (" \n", [], None),
        ("", [], None),
    ],
)
def test_an_answer_is_found_where_a_person_would_look(answer: str, first: list[int], found: Span | None) -> None:
    assert locate(answer, TEXTS, first=first) == found


PLACES = json.loads((Path(__file__).parents[1] / "places.json").read_text())


@pytest.mark.parametrize("case", PLACES, ids=lambda case: ascii(case["answer"]))
def test_all_places_are_those_that_the_browser_finds(case: dict[str, Any]) -> None:
    """tests/browser/test_typed_answers.py asks the browser about the same cases."""
    assert [list(place) for place in places(case["answer"], case["texts"], first=case["first"])] == case["places"]


def slow(answer: str, texts: list[str]) -> Span | None:
    """The definition, by regular expressions alone."""
    plain = r"\s+".join(map(re.escape, answer.split()))
    for pattern, flags in ((rf"(?<!\w){plain}(?!\w)", 0), (rf"(?<!\w){plain}(?!\w)", re.I), (plain, re.I)):
        for place, text in enumerate(texts):
            if found := re.search(pattern, text, flags):
                return Span(place, found.start(), found.end())
    return None


signs = st.text("aAb_1 \t\u2028\u00a0.-é²٣", max_size=12)


@settings(max_examples=examples(300, soak=1500), deadline=None)
@given(st.text("aAb_1 \u00a0.é²", min_size=1, max_size=5), st.lists(signs, max_size=3))
def test_it_finds_what_the_definition_finds(answer: str, texts: list[str]) -> None:
    if answer.split():
        assert locate(answer, texts) == slow(answer, texts)


@settings(max_examples=examples(60, soak=300), deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=3), st.data())
def test_a_piece_of_a_text_is_found_in_some_text(texts: list[str], draw: st.DataObject) -> None:
    text = draw.draw(st.sampled_from(texts))
    start = draw.draw(st.integers(0, len(text)))
    piece = text[start : draw.draw(st.integers(start, len(text)))]
    found = locate(piece, texts)
    assert (found is not None) == bool(piece.split())
    assert found is None or (cut(texts, found) or "").split() or not piece.split()
