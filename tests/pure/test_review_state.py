"""How an answer stands with the requester, from the decisions on its revisions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.review import review_state
from annotation.pure.review.review_state import state_of

CASES = [
    ([], 1, "unread"),
    ([(1, "accepted")], 1, "accepted"),
    ([(1, "accepted"), (1, "discarded")], 1, "discarded"),
    ([(1, "accepted"), (1, "reopened")], 1, "unread"),
    ([(1, "accepted"), (1, "reopened"), (1, "edited")], 1, "edited"),
    ([(1, "returned")], 1, "returned"),
    ([(1, "returned")], 2, "repaired"),
    ([(1, "returned"), (1, "reopened")], 2, "unread"),
    ([(1, "returned"), (2, "accepted")], 2, "accepted"),
    ([(1, "returned"), (2, "accepted"), (2, "reopened")], 2, "repaired"),
    ([(1, "returned"), (2, "returned")], 3, "repaired"),
    ([(1, "accepted")], 2, "changed"),
    ([(1, "discarded")], 4, "changed"),
]
decisions = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([*sorted(review_state.DECIDED), review_state.REOPENED])), max_size=8
)


@pytest.mark.parametrize(("made", "revision", "state"), CASES)
def test_the_last_decision_on_the_revision_counts(made: list[tuple[int, str]], revision: int, state: str) -> None:
    assert state_of(made, revision) == state


@given(decisions, st.integers(1, 5))
def test_an_answer_is_either_decided_or_waits(made: list[tuple[int, str]], revision: int) -> None:
    state = state_of(made, revision)
    assert (state in review_state.DECIDED) != (state in review_state.WAITING)


@given(decisions, st.integers(1, 4))
def test_undoing_lets_the_answer_wait_again(made: list[tuple[int, str]], revision: int) -> None:
    assert state_of([*made, (revision, review_state.REOPENED)], revision) in review_state.WAITING


@given(decisions, st.integers(1, 4))
def test_what_is_decided_on_later_revisions_changes_nothing(made: list[tuple[int, str]], revision: int) -> None:
    assert state_of(made, revision) == state_of([d for d in made if d[0] <= revision], revision)
