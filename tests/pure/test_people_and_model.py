"""PPI++ against a second implementation, its guards, and cases at the edges."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction
from statistics import fmean, pvariance, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from annotation.pure.statistics.intervals import wilson
from annotation.pure.statistics.people_and_model import (
    ALL_JUDGED,
    BOTH,
    FEW_DIFFERENT,
    FEW_ELEMENTS,
    FEW_ITEMS,
    FEW_LABELS,
    NO_GAIN,
    Sample,
    Summed,
    best_rate,
    difference,
    estimate,
    moments,
    sample_of,
    sample_of_elements,
)
from annotation.pure.statistics.worker_intervals import Response
from tests.bench import coverage_models

near = pytest.approx


def study(
    seed: int,
    *,
    n: int = 120,
    others: int = 600,
    workers: int = 3,
    each: int = 1,
    share: float = 0.4,
    good: float = 0.85,
) -> tuple[list[Response], dict[int, float]]:
    rng = random.Random(seed)
    truth = [float(rng.random() < share) for _item in range(n + others)]

    def label(item: int, right: float) -> float:
        return truth[item] if rng.random() < right else 1 - truth[item]

    rows = [Response(i, f"w{w}", label(i, 0.95)) for i in range(n) for w in rng.sample(range(workers), each)]
    return rows, {i: label(i, good) for i in range(n + others)}


def sample(*args: object, **options: object) -> Sample:
    found = sample_of(*study(*args, **options))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_rate_estimate_and_variance_equal_a_second_implementation() -> None:
    rows, model = study(1)
    y = {row.item: Fraction(row.value) for row in rows}
    f = {item: Fraction(value) for item, value in model.items()}
    n, big = len(y), len(f) - len(y)
    y_mean, f_mean = sum(y.values()) / n, sum(f[i] for i in y) / n
    covariance = sum((y[i] - y_mean) * (f[i] - f_mean) for i in y) / n
    rate = covariance / ((1 + Fraction(n, big)) * variance(list(f.values())))
    others = [f[i] for i in f if i not in y]
    value = rate * sum(others) / big + sum(y[i] - rate * f[i] for i in y) / n
    spread = rate**2 * pvariance(others) / big + pvariance([y[i] - rate * f[i] for i in y]) / n
    found = sample(1)
    assert best_rate(found) == near(float(rate), abs=1e-9)
    assert moments(found, float(rate)) == near((float(value), float(spread)), abs=1e-9)
    half = stats.t.ppf(0.975, n - 1) * float(spread) ** 0.5
    printed = estimate(found).printed
    assert (printed.value, printed.low, printed.high) == near((float(value), value - half, value + half), abs=1e-9)
    assert (printed.method, printed.n) == (BOTH, n)


def test_the_crossed_variance_goes_worker_by_worker_on_what_the_model_leaves() -> None:
    rows, model = study(2, workers=9, each=2)
    found = sample_of(rows, model)
    assert found is not None
    rate = best_rate(found)
    rest = [(row.item, row.worker, (row.value - rate * model[row.item])) for row in rows]
    mean, k = fmean(of for _i, _w, of in rest), len(rest)
    items, workers = defaultdict(float), defaultdict(list)
    for item, worker, of in rest:
        items[item] += (of - mean) / k
        workers[worker].append(of)
    left = [(mean * k - sum(of)) / (k - len(of)) for of in workers.values()]
    of_items = sum(of**2 for of in items.values()) * len(items) / (len(items) - 1)
    of_workers = pvariance(left) * (len(left) - 1)
    single = sum(((of - mean) / k) ** 2 for _i, _w, of in rest)
    others = [model[i] for i in model if i not in items]
    wanted = max(of_items + of_workers - single, of_items, of_workers) + rate**2 * pvariance(others) / len(others)
    assert moments(found, rate)[1] == near(wanted, abs=1e-9)
    printed = estimate(found).printed
    assert (printed.high or 0) - (printed.value or 0) == near(stats.t.ppf(0.975, 8) * wanted**0.5, abs=1e-9)


def test_the_model_alone_is_off_by_a_bias_that_the_estimate_does_not_have() -> None:
    rows, model = study(3, n=400, others=20_000)
    found = estimate(sample_of(rows, {i: 1.0 if i % 3 else v for i, v in model.items()}))  # type: ignore[arg-type]
    assert (found.model.value or 0) - 0.41 == near(found.bias.value, abs=0.05)
    assert (found.bias.low or 0) > 0.2
    assert (found.printed.low or 0) < 0.41 < (found.printed.high or 0)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"share": 0.04}, FEW_LABELS),
        ({"good": 1.0, "n": 30, "share": 0.5}, FEW_DIFFERENT),
        ({"others": 0}, ALL_JUDGED),
    ],
)
def test_people_stand_alone_where_a_guard_refuses(options: dict[str, float], reason: str) -> None:
    found = estimate(sample(4, **options))
    assert (found.refused, found.rate, found.printed) == (reason, 0, found.alone)
    k = round(found.different.value * found.judged)  # type: ignore[operator]
    bound = wilson(k, found.judged)
    assert (found.different.value, found.different.high) == near((bound.value, bound.high), abs=1e-9)
    assert found.worth == found.judged


def test_means_need_thirty_items_and_no_differences() -> None:
    assert estimate(sample(5, n=29), mean=True).refused == FEW_ITEMS
    assert estimate(sample(5, n=30, good=1.0), mean=True).printed.method == BOTH


def test_a_model_that_says_the_same_of_all_changes_nothing() -> None:
    rows, model = study(6)
    found = estimate(sample_of(rows, dict.fromkeys(model, 1.0)))  # type: ignore[arg-type]
    assert (found.refused, found.rate, found.model.value) == (NO_GAIN, 0, 1)


def test_what_the_model_saved_is_at_most_all_items() -> None:
    found = estimate(sample(7, n=150, others=20_000, good=0.95))
    printed, alone = moments(sample(7, n=150, others=20_000, good=0.95), found.rate)[1], found.alone
    assert found.worth == near(150 * moments(sample(7, n=150, others=20_000, good=0.95), 0)[1] / printed)
    assert found.worth > 200
    assert (alone.high or 0) - (alone.low or 0) > (found.printed.high or 0) - (found.printed.low or 0)
    assert estimate(sample(7, n=150, others=20, good=0.95)).worth <= 170
    assert not found.many
    assert estimate(sample(7, n=150, others=20)).many


@pytest.mark.parametrize("workers", [3, 9])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_equal_responses_have_the_score_interval_of_their_items(workers: int, share: float) -> None:
    rows, model = study(8, n=40, workers=workers)
    found = estimate(sample_of([row._replace(value=share) for row in rows], model))  # type: ignore[arg-type]
    wanted = wilson(share * 40, 40)
    assert (found.printed.value, found.printed.low, found.printed.high) == near((share, wanted.low, wanted.high))


def test_without_predicted_items_there_is_no_sample() -> None:
    assert sample_of([Response(1, "w", 1.0)], {2: 1.0}) is None


def test_a_single_response_is_printed() -> None:
    found = estimate(sample_of([Response(1, "w", 1.0)], {1: 1.0, 2: 0.0}))  # type: ignore[arg-type]
    assert (found.printed.value, found.printed.n, found.refused) == (1, 1, FEW_LABELS)


@pytest.mark.parametrize("workers", [3, 9])
def test_equal_chances_change_nothing_but_how_the_estimate_is_written(workers: int) -> None:
    rows, model = study(9, workers=workers, each=2)
    plain = sample_of(rows, model)
    drawn = sample_of(rows, model, dict.fromkeys(range(120), 1 / 6))
    assert plain is not None
    assert drawn is not None
    one, other = estimate(plain), estimate(drawn)
    assert other.printed.value == near(one.printed.value, abs=1e-9)
    assert other.rate == near(one.rate * (1 + 120 / 600), abs=1e-9)
    assert (other.effective, other.gain, one.gain) == near((120, 1, 1))
    if workers < 7:
        assert moments(drawn, other.rate)[1] == near(moments(plain, one.rate)[1], rel=0.01)


def test_the_weighted_estimate_equals_a_second_implementation() -> None:
    rows, model = study(10)
    rng = np.random.default_rng(10)
    chances = {i: float(p) for i, p in enumerate(rng.uniform(0.05, 1, 120))}
    found = sample_of(rows, model, chances)
    assert found is not None
    rate, w = best_rate(found), {i: 1 / chances[i] for i in range(120)}
    total = sum(w.values())
    rest = {row.item: row.value - rate * model[row.item] for row in rows}
    ratio = sum(w[i] * rest[i] for i in rest) / total
    linear = sum((w[i] * (rest[i] - ratio) / total) ** 2 for i in rest)
    value, spread = moments(found, rate)
    assert value == near(rate * fmean(model.values()) + ratio, abs=1e-9)
    assert spread == near(rate**2 * pvariance(model.values()) / len(model) + linear, abs=1e-9)
    assert estimate(found).effective == near(total**2 / sum(one**2 for one in w.values()), abs=1e-9)


@pytest.mark.parametrize("workers", [3, 9])
def test_a_difference_of_strata_is_one_contrast_with_a_rate_each(workers: int) -> None:
    rows, model = study(11, n=240, workers=workers)
    halves = [
        sample_of([r for r in rows if r.item % 2 == k], {i: v for i, v in model.items() if i % 2 == k})  # type: ignore[operator]
        for k in (0, 1)
    ]
    one, other = halves
    assert one is not None
    assert other is not None
    found = difference(one, other)
    assert found.value == near((estimate(one).printed.value or 0) - (estimate(other).printed.value or 0), abs=1e-9)
    assert found.n == 240
    same = difference(one, one)
    assert (same.value, same.low, same.high) == near((0, -(same.high or 0), -(same.low or 0)))
    off = [moments(half, estimate(half).rate)[1] for half in (one, other)]
    if workers < 7:
        assert (found.high or 0) - (found.value or 0) == near(1.97 * sum(off) ** 0.5, rel=0.02)


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 60), st.integers(1, 10), st.booleans())
def test_every_interval_contains_its_value(seed: int, n: int, others: int, workers: int, mean: bool) -> None:
    found = estimate(sample(seed, n=n, others=others, workers=workers), mean=mean)
    for figure in (found.printed, found.alone, found.model, found.bias, found.different):
        if figure.low is not None and figure.high is not None:
            assert figure.low - 1e-9 <= (figure.value or 0) <= figure.high + 1e-9
    assert 0 <= found.rate <= 1
    assert 1 <= found.worth <= n + others


@pytest.mark.parametrize("model", ["good", "rare label"])
@pytest.mark.parametrize(("people", "spread"), [(3, 0.0), (10, 0.6)])
def test_what_is_printed_holds_the_truth(model: str, people: int, spread: float) -> None:
    world = coverage_models.World(model, people, spread, 200, 2_000)
    assert coverage_models.held(world, draws=60) >= 0.85


def test_a_draw_by_confidence_has_no_error_in_the_mean() -> None:
    error, least, _held = coverage_models.mean_error_when_drawn_by_confidence(draws=60)
    assert abs(error) < 4 * least


def test_lists_of_one_element_are_items_and_with_chances_the_ratio_is_weighted() -> None:
    rows, model = study(5, n=60, others=200, workers=9, each=2)
    sums = [Summed(row.item, row.worker, row.value, 1) for row in rows]
    plain, listed = sample_of(rows, model), sample_of_elements(sums, {item: (f, 1) for item, f in model.items()})
    assert plain is not None
    assert listed is not None
    assert moments(listed, 0.5) == near(moments(plain, 0.5), abs=1e-12)
    assert sample_of_elements([], {1: (1.0, 1)}) is None
    chances = {row.item: 0.1 + 0.01 * row.item for row in rows}
    longer = [Summed(row.item, row.worker, 3 * row.value, 1 + row.item % 3) for row in rows]
    drawn = sample_of_elements(longer, {item: (f, 1) for item, f in model.items()}, chances)
    assert drawn is not None
    ratio = sum(one.total / chances[one.item] for one in longer) / sum(one.size / chances[one.item] for one in longer)
    assert moments(drawn, 0)[0] == near(ratio, abs=1e-9)


def test_elements_are_refused_below_thirty_items_and_where_a_label_is_rare() -> None:
    rows, model = study(6, n=60, others=300)
    for n, total, reason in ((29, 1.0, FEW_ITEMS), (60, 0.1, FEW_ELEMENTS), (60, 1.0, "")):
        sums = [Summed(row.item, row.worker, total * row.value * 3, 3) for row in rows if row.item < n]
        known = {item: (total * f * 3, 3.0) for item, f in model.items()}
        assert estimate(sample_of_elements(sums, known)).refused == reason  # type: ignore[arg-type]


def test_strata_and_elements_are_covered() -> None:
    assert min(coverage_models.held_by_stratum(draws=150).values()) >= 0.9
    assert coverage_models.share_of(coverage_models.LISTS[0].holds, draws=40) >= 0.85
    assert coverage_models.share_of(coverage_models.Lists(3, 60, 0).difference_holds, draws=40) >= 0.85
