"""A model beside workers: agreement, confusion, rates and calibration against second implementations."""

from __future__ import annotations

import random
from collections import defaultdict
from statistics import fmean, multimode

import pytest
from scipy import stats

from annotation.pure.statistics.model_beside_workers import Labelled, beside_workers, calibration_of, majority, rates_of

near = pytest.approx


def study(
    seed: int, *, workers: int = 9, items: int = 80, labels: str = "abc", each: int = 3
) -> tuple[list[Labelled], dict[int, str]]:
    rng = random.Random(seed)
    truth = [rng.choice(labels) for _item in range(items)]

    def label(item: int) -> str:
        return truth[item] if rng.random() < 0.7 else rng.choice(labels)

    rows = [Labelled(i, f"w{w}", label(i)) for i in range(items) for w in rng.sample(range(workers), each)]
    return rows, {i: label(i) for i in range(items) if i % 10}


def references(rows: list[Labelled]) -> dict[tuple[object, str], list[str]]:
    """For each response the labels that most of the others gave."""
    return {
        (row.item, row.worker): multimode(
            str(other.label) for other in rows if other.item == row.item and other.worker != row.worker
        )
        for row in rows
    }


def test_both_agreements_equal_a_second_implementation_with_two_responses_tied() -> None:
    rows, model = study(1)
    found, of = beside_workers(rows, model, 1), references(rows)
    by: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row.item in model:
            top = of[row.item, row.worker]
            by[row.worker].append(((row.label in top) / len(top), (model[row.item] in top) / len(top)))
    workers, models = (fmean(fmean(pair[k] for pair in pairs) for pairs in by.values()) for k in (0, 1))
    assert (found.worker.value, found.model.value) == near((workers, models), abs=1e-9)
    assert found.difference.value == near(models - workers, abs=1e-9)
    tops = {i: multimode(str(row.label) for row in rows if row.item == i) for i in model}
    assert found.majority.value == near(fmean((model[i] in tops[i]) / len(tops[i]) for i in model), abs=1e-9)
    assert (found.n, found.items, found.workers) == (216, 72, 9)
    assert sum(found.worker_confusion.values()) == near(216)
    assert found.model_confusion["a", "b"] == near(
        sum(of[r.item, r.worker].count("a") / len(of[r.item, r.worker]) for r in rows if model.get(r.item) == "b")
    )


@pytest.mark.parametrize("workers", [4, 9])
def test_every_interval_contains_its_value_and_a_difference_may_be_negative(workers: int) -> None:
    rows, model = study(2, workers=workers)
    worse = dict.fromkeys(model, "c")
    found = beside_workers(rows, worse, 1)
    for figure in (found.worker, found.model, found.difference, found.majority):
        assert (figure.low or 0) <= (figure.value or 0) <= (figure.high or 0)
    assert (found.difference.high or 0) < 0
    assert (found.worker.method == "workers and items") == (workers == 9)


def test_sensitivity_and_specificity_are_rows_of_the_confusion() -> None:
    rows, model = study(3, labels="ab")
    found, beside = rates_of(rows, model, "a", 1), beside_workers(rows, model, 1)
    for confusion, sensitivity, specificity in (
        (beside.worker_confusion, found.worker_sensitivity, found.worker_specificity),
        (beside.model_confusion, found.model_sensitivity, found.model_specificity),
    ):
        positive, negative = ({label: confusion.get((ref, label), 0) for label in "ab"} for ref in "ab")
        assert sensitivity.value == near(positive["a"] / sum(positive.values()), abs=1e-9)
        assert specificity.value == near(negative["b"] / sum(negative.values()), abs=1e-9)


def test_a_model_as_good_as_a_worker_agrees_as_much_though_more_with_the_full_majority() -> None:
    rng = random.Random(4)

    def label() -> bool:
        return rng.random() < 0.8

    rows = [Labelled(i, f"w{w}", label()) for i in range(20_000) for w in range(3)]
    found = beside_workers(rows, {i: label() for i in range(20_000)}, 1)
    assert found.worker.value == near(0.8**2 + 0.2**2, abs=0.01)
    assert found.model.value == near(0.8**2 + 0.2**2, abs=0.01)
    assert found.majority.value == near(0.8 * 0.896 + 0.2 * 0.104, abs=0.01)


def test_what_nobody_else_labelled_has_no_figure_and_equal_labels_have_one_about_items_only() -> None:
    alone = beside_workers([Labelled(1, "w", "a")], {1: "a"}, 1)
    assert (alone.worker.value, alone.n) == (None, 0)
    rows = [Labelled(i, f"w{w}", "a") for i in range(20) for w in range(8)]
    equal = beside_workers(rows, dict.fromkeys(range(20), "a"), 1)
    assert equal.worker.as_json()["items_only"] is True
    assert equal.difference.value == 0
    assert rates_of(rows, dict.fromkeys(range(20), "a"), "b", 1).model_sensitivity.value is None


def test_a_tie_shares_the_majority() -> None:
    assert majority("aabb") == {"a": 0.5, "b": 0.5}
    assert majority("aab") == {"a": 1}


def test_confidence_is_held_against_the_majority_and_ties_are_expected() -> None:
    rows, model = study(5, each=2)
    sure = {i: (i % 7) / 6 for i in model}
    found = calibration_of(rows, model, sure, 1)
    right = {}
    for i in model:
        top = multimode(str(row.label) for row in rows if row.item == i)
        right[i] = (model[i] in top) / len(top)
    brier = fmean(right[i] * (1 - sure[i]) ** 2 + (1 - right[i]) * sure[i] ** 2 for i in model)
    assert found.brier.value == near(brier, abs=1e-9)
    last = [i for i in model if sure[i] >= 0.8]
    assert found.bins[-1].confidence == near(fmean(sure[i] for i in last), abs=1e-9)
    assert found.bins[-1].right.value == near(fmean(right[i] for i in last), abs=1e-9)
    assert sum(one.right.n for one in found.bins) == len(model)


@pytest.mark.parametrize("workers", [4, 9])
def test_elements_are_ratios_of_sums_and_their_items_are_what_varies(workers: int) -> None:
    rng = random.Random(6)
    sizes = {i: rng.randint(1, 5) for i in range(40)}
    rows = [
        Labelled((i, k), f"w{w}", rng.choice("ab"), i)
        for i, n in sizes.items() for w in rng.sample(range(workers), 3) for k in range(n)
    ]  # fmt: skip
    model = {(i, k): rng.choice("ab") for i, n in sizes.items() for k in range(n)}
    found, of = beside_workers(rows, model, 1), references(rows)
    right = {row: fmean(model[row.item] == x for x in of[row.item, row.worker]) for row in rows}
    each = {w: [right[row] for row in rows if row.worker == w] for w in dict.fromkeys(row.worker for row in rows)}
    value = fmean(map(fmean, each.values()))
    assert found.model.value == near(value, abs=1e-9)
    assert (found.items, found.elements) == (40, sum(sizes.values()))
    tops = {at: multimode(str(row.label) for row in rows if row.item == at) for at in model}
    assert found.majority.value == near(fmean((model[at] in tops[at]) / len(tops[at]) for at in model), abs=1e-9)
    if workers < 7:
        alone = beside_workers([row._replace(cluster=None) for row in rows], model, 1).model
        assert (found.model.high or 0) - (found.model.low or 0) != near((alone.high or 0) - (alone.low or 0), rel=0.01)
        return
    sums: defaultdict[object, float] = defaultdict(float)
    for row in rows:  # what each adds to the deviation, by item, and by item and worker
        off = (right[row] - value) / len(each[row.worker]) / workers
        sums[row.cluster] += off
        sums[row.cluster, row.worker] += off
    of_items, of_cells = (
        sum(x**2 for at, x in sums.items() if isinstance(at, tuple) == both) for both in (False, True)
    )
    left = [fmean(fmean(of) for name, of in each.items() if name != w) for w in each]
    of_workers = sum((x - fmean(left)) ** 2 for x in left) * (workers - 1) / workers
    variance = max(of_items * 40 / 39 + of_workers - of_cells, of_items * 40 / 39, of_workers)
    half = stats.t.ppf(0.975, workers - 1) * variance**0.5
    assert (found.model.high or 0) - value == near(half, abs=1e-9)
