"""Agreement coefficients against published tables, independent implementations and degenerate tables."""

from __future__ import annotations

import itertools
import random
from time import process_time

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

from annotation.pure.statistics.agreement import (
    alpha_figure,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from annotation.pure.statistics.distance_agreement import Alpha, alpha, alpha_of_answers, alpha_of_sets, masi
from annotation.pure.statistics.metrics import HOTPOTQA, MUSIQUE

LEVELS = ("nominal", "ordinal", "interval", "ratio")


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
# Fleiss 1971: 30 patients, 6 raters; depression, personality, schizophrenia, neurosis, other
PATIENTS = """00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"""
FLEISS = [[int(count) for count in row] for row in PATIENTS.split()]
# The encyclopaedia's example: 10 subjects, 14 raters, 5 categories
FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


@pytest.mark.parametrize(
    ("units", "published"),
    [(FOUR, [0.743, 0.815, 0.849, 0.797]), (THREE, [0.691, 0.807, 0.811, 0.809])],
)
def test_alpha_reproduces_the_published_tables(units, published):
    assert [round(krippendorff_alpha(units, level), 3) for level in LEVELS] == published


@pytest.mark.parametrize(("table", "published"), [(FLEISS, 0.430), (FOURTEEN, 0.210)])
def test_fleiss_kappa_reproduces_the_published_tables(table, published):
    assert round(fleiss_kappa(table), 3) == published


def test_the_published_patients_have_the_published_shares():
    shares = np.sum(FLEISS, axis=0) / 180
    assert shares.round(3).tolist() == [0.144, 0.144, 0.167, 0.306, 0.239]


def test_cohen_kappa_reproduces_the_published_table():
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert cohen_kappa(*zip(*pairs, strict=True)) == pytest.approx(0.4)
    assert percent_agreement(pairs) == pytest.approx(0.7)


def random_table(rng: random.Random) -> list[list[int | None]]:
    raters, units, kinds = rng.randint(1, 5), rng.randint(1, 12), rng.randint(1, 4)
    gap = rng.choice([0, 0, 0.3, 0.8])
    base = rng.choice([0, 1, 1, 1000])
    return [
        [None if rng.random() < gap else base + rng.randrange(kinds) ** 2 for _ in range(raters)] for _ in range(units)
    ]


def theirs(units, level):
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
        level = rng.choice(LEVELS)
        ours = krippendorff_alpha(units, level)
        used = {label for unit in units if sum(x is not None for x in unit) > 1 for label in unit}
        if len(used - {None}) < 2:
            assert ours is None
        else:
            assert ours == pytest.approx(theirs(units, level), abs=1e-9)
            compared += 1


def test_fleiss_and_cohen_equal_other_implementations_on_random_tables():
    rng = random.Random(9)
    for _ in range(1000):
        raters, kinds = rng.randint(2, 6), rng.randint(2, 4)
        rows = [[rng.randrange(kinds) for _ in range(raters)] for _ in range(rng.randint(2, 12))]
        if len({label for row in rows for label in row}) == 1:
            continue
        counts, _ = inter_rater.aggregate_raters(np.array(rows))
        assert fleiss_kappa(counts) == pytest.approx(inter_rater.fleiss_kappa(counts), abs=1e-9)
        first, second = [row[0] for row in rows], [row[1] for row in rows]
        if len({*first, *second}) > 1:
            assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)


@pytest.mark.parametrize("units", [[], [[]], [["x"], ["y"]], [["x", "x"], ["x", "x"]], [["x", None], [None]]])
def test_a_table_without_anything_to_compare_has_no_coefficient(units):
    assert krippendorff_alpha(units) is None
    assert by_worker(units).figure.value is None
    assert alpha_figure(units, 1).value is None


def test_numbers_that_are_all_equal_have_no_coefficient():
    for level in LEVELS:
        assert krippendorff_alpha([[3, 3], [3, 3]], level) is None
    assert fleiss_kappa([[3, 0], [3, 0]]) is None
    assert fleiss_kappa([[1, 0], [0, 1]]) is None
    assert fleiss_kappa([]) is None
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    assert cohen_kappa(["a", None], [None, "a"]) is None
    assert percent_agreement([["a"], [None, "b"]]) is None


def test_fleiss_kappa_refuses_units_with_different_numbers_of_labels():
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([[2, 0], [1, 2]])


def by_worker(units, similarity=None) -> Alpha:
    """Alpha by distance of units whose seats are the workers'."""
    named = [{str(seat): label for seat, label in enumerate(unit) if label is not None} for unit in units]
    return alpha(named, 1, similarity=similarity)


def test_alpha_by_a_distance_of_equality_is_nominal_alpha():
    for units in (FOUR, THREE):
        found = by_worker(units).figure
        assert found.value == pytest.approx(krippendorff_alpha(units), abs=1e-12)
        ours = alpha_figure(units, 1)
        assert (found.low, found.high) == (pytest.approx(ours.low, abs=0.05), pytest.approx(ours.high, abs=0.05))
        assert found.n == ours.n
        squares = by_worker(units, lambda a, b: 1 - float((a - b) ** 2) / 100).figure
        assert squares.value == pytest.approx(krippendorff_alpha(units, "interval"), abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_alpha_by_distance_equals_nominal_alpha_on_random_tables():
    rng = random.Random(18)
    for _ in range(60):
        units = random_table(rng)
        ours = krippendorff_alpha(units)
        found = by_worker(units).figure.value
        assert (found is None) == (ours is None)
        assert ours is None or found == pytest.approx(ours, abs=1e-9)


def test_free_answers_agree_by_their_overlap():
    units = [["New York", "New York City"], ["Paris", "Paris"], ["1999", "May 1999"]]
    exact = krippendorff_alpha(units)
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
    without = [krippendorff_alpha([[x for k, x in enumerate(u) if k != seat] for u in FOUR]) for seat in range(4)]
    assert (found.without.low, found.without.high) == (pytest.approx(min(without)), pytest.approx(max(without)))
    assert found.without.n == 4


def test_many_answers_in_free_text_are_compared_in_seconds():
    rng = random.Random(3)
    words = [f"word{k}" for k in range(4_000)]
    units = [{w: " ".join(rng.sample(words, rng.randint(1, 3))) for w in "abc"} for _ in range(2_000)]
    began = process_time()
    assert alpha_of_answers(units, MUSIQUE, 1).figure.value == pytest.approx(0, abs=0.01)
    assert process_time() - began < 15


def test_an_alpha_comes_with_its_interval_and_the_number_of_units():
    figure = alpha_figure(FOUR, 1)
    assert figure.value == pytest.approx(0.7434, abs=1e-4)
    assert figure.low < figure.value < figure.high <= 1
    assert (figure.n, figure.method) == (11, "percentile")


@settings(max_examples=200)
@given(
    st.lists(st.lists(st.none() | st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=6),
    st.randoms(),
)
def test_neither_the_order_of_units_nor_of_raters_matters(units, rng):
    seats = rng.sample(range(3), 3)
    moved = [[unit[seat] for seat in seats] for unit in rng.sample(units, len(units))]
    for level in LEVELS:
        assert krippendorff_alpha(units, level) == pytest.approx(krippendorff_alpha(moved, level), abs=1e-9)
    renamed = [[None if label is None else "dcba"[label] for label in unit] for unit in units]
    assert krippendorff_alpha(units) == pytest.approx(krippendorff_alpha(renamed), abs=1e-9)
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
