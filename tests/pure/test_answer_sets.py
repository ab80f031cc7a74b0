"""Loose and strict accuracy of sets of answers."""

from __future__ import annotations

import pytest

from annotation.pure.statistics.metrics import accuracy, key

RIVERS = [("Rhine", "Rhein"), ("Elbe",), ("Danube", "Donau")]


@pytest.mark.parametrize(
    ("response", "loose", "strict"),
    [
        ("Rhine, Elbe and Danube", 1, 1),
        ("Donau\nRhein\nElbe", 1, 1),
        ("the Rhine; the Elbe; the Oder", 2 / 3, 0),
        ("RHINE", 1 / 3, 0),
        ("Rhinestone, Elbert", 0, 0),
        ("", 0, 0),
    ],
)
def test_loose_is_the_share_of_answers_found_and_strict_whether_all_are(
    response: str, loose: float, strict: float
) -> None:
    assert accuracy(response, RIVERS) == (pytest.approx(loose), strict)


def test_numbers_count_with_and_without_commas() -> None:
    assert accuracy("1,234,567 people", [("1234567",)]).strict == 1
    assert accuracy("12345", [("1,234",)]).strict == 0


def test_wrong_answers_beside_the_right_ones_cost_nothing() -> None:
    assert accuracy("Rhine, Elbe, Danube, Nile", RIVERS) == (1, 1)


def test_an_alias_without_letters_is_never_found() -> None:
    assert accuracy("the", [("the",)]) == (0, 0)
    with pytest.raises(ValueError, match="no answers"):
        accuracy("Rhine", [])


def test_lists_are_the_same_in_any_order() -> None:
    assert key("The Rhine\n Elbe") == key("elbe\n\nrhine\nElbe")
    assert key("Rhine") != key("Rhine\nElbe")
