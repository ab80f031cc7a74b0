"""Where a typed answer stands: as typed before in another case, whole words before parts of words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.pure.text.normalization import fold, folded, is_mark
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
    """The definition: the first piece that is the answer as typed, then in another spelling, then inside words."""
    for whole, same in ((True, " ".join), (True, as_folded), (False, as_folded)):
        for place, text in enumerate(texts):
            for start, end in combinations(range(len(text) + 1), 2):
                seen = folded_text if same is as_folded else str
                if same(text[start:end].split()) == same(answer.split()) and _is_tidy(text, start, end, whole, seen):
                    return Span(place, start, end)
    return None


def as_folded(words: list[str]) -> str:
    return fold(" ".join(words))


def folded_text(text: str) -> str:
    return folded(text).text


def _is_tidy(text: str, start: int, end: int, whole: bool, seen: Callable[[str], str]) -> bool:
    """Whether nothing invisible is at its ends, no accent is cut off, and with `whole` no letter of the same word.

    In another spelling dashes beside each other are one: none is cut off, either.
    """
    piece, before, after = text[start:end], text[:start], text[end:]
    follows = normalize("NFKD", after[:1])[:1]  # as of the Thai vowel am, whose first part is an accent
    visible = fold(piece[0]) and fold(piece[-1]) and not is_mark(piece[0]) and not is_mark(follows)
    ahead = seen(before)
    joined = re.search(r"\w$", ahead) or is_mark(ahead[-1:]) or re.match(r"\w", seen(after))
    following = folded_text(after)[:1] if seen is folded_text else ""  # nobody sees what stands before it
    cut_off = is_mark(following) or seen(piece)[-1:] == following == "-"
    return bool(visible) and not (whole and joined) and not cut_off


signs = st.text("aAb_1 \t\u2028\u00a0.-\u2013\u2019'é\u0301²٣ßﬁ\u200b", max_size=12)


@settings(max_examples=examples(300, soak=1500), deadline=None)
@given(st.text("aAb_1 \u00a0.-\u2019é²sfi", min_size=1, max_size=5), st.lists(signs, max_size=3))
@example("A-", ["a--"])
@example("-", ["\u2013-1"])
@example("1", ["A1\u200b\u0301"])
def test_it_finds_what_the_definition_finds(answer: str, texts: list[str]) -> None:
    if answer.split():
        assert locate(answer, texts) == slow(answer, texts)


@settings(max_examples=examples(60, soak=300), deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=3), st.data())
def test_a_piece_of_a_text_is_found_in_some_text(texts: list[str], draw: st.DataObject) -> None:
    text = draw.draw(st.sampled_from(texts))
    start = draw.draw(st.integers(0, len(text)))
    end = draw.draw(st.integers(start, len(text)))
    piece = text[start:end]
    found = locate(piece, texts)
    assert found is None or piece.split()
    # What is invisible, or cuts off an accent, may be nowhere.
    assert found or not piece.split() or not _is_tidy(text, start, end, False, folded_text)
    assert found is None or (cut(texts, found) or "").split() or not piece.split()
