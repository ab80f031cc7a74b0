"""Groups of participants: none is small, and none follows from the others."""

from __future__ import annotations

import pytest

from annotation.pure.people.demographics import LEAST, groups, is_offered, value_of


def sizes(**counts: int) -> dict[str | None, int | None]:
    values = [value for value, count in counts.items() for _one in range(count)]
    return {group.value: group.size for group in groups(dict(enumerate(values)), {})}


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ({"a": 9, "b": 5}, {"a": 9, "b": 5}),
        ({"a": 9, "b": 7, "c": 4}, {"a": 9, None: 11}),  # alone, 4 would follow from the total
        ({"a": 9, "b": 4, "c": 1}, {"a": 9, None: 5}),
        ({"a": 9, "b": 6, "c": 1, "d": 1}, {"a": 9, None: 8}),  # together they are still few
        ({"a": 9, "b": 2}, {None: 11}),
        ({"a": 3}, {None: None}),
        ({"a": 2, "b": 2}, {None: None}),
        ({}, {}),
    ],
)
def test_small_groups_are_merged_until_none_can_be_worked_out(
    counts: dict[str, int], shown: dict[str | None, int | None]
) -> None:
    assert sizes(**counts) == shown


def test_no_group_is_small_where_there_are_enough_participants() -> None:
    for a in range(13):
        for b in range(13):
            for c in range(13):
                shown = sizes(a=a, b=b, c=c)
                if a + b + c >= LEAST:
                    assert sum(size or 0 for size in shown.values()) == a + b + c
                    assert min(size or 0 for size in shown.values()) >= LEAST


def test_means_are_given_only_if_every_group_has_enough_scores() -> None:
    values = dict(enumerate(["a"] * 6 + ["b"] * 5))
    everybody = {one: float(one < 6) for one in values}
    assert [group.mean for group in groups(values, everybody)] == [1.0, 0.0]
    assert [group.mean for group in groups(values, dict.fromkeys(range(10), 1.0))] == [None, None]


def test_of_an_age_the_decade_is_kept_and_revoked_cells_are_none() -> None:
    kept = [value_of("Age", cell) for cell in ("30", "39", "9", "x", "\N{SUPERSCRIPT TWO}", "")]
    assert kept == ["30–39", "30–39", "0–9", "", "", ""]
    revoked = [value_of("Sex", cell) for cell in ("CONSENT_REVOKED", " DATA_EXPIRED ", " a  b")]
    assert revoked == ["", "", "a b"]


def test_ids_times_and_what_tells_everybody_apart_are_not_offered() -> None:
    for name in ("Submission id", "Participant id", "Started at", "Time taken", "Total approvals", "x" * 101, ""):
        assert not is_offered(name, ["a", "a"], longest=100)
    assert not is_offered("Hobby", list("abcdef"), longest=100)
    assert not is_offered("Hobby", ["a" * 101, "b"], longest=100)
    assert not is_offered("Hobby", [], longest=100)
    assert is_offered("Country of birth", list("abcdea"), longest=100)
