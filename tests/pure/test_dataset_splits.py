"""Splits: nothing of train in dev and test, the sizes, the mix and the seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.pure.data.example import Example, Hop, Paragraph
from annotation.pure.derivations.dataset_splits import REMOVED, Unit, keys, least_overlapping, shared, split

UNITS = st.lists(
    st.builds(
        Unit, st.frozensets(st.sampled_from([f"answer:{n}" for n in range(40)]), max_size=4), st.sampled_from("23")
    ),
    max_size=40,
)


@given(UNITS, st.integers(0, 20), st.integers(0, 20), st.integers(0, 9))
def test_nothing_of_train_is_in_dev_or_test(units: list[Unit], dev: int, test: int, seed: int) -> None:
    dev = min(dev, len(units))
    test = min(test, len(units) - dev)
    names = split(units, dev=dev, test=test, rng=random.Random(seed))
    assert names == split(units, dev=dev, test=test, rng=random.Random(seed))
    train = {key for unit, name in zip(units, names, strict=True) if name == "train" for key in unit.keys}
    rest = {key for unit, name in zip(units, names, strict=True) if name in ("dev", "test") for key in unit.keys}
    assert not train & rest
    sizes = Counter(names)
    assert sizes["train"] == len(units) - dev - test
    assert sizes["dev"] <= dev + 1
    assert sizes["test"] <= test + 1


def clusters(count: int, size: int) -> list[Unit]:
    """Clusters of units, every one in the cluster linked with the next."""
    return [Unit(frozenset({f"id:{c}.{n}", f"id:{c}.{n + 1}"}), "2") for c in range(count) for n in range(size)]


def test_whole_clusters_go_together() -> None:
    units = clusters(20, 5)
    names = split(units, dev=10, test=10, rng=random.Random(1))
    assert Counter(names) == {"train": 80, "dev": 10, "test": 10}
    for part in ("dev", "test"):
        them = [unit for unit, name in zip(units, names, strict=True) if name == part]
        others = [unit for unit, name in zip(units, names, strict=True) if name != part]
        assert shared(them, others) == (0, Counter())


def test_what_overlaps_with_train_is_removed() -> None:
    units = [Unit(frozenset({"answer:everywhere"}), "2") for _ in range(10)]
    names = split(units, dev=1, test=1, rng=random.Random(1))
    assert Counter(names) == {"train": 8, REMOVED: 2}


def test_each_kind_gives_its_quota() -> None:
    units = [Unit(frozenset({f"id:{n}"}), "2" if n % 4 else "4") for n in range(40)]
    taken = least_overlapping(units, {"2": 3, "4": 1}, rng=random.Random(0))
    assert Counter(units[at].kind for at in taken) == {"2": 3, "4": 1}


def test_the_mix_stays_alike() -> None:
    rng = random.Random(3)
    units = [
        Unit(frozenset(f"id:{topic}.{rng.randrange(12)}" for _ in range(hops)), str(hops))
        for topic in range(60)
        for hops in rng.choices([2, 3, 4], [7, 2, 1], k=20)
    ]
    names = split(units, dev=120, test=120, rng=random.Random(1))
    for part in ("train", "dev", "test"):
        mix = Counter(unit.kind for unit, name in zip(units, names, strict=True) if name == part)
        whole = Counter(unit.kind for unit in units)
        assert all(abs(mix[kind] / mix.total() - count / whole.total()) < 0.06 for kind, count in whole.items())
    kept = Counter(names)
    assert kept["dev"] + kept["test"] > 200
    assert abs(kept["dev"] - kept["test"]) <= 1


def test_more_than_there_are_cannot_leave_training() -> None:
    with pytest.raises(ValueError, match="3 of 2 cannot leave"):
        split([Unit(frozenset()), Unit(frozenset())], dev=2, test=1, rng=random.Random(0))


def test_a_question_is_shared_whatever_form_it_has() -> None:
    places = (Paragraph("Farrow", "An isle."), Paragraph("Quill", "Born on Farrow."))
    chain = Example(
        id="1",
        question="?",
        paragraphs=places,
        supports=(0, 1),
        hops=(Hop("Where was Quill born?", "Farrow", 1), Hop("What is #1 ?", "the isle", 0, 7)),
    )
    single = Example(id="2", question="what is Farrow ?", paragraphs=places[:1], answers=("An isle!",), supports=(0,))
    common = set(keys(chain)) & set(keys(single))
    assert {key.split(":")[0] for key in common} == {"question", "answer", "paragraph"}
    assert "id:7" in set(keys(chain))
