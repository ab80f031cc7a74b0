"""What a HIT's page sent: the assignment and the fields, from an address and a form."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.mturk.external_question import TwoAssignments, query_pairs, sent

PAIRS = st.lists(st.tuples(st.text(min_size=1), st.text()).filter(lambda pair: "%u" not in "".join(pair)), max_size=5)


def escape(text: str) -> str:
    """JavaScript's `escape`."""
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_+-./"
    units = memoryview(text.encode("utf-16")[2:]).cast("H")
    return "".join(chr(u) if chr(u) in plain else f"%{u:02X}" if u < 256 else f"%u{u:04X}" for u in units)


@given(PAIRS)
def test_the_query_of_a_form_is_read_as_it_was_written(pairs: list[tuple[str, str]]) -> None:
    assert query_pairs(urlencode(pairs)) == pairs
    assert query_pairs("&".join(f"{quote(name)}={quote(value)}" for name, value in pairs)) == pairs


@pytest.mark.parametrize("text", ["é", "中文 +1", "🐟 & chips = 5%", "a+b é"])
def test_what_escape_wrote_is_read_as_escape_meant_it(text: str) -> None:
    assert query_pairs(f"x={escape(text)}") == [("x", text)]


def test_the_fields_of_the_address_come_first_and_reserved_names_are_none() -> None:
    both = sent("assignmentId=A&rt=1&workerId=W", [("hitId", "H"), ("rt", "2"), ("assignmentId", " A ")])
    assert (both.assignment, both.fields) == ("A", [("rt", "1"), ("rt", "2")])


def test_an_empty_assignment_beside_a_named_one_is_none() -> None:
    assert sent("assignmentId=A", [("assignmentId", "")]).assignment == "A"
    assert sent("").assignment == ""


def test_two_assignments_are_refused() -> None:
    with pytest.raises(TwoAssignments):
        sent("assignmentId=A", [("assignmentId", "B")])
