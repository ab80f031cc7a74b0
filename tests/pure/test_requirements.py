"""What workers hold against what work requires: every comparator, every guard, every limit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.people.requirements import (
    ACTS,
    COMPARATORS,
    GUARDED,
    LOCALE,
    Held,
    InvalidRequirement,
    Locale,
    Requirement,
    check,
    lacks,
    meets,
    share_approved,
)

ROUND = "3ROUND"


@pytest.mark.parametrize(
    ("comparator", "values", "meeting", "failing"),
    [
        ("LessThan", [80], [-1, 79], [80, 81]),
        ("LessThanOrEqualTo", [80], [79, 80], [81]),
        ("GreaterThan", [80], [81], [79, 80]),
        ("GreaterThanOrEqualTo", [80], [80, 81], [79, 0]),
        ("EqualTo", [80], [80], [79, 81]),
        ("NotEqualTo", [80], [79, 81], [80]),
        ("In", [1, 3], [1, 3], [0, 2, 4]),
        ("NotIn", [1, 3], [0, 2, 4], [1, 3]),
        ("Exists", [], [-5, 0, 100], []),
        ("DoesNotExist", [], [], [-5, 0, 100]),
    ],
)
def test_a_comparator_says_who_qualifies(
    comparator: str, values: list[int], meeting: list[int], failing: list[int]
) -> None:
    requirement = Requirement(ROUND, comparator, tuple(values))
    assert all(meets(requirement, Held(value)) for value in meeting)
    assert not any(meets(requirement, Held(value)) for value in failing)


@pytest.mark.parametrize("comparator", COMPARATORS)
def test_who_holds_nothing_meets_nothing_but_does_not_exist(comparator: str) -> None:
    value = () if "Exist" in comparator else (80,)
    assert meets(Requirement(ROUND, comparator, value), None) == (comparator == "DoesNotExist")


@pytest.mark.parametrize("comparator", ["EqualTo", "NotEqualTo", "In", "NotIn"])
def test_who_names_no_country_meets_no_locale(comparator: str) -> None:
    assert not meets(Requirement(LOCALE, comparator, locales=(Locale("US"),)), None)


@pytest.mark.parametrize(
    ("comparator", "wanted", "here", "met"),
    [
        ("EqualTo", ["US"], "US-CA", True),
        ("EqualTo", ["US-CA"], "US-CA", True),
        ("EqualTo", ["US-CA"], "US-NY", False),
        ("EqualTo", ["US-CA"], "US", False),
        ("NotEqualTo", ["US"], "US-CA", False),
        ("NotEqualTo", ["US-CA"], "US-NY", True),
        ("NotEqualTo", ["US"], "CA", True),
        ("In", ["DE", "US-CA"], "DE-BE", True),
        ("In", ["DE", "US-CA"], "US-NY", False),
        ("NotIn", ["DE", "US-CA"], "US-NY", True),
        ("NotIn", ["DE", "US-CA"], "DE", False),
    ],
)
def test_a_country_covers_its_subdivisions(comparator: str, wanted: list[str], here: str, met: bool) -> None:
    requirement = Requirement(LOCALE, comparator, locales=tuple(Locale(*name.split("-")) for name in wanted))
    assert meets(requirement, Held(locale=Locale(*here.split("-")))) is met


@pytest.mark.parametrize(
    ("guard", "acts"),
    [
        ("Accept", {"accept"}),
        ("PreviewAndAccept", {"preview", "accept"}),
        ("DiscoverPreviewAndAccept", {"discover", "preview", "accept"}),
    ],
)
def test_a_guard_says_when_it_is_asked_for(guard: str, acts: set[str]) -> None:
    requirement = Requirement(ROUND, "Exists", guard=guard)
    assert {act for act in ACTS if lacks([requirement], {}, act)} == acts


def test_a_lack_says_what_is_held_instead() -> None:
    high, low = Requirement(ROUND, "GreaterThan", (80,)), Requirement(ROUND, "GreaterThan", (70,))
    absent = Requirement("3OTHER", "Exists")
    found = lacks([high, low, absent], {ROUND: Held(71)})
    assert [(lack.requirement, lack.held) for lack in found] == [(high, Held(71)), (absent, None)]


def test_an_unknown_act_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="unknown act"):
        lacks([], {}, "look")


LOCALES = tuple(Locale(f"{a}{b}") for a in "ABCDEF" for b in "ABCDEF")


@pytest.mark.parametrize(
    ("requirement", "result"),
    [
        ({"comparator": "Above"}, "no comparator"),
        ({"comparator": "Exists", "guard": "Look"}, "no guard"),
        ({"comparator": "Exists", "values": (1,)}, "takes no values"),
        ({"comparator": "DoesNotExist", "values": (1,)}, "takes no values"),
        ({"comparator": "EqualTo"}, "exactly one value"),
        ({"comparator": "LessThan", "values": (1, 2)}, "exactly one value"),
        ({"comparator": "In"}, "at least one value"),
        ({"comparator": "NotIn", "values": tuple(range(16))}, "at most 15 integers"),
        ({"comparator": "In", "type": LOCALE, "locales": LOCALES[:31]}, "at most 30 locales"),
        ({"comparator": "EqualTo", "locales": LOCALES[:1]}, "only the Locale qualification"),
        ({"comparator": "LessThan", "type": LOCALE, "locales": LOCALES[:1]}, "cannot be compared with LessThan"),
        ({"comparator": "EqualTo", "type": LOCALE, "values": (1,)}, "takes locale values"),
        ({"comparator": "EqualTo", "values": (1,), "locales": LOCALES[:1]}, "exclude each other"),
        ({"comparator": "EqualTo", "type": LOCALE, "locales": (Locale("us"),)}, "no locale"),
        ({"comparator": "EqualTo", "values": (2**31,)}, "whole numbers from"),
        ({"comparator": "EqualTo", "values": (True,)}, "whole numbers from"),
        ({"comparator": "EqualTo", "values": ("7",)}, "whole numbers from"),
    ],
)
def test_it_refuses_what_the_protocol_forbids(requirement: dict[str, Any], result: str) -> None:
    with pytest.raises(InvalidRequirement, match=result):
        check([Requirement(**{"type": ROUND} | requirement)])


def test_ten_requirements_are_the_most() -> None:
    one = Requirement(ROUND, "Exists")
    check([one] * 10)
    with pytest.raises(InvalidRequirement, match="at most 10"):
        check([one] * 11)


@pytest.mark.parametrize("comparator", ["In", "NotIn"])
def test_the_longest_lists_are_allowed(comparator: str) -> None:
    check([Requirement(ROUND, comparator, tuple(range(15))), Requirement(LOCALE, comparator, locales=LOCALES[:30])])


@st.composite
def requirements(draw: Any) -> Requirement:
    comparator = draw(st.sampled_from(COMPARATORS))
    most = 15 if comparator in ("In", "NotIn") else 1
    several = st.lists(st.integers(-3, 3), min_size=1, max_size=most)
    values = () if "Exist" in comparator else tuple(draw(several))
    return Requirement(draw(st.sampled_from("XYZ")), comparator, values, guard=draw(st.sampled_from(sorted(GUARDED))))


def naive(requirement: Requirement, scores: dict[str, int], act: str) -> bool:
    """Whether the act is open, said once more and in other words."""
    rank = ["accept", "preview", "discover"].index(act)
    if rank > ["Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"].index(requirement.guard):
        return True
    if requirement.type not in scores:
        return requirement.comparator == "DoesNotExist"
    score, wanted = scores[requirement.type], requirement.values
    first = wanted[0] if wanted else 0
    return {
        "LessThan": score < first,
        "LessThanOrEqualTo": not score > first,
        "GreaterThan": score > first,
        "GreaterThanOrEqualTo": not score < first,
        "EqualTo": score == first,
        "NotEqualTo": score != first,
        "Exists": True,
        "DoesNotExist": False,
        "In": wanted.count(score) > 0,
        "NotIn": wanted.count(score) == 0,
    }[requirement.comparator]


@given(
    st.lists(requirements(), max_size=10),
    st.dictionaries(st.sampled_from("XYZ"), st.integers(-3, 3)),
    st.sampled_from(sorted(ACTS)),
)
def test_it_agrees_with_a_naive_reading(asked: list[Requirement], scores: dict[str, int], act: str) -> None:
    check(asked)
    held = {type: Held(score) for type, score in scores.items()}
    found = [lack.requirement for lack in lacks(asked, held, act)]
    assert found == [one for one in asked if not naive(one, scores, act)]


@given(st.lists(requirements(), max_size=10))
def test_it_reads_what_it_writes(asked: list[Requirement]) -> None:
    assert [Requirement.read(one.written()) for one in asked] == asked


def test_a_locale_is_written_without_what_it_does_not_say() -> None:
    one = Requirement(LOCALE, "In", locales=(Locale("US", "CA"), Locale("DE")))
    assert one.written()["locales"] == [{"country": "US", "subdivision": "CA"}, {"country": "DE"}]
    assert Requirement.read(one.written()) == one


@pytest.mark.parametrize(
    ("submitted", "approved", "rejected", "share"),
    [(0, 0, 0, 100), (99, 0, 99, 100), (100, 0, 0, 100), (100, 99, 1, 99), (200, 100, 50, 66), (100, 0, 100, 0)],
)
def test_the_share_approved_counts_from_a_hundred_on(submitted: int, approved: int, rejected: int, share: int) -> None:
    assert share_approved(submitted=submitted, approved=approved, rejected=rejected) == share
