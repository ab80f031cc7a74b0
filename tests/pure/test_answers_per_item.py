"""Figures at k answers an item: against all draws gone through one by one, and how k is chosen."""

from __future__ import annotations

import itertools
import math
import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.reports.human_scores import (
    MOST_DRAWS,
    common_count,
    draws,
    expected_best,
    pair_scores,
    question_scores,
    question_scores_by_count,
    support_scores,
    support_scores_by_count,
)
from annotation.pure.statistics.metrics import MUSIQUE

near = pytest.approx
GOLD = ["New York City"]
WORDS = st.sampled_from(["New York", "new york!", "New York City", "Boston", "", "York"])
SETS = st.frozensets(st.integers(0, 3), max_size=3)


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_answers_at_k_are_the_mean_over_every_draw_of_k(answers: list[str]) -> None:
    found = question_scores_by_count(answers, GOLD, scorer=MUSIQUE)
    assert found[-1] == question_scores(answers, GOLD, scorer=MUSIQUE)
    for count, at in enumerate(found, 1):
        each = [question_scores(some, GOLD, scorer=MUSIQUE) for some in itertools.combinations(answers, count)]
        means = [fmean(cells) for cells in zip(*(one.cells() for one in each), strict=True)]
        assert at.annotations == count
        assert at.cells() == near(means, nan_ok=True)


@given(st.lists(SETS, min_size=1, max_size=5))
def test_supports_at_k_are_the_mean_over_every_draw_of_k(supports: list[frozenset[int]]) -> None:
    found = support_scores_by_count(supports, {0, 1}, scorer=MUSIQUE)
    for count, at in enumerate(found, 1):
        each = [support_scores(some, {0, 1}, scorer=MUSIQUE) for some in itertools.combinations(supports, count)]
        means = [fmean(cells) for cells in zip(*(one.cells() for one in each), strict=True)]
        assert at.cells() == near(means, nan_ok=True)


@given(
    st.lists(st.tuples(WORDS, SETS), min_size=1, max_size=4), st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 4)
)
def test_pairs_at_k_are_the_mean_over_every_draw_of_k_of_either_twin(
    able: list[tuple[str, frozenset[int]]], contrast: list[str], count: int
) -> None:
    result = {"gold": GOLD, "gold_support": frozenset({0, 1}), "scorer": MUSIQUE}
    at = pair_scores(able, contrast, count=count, **result)
    sides = (itertools.combinations(side, min(count, len(side))) for side in (able, contrast))
    each = [pair_scores(mine, other, **result) for mine, other in itertools.product(*map(list, sides))]
    assert at.labels == near(fmean(one.labels for one in each))
    assert at.answer.f1 == near(fmean(one.answer.f1 for one in each))
    assert at.support.em == near(fmean(one.support.em for one in each))


@pytest.mark.parametrize("each", [pytest.param((5, 4, 4), id=""), pytest.param((7, 6, 5), marks=pytest.mark.soak)])
def test_of_many_answers_seeded_draws_stand_for_all_and_do_not_depend_on_who_came_first(
    each: tuple[int, int, int],
) -> None:
    answers = [
        said for said, times in zip(["New York City", "New York", "Boston"], each, strict=True) for _ in range(times)
    ]
    half = len(answers) // 2
    assert math.comb(len(answers), half) > MOST_DRAWS
    mixed = random.Random(3).sample(answers, len(answers))
    first, second = (question_scores_by_count(some, GOLD, scorer=MUSIQUE)[half - 1] for some in (answers, mixed))
    assert first == second
    exact = fmean(
        question_scores(some, GOLD, scorer=MUSIQUE).human_score.em for some in itertools.combinations(answers, half)
    )
    assert first.human_score.em == near(exact, abs=0.04)


def test_the_upper_bound_grows_with_k_and_the_average_does_not() -> None:
    found = question_scores_by_count(["New York City", "Boston", "Lyon", "York"], GOLD, scorer=MUSIQUE)
    assert [at.upper_bound.em for at in found] == [near(0.25), near(0.5), near(0.75), near(1)]
    assert {round(at.average.em, 9) for at in found} == {0.25}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 7))
def test_the_expected_best_is_the_mean_of_the_best_of_every_draw(values: list[float], count: int) -> None:
    every = itertools.combinations(values, min(count, len(values)))
    assert expected_best(values, count) == near(fmean(map(max, every)))


def test_few_draws_are_all_gone_through() -> None:
    assert list(draws("abc", 2)) == [("a", "b"), ("a", "c"), ("b", "c")]


@pytest.mark.parametrize(
    ("items", "count"),
    [
        ([(3, 3), (3, 3)], 3),
        ([(3, 3), (5, 5)], 3),  # one was topped up
        ([(5, 5), (5, 5)], 5),
        ([(1, 3), (3, 3)], 3),  # one is not answered to its end
        ([(1, 3), (2, 3)], 2),  # nothing is
        ([(4, 1), (5, 1)], 4),  # more came from elsewhere
        ([], 0),
    ],
)
def test_items_come_down_to_the_number_that_the_batch_asked_for(items: list[tuple[int, int]], count: int) -> None:
    assert common_count(items) == count
