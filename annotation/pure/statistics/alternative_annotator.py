"""The alternative annotator test: whether a model may stand in for a person of a group.

Calderon, Reichart and Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge (ACL): for each person, how often
the model agrees with the others at least as well as that person does, and how often that person does as the model. A
person is beaten if the second share exceeds the first by less than ε, which allows for what a model saves.

| function | in | out |
| --- | --- | --- |
| `alternative_annotator` | labels by person and item, a model's by item, an agreement, ε | `Alternative`: ω, ρ |
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from annotation.pure.statistics.worker_intervals import student_below

LEAST_ITEMS, LEVEL = 30, 0.05
SLACK = 1e-12  # equal agreements differ by rounding
Agreement = Callable[[Any, Sequence[Any]], float]  # of a label with the labels of the others


@dataclass(frozen=True, slots=True)
class Person:
    """A person's items, the shares of items on which model and person do at least as well as the other, p, beaten."""

    items: int
    model: float
    person: float
    p: float
    beaten: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """ω: the share of persons that the model beats, passed from .5 on; ρ: how often it does as well, on average.

    Both None without a person of at least 30 items; `few` counts those with fewer.
    """

    winning_rate: float | None
    advantage: float | None
    persons: dict[str, Person]
    few: int


def equal_labels(label: Hashable, others: Sequence[Hashable]) -> float:
    """The share of the others with this label."""
    return sum(other == label for other in others) / len(others)


def nearness(value: float, others: Sequence[float]) -> float:
    """On a scale: the negative root of the mean squared distance to the others."""
    return -math.sqrt(math.fsum((value - other) ** 2 for other in others) / len(others))


def jaccard(chosen: frozenset[Hashable], others: Sequence[frozenset[Hashable]]) -> float:
    """Of sets: the mean over the others of the share of common members; two empty sets are equal."""
    return math.fsum(len(chosen & o) / len(chosen | o) if chosen | o else 1.0 for o in others) / len(others)


def alternative_annotator(
    people: Mapping[str, Mapping[Hashable, Any]],
    model: Mapping[Hashable, Any],
    epsilon: float,
    agreement: Agreement = equal_labels,
) -> Alternative:
    """The test on items that the model and at least two people labelled; a tie counts for both."""
    labels: defaultdict[Hashable, dict[str, Any]] = defaultdict(dict)
    for person, given in people.items():
        for item in given:
            labels[item][person] = given[item]
    wins: dict[str, list[tuple[bool, bool]]] = {}
    for person, given in people.items():
        compared = []
        for item in given:
            others = [label for other, label in labels[item].items() if other != person]
            if others and item in model:
                ahead = agreement(model[item], others) - agreement(given[item], others)
                compared.append((ahead >= -SLACK, ahead <= SLACK))
        wins[person] = compared
    enough = {person: of for person, of in wins.items() if len(of) >= LEAST_ITEMS}
    chances = {person: _chance([human - machine for machine, human in of], epsilon) for person, of in enough.items()}
    beaten = rejected(chances)
    persons = {
        person: Person(len(of), fmean(m for m, _h in of), fmean(h for _m, h in of), chances[person], person in beaten)
        for person, of in enough.items()
    }
    few = len(wins) - len(enough)
    if not persons:
        return Alternative(None, None, {}, few)
    return Alternative(len(beaten) / len(persons), fmean(one.model for one in persons.values()), persons, few)


def _chance(differences: Sequence[float], epsilon: float) -> float:
    """P value, one-sided, of a mean below ε."""
    mean, spread = fmean(differences), stdev(differences)
    if spread == 0:
        return float(mean >= epsilon)
    return student_below((mean - epsilon) / (spread / math.sqrt(len(differences))), len(differences) - 1)


def rejected(chances: Mapping[str, float], level: float = LEVEL) -> set[str]:
    """Those with a small p at this false discovery rate, however they depend (Benjamini and Yekutieli 2001)."""
    order, m = sorted(chances, key=chances.__getitem__), len(chances)
    limit = level / (m * sum(1 / k for k in range(1, m + 1))) if m else 0.0
    last = max((k for k, name in enumerate(order, 1) if chances[name] <= k * limit), default=0)
    return set(order[:last])
