"""The alternative annotator test against a second implementation, published results and cases made by hand."""

from __future__ import annotations

import json
import random
from statistics import fmean

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from annotation.pure.statistics.model_beside_workers import (
    alternative_annotator,
    equal_labels,
    jaccard,
    nearness,
    rejected,
)
from tests.bench import coverage_models
from tests.shared_data import shared_data

Labels = dict[str, dict[int, int]]
STARS = {
    "gpt-4o": (0.90, 0.90),
    "gpt-4o-mini": (0.90, 0.89),
    "gemini_pro": (0.80, 0.87),
    "gemini_flash": (0.60, 0.82),
    "llama-31": (0.60, 0.85),
    "mistral-v03": (0.50, 0.83),
}
ASPECTS = {
    "gpt-4o": (0.90, 0.93),
    "gemini_pro": (0.90, 0.94),
    "gemini_flash": (0.70, 0.91),
    "llama-31": (0.60, 0.89),
    "gpt-4o-mini": (0.50, 0.90),
    "mistral-v03": (0.10, 0.81),
}


def study(seed: int, people: int = 6, items: int = 90) -> tuple[Labels, dict[int, int]]:
    rng = random.Random(seed)
    truth = [rng.randint(1, 5) for _item in range(items)]

    def label(item: int, right: float) -> int:
        return truth[item] if rng.random() < right else rng.randint(1, 5)

    labels = {f"w{w}": {i: label(i, 0.7) for i in range(items) if rng.random() < 0.7} for w in range(people)}
    return labels, {i: label(i, 0.75) for i in range(items) if rng.random() < 0.9}


@pytest.mark.parametrize("agreement", [equal_labels, nearness])
def test_the_test_equals_a_second_implementation(agreement: object) -> None:
    people, model = study(3)
    found = alternative_annotator(people, model, 0.1, agreement)  # type: ignore[arg-type]
    shares, chances = [], []
    for one, given in people.items():
        f, h = [], []
        for i in given:
            rest = np.array([of[i] for other, of in people.items() if other != one and i in of])
            if len(rest) and i in model:
                if agreement is equal_labels:
                    s, t = np.mean(rest == model[i]), np.mean(rest == given[i])
                else:
                    s, t = -np.mean((rest - model[i]) ** 2), -np.mean((rest - given[i]) ** 2)
                f.append(float(s >= t or np.isclose(s, t)))
                h.append(float(t >= s or np.isclose(s, t)))
        chances.append(stats.ttest_1samp(np.array(h) - np.array(f), 0.1, alternative="less").pvalue)
        shares.append(fmean(f))
        assert (found.persons[one].model, found.persons[one].person) == pytest.approx((fmean(f), fmean(h)), abs=1e-9)
        assert found.persons[one].p == pytest.approx(chances[-1], abs=1e-9)
    beaten = multipletests(chances, 0.05, "fdr_by")[0]
    assert [one.beaten for one in found.persons.values()] == beaten.tolist()
    assert found.winning_rate == pytest.approx(beaten.mean())
    assert found.advantage == pytest.approx(fmean(shares), abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_rejections_at_a_false_discovery_rate_are_those_of_a_library(seed: int) -> None:
    chances = {str(k): p for k, p in enumerate(np.random.default_rng(seed).beta(0.3, 4, 9))}
    theirs = multipletests(list(chances.values()), 0.05, "fdr_by")[0]
    assert rejected(chances) == {name for name, told in zip(chances, theirs, strict=True) if told}


def test_without_variation_the_mean_alone_decides() -> None:
    same = {w: dict.fromkeys(range(30), "a") for w in ("x", "y")}
    assert alternative_annotator(same, dict.fromkeys(range(30), "a"), 0.1).winning_rate == 1
    beaten = alternative_annotator(same, dict.fromkeys(range(30), "b"), 0.1)
    assert (beaten.winning_rate, beaten.advantage) == (0, 0)
    assert {one.p for one in beaten.persons.values()} == {1.0}


def test_persons_count_from_thirty_items_on_that_another_labelled_too() -> None:
    people = {"x": dict.fromkeys(range(40), 1), "y": dict.fromkeys(range(30), 1), "z": dict.fromkeys(range(50, 90), 1)}
    found = alternative_annotator(people, dict.fromkeys(range(90), 1), 0.1)
    assert {name: one.items for name, one in found.persons.items()} == {"x": 30, "y": 30}
    assert found.few == 1
    none = alternative_annotator(people, dict.fromkeys(range(29), 1), 0.1)
    assert (none.winning_rate, none.advantage, none.few) == (None, None, 3)


def test_sets_agree_by_their_common_members() -> None:
    a, b, none = frozenset("ab"), frozenset("bc"), frozenset[str]()
    assert jaccard(a, [a, b]) == pytest.approx((1 + 1 / 3) / 2)
    assert jaccard(none, [none, a]) == 0.5


@pytest.mark.parametrize(("name", "published"), [("stars", STARS), ("aspects", ASPECTS)])
def test_published_results_are_reproduced(name: str, published: dict[str, tuple[float, float]]) -> None:
    people, models = (
        json.loads(shared_data(f"judges/cebab_{name}_{who}.json").read_text()) for who in ("human", "llm")
    )
    agreement = nearness if name == "stars" else equal_labels
    found = {model: alternative_annotator(people, given, 0.1, agreement) for model, given in models.items()}
    rounded = {model: (of.winning_rate, round(of.advantage or 0, 2)) for model, of in found.items()}
    assert rounded == published
    if name == "stars":
        assert alternative_annotator(people, models["gpt-4o"], 0.1).winning_rate == 1


def test_a_model_that_is_worse_by_epsilon_seldom_passes_and_one_as_good_mostly_does() -> None:
    assert coverage_models.passes(model=coverage_models.WORSE_BY_EPSILON, draws=100) <= 0.08
    assert coverage_models.passes(model=0.8, draws=40) >= 0.4
