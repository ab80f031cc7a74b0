"""Words that a decision rests on: between what the page posts and what is at rest, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.tasktype.helpers.evidence import are_spans, parsed, posted, words_of

PARAGRAPHS = [{"title": "", "text": "👩‍🔧 built it"}, {"title": "", "text": "Skarrow"}]
SPANS = st.sets(st.tuples(st.integers(0, 1), st.integers(0, 999), st.integers(0, 999)), max_size=6)
ORDERS = st.sampled_from([[0, 1], [1, 0]])


def span(paragraph: Any, start: Any, end: Any) -> dict[str, Any]:
    return {"paragraph": paragraph, "start": start, "end": end}


@given(SPANS, ORDERS)
def test_what_is_posted_comes_back_whichever_paragraph_stands_first(spans: set[Any], order: list[int]) -> None:
    at_rest = [span(*one) for one in sorted(spans)]
    assert parsed(posted(at_rest, order), order) == at_rest


@pytest.mark.parametrize("odd", ["", "2:0:1", "0:1", "0:-1:2", "a:b:c", "0:0:1:2", "0:٣:4", "0:0:" + "9" * 10])
def test_what_cannot_be_read_is_left_out(odd: str) -> None:
    assert parsed(odd, [0, 1]) == []
    assert parsed(f"{odd} 1:0:3", [1, 0]) == [span(0, 0, 3)]


@pytest.mark.parametrize(
    ("given_spans", "fit"),
    [
        ([], True),
        ([span(0, 0, 3), span(0, 3, 9), span(1, 0, 7)], True),
        ([span(1, 0, 8)], False),
        ([span(1, 3, 3)], False),
        ([span(0, 0, 3), span(0, 2, 5)], False),
        ([span(1, 0, 3), span(0, 0, 3)], False),
        ([span(2, 0, 1)], False),
        ([span(True, 0, 1)], False),
        ([span(0, -1, 1)], False),
        ([span(0, 0.0, 1)], False),
        ([{"paragraph": 0}], False),
        ("text", False),
        (None, False),
    ],
)
def test_spans_are_stretches_of_the_paragraphs_in_order(given_spans: Any, fit: bool) -> None:
    assert are_spans(given_spans, PARAGRAPHS) is fit


def test_offsets_count_code_points() -> None:
    assert words_of([span(0, 0, 3), span(0, 4, 9)], PARAGRAPHS) == ["👩‍🔧", "built"]
