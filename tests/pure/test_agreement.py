"""Agreement coefficients against published tables, independent implementations and degenerate tables."""

from __future__ import annotations

import itertools
import random
from statistics import fmean

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.statistics.agreement import percent_agreement
from annotation.pure.statistics.distance_agreement import Alpha, alpha, alpha_of_answers, alpha_of_sets, masi
from annotation.pure.statistics.metrics import HOTPOTQA, MUSIQUE
from tests.bench.coverage_alpha import coverage_of_alpha
from tests.long_forms import examples


def by_unit(*raters: str) -> list[list[int | None]]:
    """Units from one line per rater, `.` for no label."""
    lines = [[None if mark == "." else int(mark) for mark in rater.split()] for rater in raters]
    return [list(unit) for unit in zip(*lines, strict=True)]


# Krippendorff 2011: 4 observers, 12 units
FOUR = by_unit(
    "1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."
)
# The encyclopaedia's example: 3 coders, 15 units
THREE = by_unit(". . . . . 3 4 1 2 1 1 3 3 . 3", "1 . 2 1 3 3 4 3 . . . . . . .", ". . 2 1 3 4 4 . 2 1 1 3 3 . 4")


def nominal(units) -> float | None:
    """Nominal alpha of units."""
    return by_worker(units, resamples=9).figure.value


@pytest.mark.parametrize(("units", "published"), [(FOUR, 0.743), (THREE, 0.691)])
def test_alpha_reproduces_the_published_tables(units, published):
    assert round(nominal(units), 3) == published


def test_the_share_of_agreeing_pairs_is_that_of_the_published_table():
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert percent_agreement(pairs) == pytest.approx(0.7)


def random_table(rng: random.Random) -> list[list[int | None]]:
    raters, units, kinds = rng.randint(1, 5), rng.randint(1, 12), rng.randint(1, 4)
    gap = rng.choice([0, 0, 0.3, 0.8])
    base = rng.choice([0, 1, 1, 1000])
    return [
        [None if rng.random() < gap else base + rng.randrange(kinds) ** 2 for _ in range(raters)] for _ in range(units)
    ]


def theirs(units, level="nominal"):
    """Alpha by another implementation; None where it has no value to give."""
    grid = np.array([[np.nan if label is None else label for label in unit] for unit in units], dtype=float).T
    try:
        with np.errstate(all="ignore"):
            value = krippendorff.alpha(reliability_data=grid, level_of_measurement=level)
    except (ValueError, AssertionError):
        return None
    return None if np.isnan(value) else value


@pytest.mark.filterwarnings("ignore")
def test_alpha_equals_another_implementation_on_random_tables():
    rng = random.Random(8)
    compared = 0
    while compared < 1000:
        units = random_table(rng)
        ours = nominal(units)
        used = {label for unit in units if sum(x is not None for x in unit) > 1 for label in unit}
        if len(used - {None}) < 2:
            assert ours is None
        else:
            assert ours == pytest.approx(theirs(units), abs=1e-9)
            compared += 1


@pytest.mark.parametrize("units", [[], [[]], [["x"], ["y"]], [["x", "x"], ["x", "x"]], [["x", None], [None]]])
def test_a_table_without_anything_to_compare_has_no_coefficient(units):
    assert by_worker(units).figure.value is None


def test_numbers_that_are_all_equal_have_no_coefficient():
    assert nominal([[3, 3], [3, 3]]) is None
    assert percent_agreement([["a"], [None, "b"]]) is None


def by_worker(units, similarity=None, **terms) -> Alpha:
    """Alpha by distance of units whose seats are the workers'."""
    named = [{str(worker): label for worker, label in enumerate(unit) if label is not None} for unit in units]
    return alpha(named, 1, similarity=similarity, **terms)


def test_alpha_by_squared_differences_is_interval_alpha():
    for units in (FOUR, THREE):
        squares = by_worker(units, lambda a, b: 1 - float((a - b) ** 2) / 100).figure
        assert squares.value == pytest.approx(theirs(units, "interval"), abs=1e-9)


@pytest.mark.parametrize(
    "units",
    [
        [["x", "x"]] * 5 + [["y", "y"]] * 5,  # all agree: no resample would show less
        [[f"{k}a", f"{k}b"] for k in range(10)],  # nobody agrees
        [["x", "x"]] * 9 + [["x", "y"]],  # a third of the resamples has only one label
        [["x", "y", "x"]],
    ],
)
def test_an_alpha_whose_resamples_show_no_uncertainty_has_no_interval(units):
    figure = by_worker(units).figure
    assert (figure.value is None, figure.low, figure.high) == (False, None, None)


@pytest.mark.parametrize("seed", range(12))
def test_the_interval_of_an_alpha_contains_it_where_answers_hardly_agree(seed):
    rng = random.Random(seed)
    units = [{w: f"{rng.randrange(30)} {rng.randrange(30)}" for w in "ab"} for _ in range(10)]
    figure = alpha_of_answers(units, MUSIQUE, 1).figure
    assert figure.low is None or figure.low <= figure.value <= figure.high


@pytest.mark.parametrize(("labels", "agree", "items", "least"), [(2, 0.7, 10, 0.9), (30, 0.6, 10, 0.85)])
def test_the_interval_of_an_alpha_covers_the_truth(labels, agree, items, least):
    covered = list(coverage_of_alpha(labels, agree, items, draws=100, resamples=299))
    assert fmean(covered) >= least


def test_free_answers_agree_by_their_overlap():
    units = [["New York", "New York City"], ["Paris", "Paris"], ["1999", "May 1999"]]
    exact = nominal(units)
    overlap = alpha_of_answers([dict(enumerate(map(str, unit))) for unit in units], MUSIQUE, 1).figure
    assert exact < overlap.value < 1
    answers = [label for unit in units for label in unit]
    far = [[1 - MUSIQUE.answer(a, [b]).f1 for b in answers] for a in answers]
    observed = sum(far[k][k + 1] * 2 for k in (0, 2, 4))
    assert overlap.value == pytest.approx(1 - observed / (np.sum(far) / 5))


def test_no_answer_agrees_with_no_answer_only_and_yes_with_yes_as_the_scorer_has_it():
    units = [{"a": "", "b": ""}, {"a": "yes", "b": "yes it is"}, {"a": "The Well", "b": "well."}]
    for scorer, near in ((HOTPOTQA, 0.0), (MUSIQUE, 0.5)):
        found = alpha_of_answers(units, scorer, 1).figure
        expected = (36 - 4 - 4 - 2 - 2 * near) / 5
        assert found.value == pytest.approx(1 - 2 * (1 - near) / expected)


@pytest.mark.parametrize(
    ("one", "other", "similar"),
    [
        ({1, 2}, {1, 2}, 1),
        (set(), set(), 1),
        ({1, 2}, {1}, 2 / 3 * 1 / 2),
        ({1, 2}, {2, 3}, 1 / 3 * 1 / 3),
        ({1}, {2}, 0),
        (set(), {1}, 0),
    ],
)
def test_sets_are_alike_as_masi_has_it(one, other, similar):
    assert masi(frozenset(one), frozenset(other)) == pytest.approx(similar) == masi(frozenset(other), frozenset(one))


def test_supports_agree_by_their_overlap_and_by_chance():
    units = [{"a": frozenset({0, 1}), "b": frozenset({0, 1})}, {"a": frozenset({0, 2}), "b": frozenset({0})}]
    far = 1 - 2 / 3 * 1 / 2, 1 - 1 / 3 * 1 / 3  # of {0, 2} and {0}; of {0, 1} and {0, 2}
    expected = (2 * far[0] + 2 * 2 * far[1] + 2 * 2 * far[0]) / 3
    assert alpha_of_sets(units, 1).figure.value == pytest.approx(1 - 2 * far[0] / expected)


def test_the_range_of_alpha_is_over_the_workers_one_of_whom_is_left_out():
    found = by_worker(FOUR)
    without = [nominal([[x for k, x in enumerate(u) if k != worker] for u in FOUR]) for worker in range(4)]
    assert (found.without.low, found.without.high) == (pytest.approx(min(without)), pytest.approx(max(without)))
    assert found.without.n == 4


def test_answers_in_free_text_by_chance_agree_no_more_than_chance():
    rng = random.Random(3)
    words = [f"word{k}" for k in range(400)]
    units = [{w: " ".join(rng.sample(words, rng.randint(1, 3))) for w in "abc"} for _ in range(200)]
    assert alpha_of_answers(units, MUSIQUE, 1).figure.value == pytest.approx(0, abs=0.03)


def test_an_alpha_comes_with_its_interval_and_the_number_of_units():
    figure = by_worker(FOUR).figure
    assert figure.value == pytest.approx(0.7434, abs=1e-4)
    assert figure.low < figure.value < figure.high <= 1
    assert (figure.n, figure.method) == (11, "bca")


@settings(max_examples=examples(40, soak=200))
@given(
    st.lists(st.lists(st.none() | st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6),
    st.randoms(),
)
def test_neither_the_order_of_units_nor_of_raters_matters(units, rng):
    seats = rng.sample(range(3), 3)
    moved = [[unit[worker] for worker in seats] for unit in rng.sample(units, len(units))]
    assert nominal(units) == pytest.approx(nominal(moved), abs=1e-9)
    renamed = [[None if label is None else "dcba"[label] for label in unit] for unit in units]
    assert nominal(units) == pytest.approx(nominal(renamed), abs=1e-9)
    assert percent_agreement(units) == pytest.approx(percent_agreement(renamed))


def test_agreement_is_between_pairs_within_a_unit():
    unit = ["a", "a", "b"]
    pairs = [x == y for x, y in itertools.permutations(unit, 2)]
    assert percent_agreement([unit]) == pytest.approx(sum(pairs) / len(pairs))


def test_the_interval_of_an_alpha_resamples_what_its_units_belong_to():
    rng = random.Random(3)
    units, questions = [], []
    for question in range(40):
        careful = rng.random() < 0.7  # all paragraphs of a question are judged alike well
        for _paragraph in range(10):
            truth = rng.random() < 0.5
            units.append({w: truth if careful or rng.random() < 0.5 else not truth for w in "ab"})
            questions.append(question)
    alone, together = alpha(units, 1).figure, alpha(units, 1, clusters=questions).figure
    assert alone.value == together.value
    assert together.high - together.low > 1.3 * (alone.high - alone.low)
    assert alpha(units, 1, clusters=range(len(units))).figure == alone
