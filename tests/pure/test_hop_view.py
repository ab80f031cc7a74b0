"""A decomposition's hops as they are shown: every text stays whole, and what is marked is who is meant."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data import hop_view
from annotation.pure.text.marked_text import Piece

TEXTS = st.text(alphabet=st.sampled_from("Mara Quell's the 1#é😀\n"), max_size=60)


def payload(**changes: Any) -> dict[str, Any]:
    hops = [
        ("Who was captain of the Grey Petrel?", "Mara Quell", "Grey Petrel", "Its captain was Mara Quell. Quell sang."),
        ("Where was #1 born?", "Port Anselm", "Mara Quell", "mara quell was born in Port Anselm, far off."),
    ]
    shown = [{"question": q, "answer": a, "paragraph": {"title": t, "text": x}} for q, a, t, x in hops]
    return {"hops": shown, "edges": [{"head": 1, "tail": 2, "entity": "Mara Quell"}]} | changes


def marked(pieces: tuple[Piece, ...]) -> list[tuple[int, str]]:
    return [(piece.mark.hop, piece.text) for piece in pieces if piece.mark]


def test_a_hops_own_answer_and_the_ones_that_it_uses_are_marked_the_final_one_as_the_answer() -> None:
    first, second = hop_view.hop_views(payload())
    assert first.reading is not None
    assert second.reading is not None
    assert marked(first.reading.text) == [(1, "Mara Quell")]
    assert marked(second.reading.title) == [(1, "Mara Quell")]
    assert marked(second.reading.text) == [(1, "mara quell"), (0, "Port Anselm")]
    assert (first.final, first.leads_to, second.final, second.leads_to) == (False, (2,), True, ())


def test_a_question_shows_the_answer_that_its_number_stands_for() -> None:
    _first, second = hop_view.hop_views(payload())
    assert [(part.text, part.hop) for part in second.question] == [("Where was ", 0), ("Mara Quell", 1), (" born?", 0)]


def test_a_bridge_marks_nobody_but_the_entity_that_is_asked_about() -> None:
    (bridge,) = hop_view.bridge_views(payload())
    assert bridge.head.reading is not None
    assert bridge.tail.reading is not None
    assert marked(bridge.head.reading.text) == [(1, "Mara Quell")]
    assert marked(bridge.tail.reading.text) == [(1, "mara quell")]
    assert (bridge.head.reading.mentions(1), bridge.tail.reading.mentions(1)) == (1, 2)


def test_hops_without_paragraphs_can_be_shown_too() -> None:
    bare = payload(hops=[{"question": "Who?", "answer": "A"}, {"question": "And #1?", "answer": "B"}])
    assert [view.reading for view in hop_view.hop_views(bare)] == [None, None]
    assert [bridge.entity for bridge in hop_view.bridge_views(bare)] == ["Mara Quell"]


@pytest.mark.parametrize(
    ("entity", "text", "found"),
    [
        ("Mara Quell", "Mara Quell, MARA  QUELL", ["Mara Quell", "MARA  QUELL"]),
        ("the Grey Petrel", "A grey petrel and two Grey Petrels", ["grey petrel", "Grey Petrels"]),
        ("the Grey Petrel", "The Grey Petrel is a Grey Petrel", ["The Grey Petrel"]),
        ("Ana", "Anaconda", []),
        ("", "anything", []),
    ],
)
def test_an_entity_is_found_as_written_and_else_without_its_article_or_in_the_plural(
    entity: str, text: str, found: list[str]
) -> None:
    assert [text[start:end] for start, end in hop_view.places(entity, text)] == found


@pytest.mark.parametrize(
    ("judgments", "stage"),
    [
        (["", ""], ("judging", 1)),
        (["same", ""], ("judging", 2)),
        (["same", "same"], ("writing", 0)),
        (["different", ""], ("aside", 1)),
        (["same", "unsure"], ("aside", 2)),
        (["", "different"], ("judging", 1)),
        ([], ("writing", 0)),
    ],
)
def test_bridges_come_one_after_another_until_one_does_not_hold(judgments: list[str], stage: tuple[str, int]) -> None:
    assert hop_view.stage(judgments) == stage


@given(title=TEXTS, text=TEXTS, answers=st.tuples(TEXTS, TEXTS))
def test_whatever_is_marked_no_character_is_lost(title: str, text: str, answers: tuple[str, str]) -> None:
    paragraph = {"title": title, "text": text}
    hops = [{"question": "Who is #1?", "answer": answer, "paragraph": paragraph} for answer in answers]
    edges = [{"head": 1, "tail": 2, "entity": answers[0]}]
    shown = {"hops": hops, "edges": edges}
    views = [*hop_view.hop_views(shown), *(side for b in hop_view.bridge_views(shown) for side in (b.head, b.tail))]
    for view in views:
        assert view.reading is not None
        assert "".join(piece.text for piece in view.reading.title) == title
        assert "".join(piece.text for piece in view.reading.text) == text
