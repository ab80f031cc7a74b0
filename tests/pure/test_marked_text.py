"""Marks in a text, and hop questions told with the answers that they stand for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Hop
from annotation.pure.text.marked_text import Mark, Part, Piece, fill_references, pieces

SPANS = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def test_it_cuts_at_marks() -> None:
    mark = Mark(4, 9, 0)
    assert pieces("the tower fell", marks=[mark]) == [
        Piece("the "),
        Piece("tower", mark, opens=True, closes=True),
        Piece(" fell"),
    ]


def test_a_mark_goes_on_over_the_edge_of_a_sentence() -> None:
    mark = Mark(0, 4, 2)
    first, second = pieces("abcd", marks=[mark], facts=[(2, 4)])
    assert (first.text, first.opens, first.closes, first.fact) == ("ab", True, False, False)
    assert (second.text, second.opens, second.closes, second.fact, second.fact_opens) == ("cd", False, True, True, True)


def test_the_answer_goes_before_a_hop_and_the_longer_before_the_shorter() -> None:
    answer, hop, inner = Mark(2, 4, 0), Mark(0, 4, 1), Mark(6, 8, 2)
    longer = Mark(5, 9, 3)
    shown = [piece.mark for piece in pieces("0123456789", marks=[hop, answer, inner, longer]) if piece.mark]
    assert shown == [answer, longer]


@given(st.text(max_size=18), st.lists(SPANS, max_size=5), st.lists(SPANS, max_size=3), st.data())
def test_the_pieces_are_the_text(
    text: str, marked: list[tuple[int, int]], facts: list[tuple[int, int]], data: st.DataObject
) -> None:
    within = [(a, min(b, len(text))) for a, b in marked if a < len(text)]
    marks = [Mark(a, b, data.draw(st.integers(0, 3))) for a, b in within]
    cut = pieces(text, marks=marks, facts=[(a, min(b, len(text))) for a, b in facts if a < len(text)])
    assert "".join(piece.text for piece in cut) == text
    assert sum(piece.opens for piece in cut) == sum(piece.closes for piece in cut)


def test_ten_thousand_marks_are_no_burden() -> None:
    marks = [Mark(k, k + 1, 0) for k in range(0, 20_000, 2)] + [Mark(k, k + 2, 1) for k in range(0, 20_000, 2)]
    assert sum(piece.opens for piece in pieces("a " * 10_000, marks=marks)) == 10_000


def test_a_reference_is_told_as_the_answer_it_stands_for() -> None:
    hops = [Hop("Who?", "Mara Quell"), Hop("Where?", "Port Anselm")]
    assert fill_references("Was #1 born in #2?", hops) == [
        Part("Was ", 0),
        Part("Mara Quell", 1),
        Part(" born in ", 0),
        Part("Port Anselm", 2),
        Part("?", 0),
    ]


def test_a_reference_to_nothing_stays_as_it_is() -> None:
    assert fill_references("#0 and #2 of C#1", [Hop("Who?", "Mara Quell")]) == [Part("#0 and #2 of C#1", 0)]
