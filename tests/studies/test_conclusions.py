"""What a study concludes from its figures: of primary ones, together, and nothing where too little is known."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.pure.statistics.intervals import ITEMS_ONLY, Figure, wilson
from annotation.pure.statistics.worker_intervals import Spread, two_sided
from annotation.pure.studies.conclusions import (
    ALL_EQUAL,
    CONTRADICTED,
    DIFFERENT,
    EFFECT,
    NO_EFFECT,
    NO_INTERVAL,
    NO_N,
    NO_SHARE,
    NOT_CURRENT,
    NOT_SHOWN,
    TOO_FEW,
    Comparison,
    Own,
    compared,
    spread_of,
)
from annotation.pure.studies.published import Published


def paper(value: float, n: int | None = 125, **more: Any) -> Published:
    names = ("figure", "unit", "table", "row", "column", "page", "quoted_from")
    return Published(
        **{"value": value, "n": n, "batch": "b", "path": "p", "primary": True, **dict.fromkeys(names, "")} | more
    )


def own(value: float, error: float | None = 0.04, n: int = 125, least: float = 0.0) -> Own:
    return Own(value, n, Spread(value, error, 14, n, least))


def one(published: Published, ours: Own | None) -> Comparison:
    [found] = compared([(published, ours)])
    assert found is not None
    return found


def test_a_primary_figure_far_from_the_papers_is_different_and_a_near_one_is_not_shown_to_be() -> None:
    far, near = one(paper(0.5), own(0.9)), one(paper(0.88), own(0.9))
    assert (far.conclusion, near.conclusion) == (DIFFERENT, NOT_SHOWN)
    assert far.difference.low is not None
    assert far.difference.low > 0
    assert far.chance is not None
    assert far.chance < 0.001
    assert near.needed is not None
    assert 0.08 < near.needed < 0.15


def test_what_was_called_more_than_chance_with_an_interval_narrower_than_ours_is_not_shown() -> None:
    """Published .78 of 125, ours .90 with [.77, .96] over 29 questions."""
    ours = own(0.9, (0.9 - 0.77) / two_sided(0.95, 14), 29)
    found = one(paper(0.78), ours)
    assert found.conclusion == NOT_SHOWN
    assert found.difference.low is not None
    assert found.difference.high is not None
    assert found.difference.high - found.difference.low >= (ours.figure().high or 0) - (ours.figure().low or 0)


def test_the_needed_difference_is_the_one_at_which_the_conclusion_turns() -> None:
    found = one(paper(0.6), own(0.65))
    assert found.needed is not None
    for change, conclusion in ((-0.01, NOT_SHOWN), (0.01, DIFFERENT)):  # it shifts a little with our value
        assert one(paper(0.6), own(0.6 + found.needed + change)).conclusion == conclusion


def test_a_figure_that_is_not_primary_has_its_interval_and_no_conclusion() -> None:
    found = one(paper(0.5, primary=False), own(0.9))
    assert found.difference.low is not None
    assert (found.conclusion, found.why, found.chance, found.needed) == ("", "", None, None)


@pytest.mark.parametrize(
    ("published", "ours", "why"),
    [
        (paper(0.5), own(0.9, None), TOO_FEW),
        (paper(0.5), own(1.0, 0.0, 14), ALL_EQUAL),
        (paper(0.5, None), own(0.9), NO_N),
        (paper(-0.1), own(0.9), NO_SHARE),
        (paper(0.5), Own(0.9, 20, None), NO_INTERVAL),
        (paper(0.5), Own(0.9, 20, None, NOT_CURRENT), NOT_CURRENT),
        (paper(0.5, batch="b - c"), own(0.9, None), TOO_FEW),
    ],
)
def test_where_too_little_is_known_nothing_is_concluded_and_it_says_why(
    published: Published, ours: Own, why: str
) -> None:
    found = one(published, ours)
    assert (found.conclusion, found.why) == ("", why)
    assert found.difference.value == pytest.approx(ours.value - published.value)


def test_without_an_n_the_difference_stands_alone() -> None:
    found = one(paper(0.5, None), own(0.9))
    assert (found.difference.low, found.difference.high) == (None, None)


def test_all_equal_keeps_an_interval_within_what_shares_can_differ() -> None:
    ours = own(1.0, 0.0, 29)
    assert ours.figure().low == wilson(29, 29).low
    assert ours.figure().method == ITEMS_ONLY
    found = one(paper(0.1), ours)
    assert found.difference.high is not None
    assert found.difference.high <= 1


def test_holm_protects_the_family_and_figures_beside_it_do_not_count() -> None:
    """p of .02 alone is a conclusion; among ten it is not, and beside nine that are not primary it is."""
    lone = paper(0.6), own(0.765)
    assert one(*lone).conclusion == DIFFERENT
    others = [(paper(0.6), own(0.61))] * 9
    first = compared([lone, *others])[0]
    assert first is not None
    assert first.conclusion == NOT_SHOWN
    assert first.needed is not None
    assert first.needed > (one(*lone).needed or 1)
    beside = compared([lone, *[(paper(0.6, primary=False), ours) for _published, ours in others]])[0]
    assert beside == one(*lone)


def test_a_primary_figure_without_ours_counts_in_the_family_all_the_same() -> None:
    lone = paper(0.6), own(0.765)
    found = compared([lone, *[(paper(0.6), None)] * 9])
    assert found[0] is not None
    assert found[0].conclusion == NOT_SHOWN
    assert found[1:] == [None] * 9


def test_a_bound_is_contradicted_on_its_own_side_only_and_needs_less() -> None:
    below, above = own(0.62), own(0.95, 0.02)
    least = paper(0.8, bound="at least")
    assert (one(least, below).conclusion, one(least, above).conclusion) == (CONTRADICTED, NOT_SHOWN)
    most = paper(0.8, bound="at most")
    assert (one(most, below).conclusion, one(most, above).conclusion) == (NOT_SHOWN, CONTRADICTED)
    two = one(paper(0.8), below).chance
    assert one(least, below).chance == pytest.approx((two or 0) / 2)
    assert (one(least, below).needed or 1) < (one(paper(0.8), below).needed or 0)


def test_a_contrast_is_tested_against_0_by_its_own_interval() -> None:
    contrast = paper(0.031, None, batch="fw - pd")
    found = one(contrast, own(0.2, 0.04, least=-1.0))
    assert (found.conclusion, found.difference.low) == (EFFECT, None)
    assert found.difference.value == pytest.approx(0.169)
    assert found.needed == pytest.approx(two_sided(0.95, 14) * 0.04)
    assert one(contrast, own(0.05, 0.04, least=-1.0)).conclusion == NO_EFFECT


def test_the_spread_behind_an_interval_is_found_again_and_not_less_where_an_end_is_cut() -> None:
    for value in (0.8, 0.5, 0.3):
        found = spread_of(Spread(value, 0.04, 9, 50).figure(), 10)
        assert found is not None
        assert found.error == pytest.approx(0.04)
    cut = spread_of(Spread(0.95, 0.04, 9, 50).figure(), 10)
    assert cut is not None
    assert 0.04 <= (cut.error or 0) <= 0.08, "no less than it was"
    assert spread_of(Figure(0.5, None, None, 9), 10) is None
    few = spread_of(Figure(0.5, 0.4, 0.6, 9), 3)
    assert few is not None
    assert few.error is None
    equal = spread_of(Figure(1.0, 0.8, 1.0, 14, ITEMS_ONLY), 9)
    assert equal is not None
    assert equal.error == 0
