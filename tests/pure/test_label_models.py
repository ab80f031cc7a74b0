"""The 1979 anaesthetists, simulated workers, and every order of the votes."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.pure.review.label_tables import Vote, dawid_skene, one_coin
from tests.long_forms import examples

# Dawid and Skene 1979, table 1: 45 patients; observer 1 three times, then observers 2 to 5
ANAESTHETISTS = """1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444
2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222
1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222 2223232 4334343 2212232
2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222"""


def anaesthetists() -> list[Vote]:
    observers = [1, 1, 1, 2, 3, 4, 5]
    return [
        Vote(patient, observer, int(grade))
        for patient, grades in enumerate(ANAESTHETISTS.split(), 1)
        for observer, grade in zip(observers, grades, strict=True)
    ]


def test_dawid_skene_reproduces_the_anaesthetists():
    model = dawid_skene(anaesthetists(), smoothing=0)
    assert model.shares.round(3).tolist() == pytest.approx([0.400, 0.422, 0.112, 0.067], abs=0.0011)
    assert model.trace[-1] == pytest.approx(-192.8909, abs=0.001)
    first = [[0.889, 0.111, 0, 0], [0.071, 0.876, 0.053, 0], [0, 0.339, 0.661, 0], [0, 0, 0.556, 0.444]]
    assert model.errors[0] == pytest.approx(np.array(first), abs=0.002)


def test_dawid_skene_differs_from_the_majority_on_three_patients():
    aggregates = dawid_skene(anaesthetists(), smoothing=0).aggregates()
    votes: dict = {}
    for vote in anaesthetists():
        votes.setdefault(vote.item, Counter())[vote.label] += 1
    differs = [item for item in votes if votes[item].most_common(1)[0][0] != aggregates[item]]
    assert differs == [2, 12, 36]


def simulated(rng: random.Random, *, items: int, workers: int, each: int) -> tuple[dict, list[Vote]]:
    right = {item: rng.randrange(4) for item in range(items)}
    skill = [rng.uniform(0.55, 0.95) for _ in range(workers)]
    votes = []
    for item, label in right.items():
        for worker in rng.sample(range(workers), each):
            wrong = rng.choice([other for other in range(4) if other != label])
            votes.append(Vote(item, worker, label if rng.random() < skill[worker] else wrong))
    return right, votes


def test_both_models_beat_the_majority_on_simulated_workers():
    right, votes = simulated(random.Random(1), items=2000, workers=40, each=5)
    counts: dict = {}
    for vote in votes:
        counts.setdefault(vote.item, Counter())[vote.label] += 1
    majority = sum(counts[item].most_common(1)[0][0] == label for item, label in right.items())
    for model in (one_coin(votes), dawid_skene(votes)):
        aggregates = model.aggregates()
        assert sum(aggregates[item] == label for item, label in right.items()) > majority


@pytest.mark.parametrize("model", [one_coin, dawid_skene])
@pytest.mark.parametrize("smoothing", [0, 0.01, 1.0])
def test_the_objective_never_falls(model, smoothing):
    _, votes = simulated(random.Random(2), items=200, workers=10, each=3)
    steps = np.diff(model(votes, smoothing=smoothing).trace)
    assert steps.min() > -1e-9 * len(votes)


def test_an_even_split_has_no_aggregate():
    votes = [Vote("x", "ann", "yes"), Vote("x", "bob", "no")]
    assert one_coin(votes).aggregates() == {"x": None}


def test_one_label_for_everything_is_that_label():
    votes = [Vote(item, worker, "yes") for item in "xy" for worker in "ab"]
    for model in (one_coin(votes), dawid_skene(votes)):
        assert model.aggregates() == {"x": "yes", "y": "yes"}
        assert model.accuracies() == {"a": 1.0, "b": 1.0}


def test_it_refuses_no_votes():
    with pytest.raises(ValueError, match="no votes"):
        one_coin([])


def test_better_workers_have_better_accuracies():
    rng, skills = random.Random(5), {"ann": 0.95, "bob": 0.85, "cid": 0.75, "dot": 0.65, "eve": 0.55}
    votes = []
    for item in range(1500):
        label = rng.choice([True, False])
        votes += [Vote(item, worker, label == (rng.random() < skill)) for worker, skill in skills.items()]
    for model in (one_coin(votes), dawid_skene(votes)):
        assert model.accuracies() == pytest.approx(skills, abs=0.05)


@settings(max_examples=examples(15, soak=60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30),
    st.randoms(),
)
def test_the_order_of_the_votes_does_not_matter(triples, rng):
    votes = [Vote(*triple) for triple in triples]
    for model in (one_coin, dawid_skene):
        left, right = model(votes), model(rng.sample(votes, len(votes)))
        assert left.items == right.items
        assert left.posterior == pytest.approx(right.posterior, abs=1e-6)


def test_without_smoothing_somebody_who_is_always_right_costs_nothing() -> None:
    model = one_coin([Vote(item, worker, "ab"[item % 2]) for item in range(4) for worker in "xyz"], smoothing=0)
    assert all(math.isfinite(value) for value in model.trace)
    assert set(model.accuracies().values()) == {1.0}
