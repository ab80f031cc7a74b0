"""Rates over rows that belong together are resampled by what they belong to."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.pure.statistics.intervals import Figure, bootstrap_figure, clustered_share, wilson


def test_rows_that_stand_alone_have_wilson_s_interval() -> None:
    assert clustered_share(((k, k < 3) for k in range(10)), 1) == wilson(3, 10)
    assert clustered_share([], 1) == Figure(None, None, None, 0)


def test_five_shuffles_of_a_question_are_no_five_questions() -> None:
    rows = [(question, float(question < 12)) for question in range(30) for _shuffle in range(5)]
    found, alone = clustered_share(rows, 1), wilson(60, 150)
    assert (found.value, found.n) == (pytest.approx(0.4), 150)
    assert found.high - found.low > 2 * (alone.high - alone.low)
    same = bootstrap_figure([float(question < 12) for question in range(30)], 1)
    assert (found.low, found.high) == (pytest.approx(same.low), pytest.approx(same.high))


def test_a_rate_of_nothing_counts_its_clusters_and_not_its_rows() -> None:
    found = clustered_share([(row // 5, 0.0) for row in range(50)], 1)
    assert (found.value, found.n, found.high) == (0.0, 50, wilson(0, 10).high)


def test_a_rate_of_everything_counts_its_clusters_and_not_its_rows() -> None:
    found = clustered_share([(row // 5, 1.0) for row in range(50)], 1)
    assert (found.value, found.n, found.low) == (1.0, 50, wilson(10, 10).low)


def test_one_cluster_alone_has_no_interval() -> None:
    assert clustered_share([("a", 1.0), ("a", 0.0)], 1) == Figure(0.5, None, None, 2)


def test_clusters_of_uneven_size_are_covered_as_often_as_said() -> None:
    rng, held = np.random.default_rng(5), 0
    for run in range(300):
        sizes = rng.integers(1, 7, size=40)
        chances = rng.beta(2, 3, size=40)
        rows = [(k, float(v)) for k in range(40) for v in rng.random(sizes[k]) < chances[k]]
        found = clustered_share(rows, run, resamples=499)
        held += found.low <= 0.4 <= found.high
    assert 0.90 <= held / 300 <= 0.98
