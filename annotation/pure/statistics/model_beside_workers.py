"""A model beside workers, both against the same reference: for each worker, the majority of the others.

| function | in | out |
| --- | --- | --- |
| `beside_workers` | responses, a model's predictions by item | `Beside`: agreement of both, difference, confusion |
| `rates_of` | the same, and a label | `Rates`: sensitivity and specificity of both for that label |
| `calibration_of` | the same, and confidences by item | `Calibrated`: bins and Brier score against the full majority |

Expected over ties: a label that shares the majority with another is right half the time. A model as good as a worker
looks better against a majority to which that worker adds a vote; so the worker leaves it for both. Items count if
the model labelled them and at least two workers responded. For a stratum give its items alone. From seven workers on
intervals are over workers and items; with fewer over items, for these workers (`Figure.method`). Of elements of lists
all is over the elements, as ratios of sums, and intervals resample items.

The alternative annotator test says whether a model may stand in for a person of a group:
Calderon, Reichart and Dror 2025, The Alternative Annotator Test for LLM-as-a-Judge (ACL): for each person, how often
the model agrees with the others at least as well as that person does, and how often that person does as the model. A
person is beaten if the second share exceeds the first by less than ε, which allows for what a model saves.

| function | in | out |
| --- | --- | --- |
| `alternative_annotator` | labels by person and item, a model's by item, an agreement, ε | `Alternative`: ω, ρ |
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any, NamedTuple

from annotation.pure.numeric import np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.intervals import Figure, bootstrap_figure
from annotation.pure.statistics.resampled_figures import resampled_figures, sums_by
from annotation.pure.statistics.worker_intervals import (
    LEAST_WORKERS,
    Response,
    crossed,
    label_units,
    over_workers,
    student_below,
)

BINS = 5  # of confidence


class Labelled(NamedTuple):
    """A worker's label of an item, or of an element of its list: then `item` names the element, `cluster` the item."""

    item: Hashable
    worker: str
    label: Hashable
    cluster: Hashable = None

    @property
    def drawn(self) -> Hashable:
        """What intervals resample: the item."""
        return self.item if self.cluster is None else self.cluster


@dataclass(frozen=True, slots=True)
class Beside:
    """Means over workers of the agreement with the majority of the others, on each worker's items.

    `difference`: model minus workers. `majority`: the model's agreement with the majority of all, over items.
    Confusions: expected numbers of (reference, label). `n`: responses with a reference, beside items and workers, and
    the elements of lists; without lists as many as items.
    """

    worker: Figure
    model: Figure
    difference: Figure
    majority: Figure
    worker_confusion: dict[tuple[Hashable, Hashable], float]
    model_confusion: dict[tuple[Hashable, Hashable], float]
    n: int
    items: int
    workers: int
    elements: int


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of references with a label that have it, and of those without that do not."""

    worker_sensitivity: Figure
    worker_specificity: Figure
    model_sensitivity: Figure
    model_specificity: Figure


@dataclass(frozen=True, slots=True)
class Bin:
    """Confidences from `low` to below `high` (the last bin with its end): their mean, and the share that is right."""

    low: float
    high: float
    confidence: float | None
    right: Figure


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The bins, and the Brier score (Brier 1950): the mean of (confidence - right)²; smaller is better."""

    bins: list[Bin]
    brier: Figure


class _Pair(NamedTuple):
    """A response, the model's label, and the chances of labels to be the majority of the others."""

    row: Labelled
    model: Hashable
    reference: dict[Hashable, float]


def majority(labels: Iterable[Hashable]) -> dict[Hashable, float]:
    """Each most frequent label with its chance to be drawn among them."""
    counts = Counter(labels)
    top = [label for label, count in counts.items() if count == max(counts.values())]
    return {label: 1 / len(top) for label in top}


def beside_workers(responses: Iterable[Labelled], predictions: Mapping[Hashable, Hashable], seed: int) -> Beside:
    """The model and the workers beside each other; figures without a value where nothing is comparable."""
    rows = list(responses)
    pairs = _pairs(rows, predictions)
    each = Counter(pair.row.worker for pair in pairs)

    def of(value: Callable[[_Pair], float], least: float = 0.0) -> Figure:
        found = [Response(p.row.drawn, p.row.worker, value(p), 1 / each[p.row.worker]) for p in pairs]
        return mean_figure(found, seed, least=least)

    def by_worker(pair: _Pair) -> float:
        return pair.reference.get(pair.row.label, 0.0)

    def by_model(pair: _Pair) -> float:
        return pair.reference.get(pair.model, 0.0)

    confusions: tuple[defaultdict[tuple[Hashable, Hashable], float], ...] = (defaultdict(float), defaultdict(float))
    for pair in pairs:
        for label, chance in pair.reference.items():
            confusions[0][label, pair.row.label] += chance
            confusions[1][label, pair.model] += chance
    return Beside(
        worker=of(by_worker),
        model=of(by_model),
        difference=of(lambda pair: by_model(pair) - by_worker(pair), -1.0),
        majority=_over_items(rows, predictions, lambda _item, share: share, seed),
        worker_confusion=dict(confusions[0]),
        model_confusion=dict(confusions[1]),
        n=len(pairs),
        items=len({pair.row.drawn for pair in pairs}),
        workers=len(each),
        elements=len({pair.row.item for pair in pairs}),
    )


def rates_of(
    responses: Iterable[Labelled], predictions: Mapping[Hashable, Hashable], label: Hashable, seed: int
) -> Rates:
    """Sensitivity and specificity for a label, over responses; a reference counts by its chance to be the label."""
    pairs = _pairs(list(responses), predictions)
    found = []
    for of_model in (False, True):
        for wanted in (True, False):
            rows = [
                Response(pair.row.drawn, pair.row.worker, float((given == label) == wanted), weight)
                for pair in pairs
                for given in (pair.model if of_model else pair.row.label,)
                if (weight := abs(pair.reference.get(label, 0.0) - (not wanted))) > 0
            ]
            found.append(mean_figure(rows, seed))
    return Rates(*found)


def calibration_of(
    responses: Iterable[Labelled],
    predictions: Mapping[Hashable, Hashable],
    confidences: Mapping[Hashable, float],
    seed: int,
) -> Calibrated:
    """A model's confidences (0..1) against being what the majority of all said, expected over ties."""
    stated = {item: label for item, label in predictions.items() if item in confidences}
    rows = [row for row in responses if row.item in stated]
    bins = []
    for k in range(BINS):
        inside = {i: stated[i] for i in stated if min(BINS - 1, int(BINS * confidences[i])) == k}
        part = [row for row in rows if row.item in inside]
        judged = {row.item for row in part}
        mean = fmean(confidences[item] for item in judged) if judged else None
        right = _over_items(part, inside, lambda _item, share: share, seed)
        bins.append(Bin(k / BINS, (k + 1) / BINS, mean, right))

    def squared(item: Hashable, share: float) -> float:
        return share * (1 - confidences[item]) ** 2 + (1 - share) * confidences[item] ** 2

    return Calibrated(bins, _over_items(rows, stated, squared, seed))


def mean_figure(rows: list[Response], seed: int, *, least: float = 0.0) -> Figure:
    """A weighted mean over workers and items, or with fewer than LEAST_WORKERS over items; n counts the responses."""
    if not rows or len({row.worker for row in rows}) >= LEAST_WORKERS:
        return replace(over_workers(_cells(rows), least=least), n=len(rows))
    return _ratio([row.item for row in rows], [[row.weight * row.value, row.weight] for row in rows], seed)


def _cells(rows: list[Response]) -> list[Response]:
    """The rows with one for each item and worker, where a worker has several of an item, as of the elements of a list.

    Its elements depend on each other: what they share would count as the variance of single responses.
    """
    sums: defaultdict[tuple[Hashable, str], list[Response]] = defaultdict(list)
    for row in rows:
        sums[row.item, row.worker].append(row)
    if len(sums) == len(rows):
        return rows
    weights = [sum(row.weight for row in own) for own in sums.values()]
    totals = [sum(row.weight * row.value for row in own) for own in sums.values()]
    return [Response(*at, total / weight, weight) for at, total, weight in zip(sums, totals, weights, strict=True)]


def _ratio(items: Sequence[Hashable], table: Sequence[Sequence[float]], seed: int) -> Figure:
    """The ratio of two column sums with an interval that resamples items; n counts the rows."""
    sums = sums_by(label_codes(items), np.array(table))
    [found] = resampled_figures(sums, lambda of: (of[:, 0] / of[:, 1])[:, None], seed).figures
    return replace(found, n=len(table))


def _pairs(rows: list[Labelled], predictions: Mapping[Hashable, Hashable]) -> list[_Pair]:
    labels: defaultdict[Hashable, dict[str, Hashable]] = defaultdict(dict)
    for row in rows:
        labels[row.item][row.worker] = row.label
    return [
        _Pair(row, predictions[row.item], majority(of for who, of in labels[row.item].items() if who != row.worker))
        for row in rows
        if row.item in predictions and len(labels[row.item]) > 1
    ]


def _over_items(
    rows: Iterable[Labelled],
    predictions: Mapping[Hashable, Hashable],
    value: Callable[[Hashable, float], float],
    seed: int,
) -> Figure:
    """The mean over items of a value of the prediction's share of the majority; n counts the items.

    Of elements the mean over these; its interval resamples items, for these workers.
    """
    labels: defaultdict[Hashable, dict[str, Hashable]] = defaultdict(dict)
    drawn = {}
    for row in rows:
        if row.item in predictions:
            labels[row.item][row.worker] = row.label
            drawn[row.item] = row.drawn

    def of(item: Hashable) -> Callable[[list[Hashable]], float]:
        return lambda given: value(item, majority(given).get(predictions[item], 0.0))

    if drawn and drawn.keys() != set(drawn.values()):
        table = [[of(item)(list(by_worker.values())), 1.0] for item, by_worker in labels.items()]
        return _ratio(list(drawn.values()), table, seed)
    units = [unit for item, by_worker in labels.items() for unit in label_units([by_worker], of(item))]
    if len({worker for by_worker in labels.values() for worker in by_worker}) >= LEAST_WORKERS:
        return crossed(units)
    return bootstrap_figure([unit.value for unit in units], seed)


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
