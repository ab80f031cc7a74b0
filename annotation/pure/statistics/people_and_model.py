"""Figures from people's responses to some items and a model's predictions for all: PPI++, or people alone.

Prediction-powered inference (Angelopoulos et al. 2023, PPI++: Efficient prediction-powered inference): with people's
values Y of n judged items, and predictions f of these and of N others, the estimate is
rate · mean(f of the others) + mean(Y - rate · f). It is right however wrong the model is; a good one narrows it.

| function | in | out |
| --- | --- | --- |
| `sample_of` | responses, predictions by item, chances of unequally drawn items | `Sample` |
| `sample_of_elements` | the same of lists: sums over an item's elements, and their numbers | `Sample` |
| `estimate` | a sample, or a stratum's | `Estimate`: what is printed, people alone, model alone, what the model saved |
| `difference` | two samples, such as of two strata | `Figure`: the first minus the second, whoever judged both |

Values lie in 0..1: the share of a label (1 or 0), or a scale as (x - low) / (high - low). With chances (`random_draws`)
the model's mean is that of all items, and the judged ones weigh 1 / chance. From seven workers on the interval is over
items and workers; with fewer it is over items, for these people (`Estimate.workers` tells). All is about items like
these: for exactly these it is too wide (`Estimate.many`).
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from annotation.pure.numeric import Floats, Integers, np
from annotation.pure.statistics.agreement import label_codes
from annotation.pure.statistics.intervals import LEVEL, Figure, wilson
from annotation.pure.statistics.worker_intervals import (
    LEAST_WORKERS,
    Response,
    Spread,
    clustered_variance,
    crossed_sum,
    crossed_variance,
    deviations,
    two_sided,
)

LEAST_LABELS, LEAST_DIFFERENT, LEAST_ITEMS = 10, 5, 30
STEP = 0.001  # of printed shares: a tenth of a percent
MANY = 0.05  # share of the items that is judged, above which the interval is too wide for exactly these items
ALL_JUDGED, FEW_LABELS, FEW_DIFFERENT, FEW_ITEMS, NO_GAIN = "all judged", "few labels", "few different", "few", "none"
FEW_ELEMENTS = "few elements"
BOTH = "people and a model"


@dataclass(frozen=True, slots=True)
class Sample:
    """Responses to judged items as rows of values, item codes and worker codes; predictions by code, and of others.

    `chances`: each judged item's chance to be drawn, None if all had the same. `names`: of items and of workers.
    `of_elements`: a value is an item's part in a share or mean of all elements of lists.
    """

    values: Floats
    items: Integers
    workers: Integers
    judged: Floats
    others: Floats
    chances: Floats | None = None
    names: tuple[Sequence[Hashable], Sequence[str]] = ((), ())
    of_elements: bool = False

    @property
    def people(self) -> int:
        return int(self.workers.max()) + 1

    @property
    def weights(self) -> Floats:
        """Of judged items."""
        return np.ones(len(self.judged)) if self.chances is None else 1 / self.chances

    @property
    def row_weights(self) -> Floats:
        """Of responses: those of an item share its weight."""
        return (self.weights / np.bincount(self.items))[self.items]

    @property
    def means(self) -> Floats:
        """Of each judged item over its workers."""
        return np.bincount(self.items, self.values) / np.bincount(self.items)

    @property
    def all_predicted(self) -> Floats:
        return np.concatenate([self.judged, self.others])


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is printed and what it rests on; shares in 0..1.

    `printed` has the method BOTH, or is `alone` for the reason in `refused`. `model` is the mean of all predictions,
    which is off by `bias` (model minus people on judged items). `different`: the share of judged items on which
    people and model differ; its upper end bounds the model's error. `rate`: the weight of the model, 0 for people
    alone. `worth`: how many judged items people alone would need for the same interval. `effective`: how many items
    drawn with the same chance count as much; `gain`: the variance over items had as many been drawn uniformly, as a
    multiple of this draw's.
    """

    printed: Figure
    alone: Figure
    model: Figure
    bias: Figure
    different: Figure
    rate: float
    refused: str
    worth: float
    judged: int
    items: int
    workers: int
    effective: float
    gain: float

    @property
    def many(self) -> bool:
        return self.judged > MANY * self.items


def sample_of(
    responses: Iterable[Response],
    predictions: Mapping[Hashable, float],
    chances: Mapping[Hashable, float] | None = None,
) -> Sample | None:
    """The responses to predicted items, beside all predictions; None without any. Raises KeyError without a chance."""
    rows = [row for row in responses if row.item in predictions]
    if not rows:
        return None
    items, workers = list(dict.fromkeys(row.item for row in rows)), list(dict.fromkeys(row.worker for row in rows))
    judged = set(items)
    return Sample(
        np.array([row.value for row in rows], dtype=np.float64),
        label_codes(row.item for row in rows),
        label_codes(row.worker for row in rows),
        np.array([predictions[item] for item in items], dtype=np.float64),
        np.array([value for item, value in predictions.items() if item not in judged], dtype=np.float64),
        None if chances is None else np.array([chances[item] for item in items], dtype=np.float64),
        (items, workers),
    )


class Summed(NamedTuple):
    """The sum of values over an item's elements that a worker, or a model, judged, and the number of these."""

    item: Hashable
    worker: str
    total: float
    size: float


def sample_of_elements(
    responses: Iterable[Summed],
    predictions: Mapping[Hashable, tuple[float, float]],
    chances: Mapping[Hashable, float] | None = None,
) -> Sample | None:
    """A sample whose means are ratios of sums, over all elements: each item's value is its part in the ratio.

    The part of an item with sum T and m elements is R + (T - R · m) / (mean of m), with R = ΣT / Σm (linearisation,
    Cochran 1977, Sampling Techniques, 6.4): their mean is R, their variance that of R over items. With one element an
    item it is the value itself. Of several workers an item's T and m are their means.
    """
    rows = [row for row in responses if row.item in predictions]
    if not rows:
        return None
    each = Counter(row.item for row in rows)
    weights = np.array([1 / (each[row.item] * (1 if chances is None else chances[row.item])) for row in rows])
    parts = _parts(np.array([row[2:] for row in rows], dtype=np.float64), weights)
    model = _parts(np.array(list(predictions.values()), dtype=np.float64), np.ones(len(predictions)))
    people = [Response(row.item, row.worker, part) for row, part in zip(rows, parts.tolist(), strict=True)]
    found = sample_of(people, dict(zip(predictions, model.tolist(), strict=True)), chances)
    return found and replace(found, of_elements=True)


def _parts(sums: Floats, weights: Floats) -> Floats:
    """From rows of a sum and a number each row's part in the ratio of both."""
    totals, sizes = sums.T
    ratio = weights @ totals / (weights @ sizes)
    parts: Floats = ratio + (totals - ratio * sizes) * weights.sum() / (weights @ sizes)
    return parts


def estimate(sample: Sample, *, mean: bool = False, step: float = STEP) -> Estimate:
    """The figure from people and the model, or of people alone where a guard refuses; `mean`: not the share of a label.

    Refused: fewer than 10 of the rarer label or 5 judged items on which the two differ (of means: fewer than 30 items;
    of elements: fewer than 30 items, or items times the rarer share below 10), counted as if all had been drawn with
    the same chance; or no narrower than people alone, also as printed, with ends rounded to multiples of `step`.
    """
    n, size, shares = len(sample.judged), len(sample.all_predicted), sample.weights / sample.weights.sum()
    effective = 1 / float(shares @ shares)
    apart = min(1.0, float(shares @ (np.abs(sample.means - sample.judged) >= 0.5)))
    alone = found = moments(sample, 0.0)
    rate, refused = best_rate(sample), _refusal(sample, effective, apart, alone[0], mean=mean)
    people = _alone(sample, *alone, effective)
    if not refused:
        found = moments(sample, rate)
        widths = [_width(one, step) for one in (_figure(sample, *found, 0.0, BOTH), people)]
        refused = NO_GAIN if found[1] >= alone[1] or widths[0] >= widths[1] else ""
    if refused:
        rate, found = 0.0, alone
    rest = sample.means - rate * sample.judged
    rest -= shares @ rest
    actual = float(shares**2 @ rest**2)
    off = residual(sample, 1.0)
    return Estimate(
        printed=people if refused else _figure(sample, *found, 0.0, BOTH),
        alone=people,
        model=_score(float(sample.all_predicted.mean()), float(sample.all_predicted.var()) / size, size, size),
        bias=_figure(sample, -off[0], off[1], -1.0, "model minus people"),
        different=wilson(apart * effective, effective),
        rate=rate,
        refused=refused,
        worth=min(size, n * alone[1] / found[1]) if found[1] else n,
        judged=n,
        items=size,
        workers=sample.people,
        effective=effective,
        gain=float(shares @ rest**2) / n / actual if actual else 1.0,
    )


def _width(figure: Figure, step: float) -> float:
    """Of the interval as printed, in steps; that of none is endless."""
    if figure.low is None or figure.high is None:
        return math.inf
    return round(figure.high / step) - round(figure.low / step)


def difference(first: Sample, second: Sample, *, mean: bool = False, step: float = STEP) -> Figure:
    """The estimate of the first minus that of the second, each with its own rate; n counts the judged items.

    One contrast over items and workers, who may be in both, with seven workers on each side; else over items.
    """
    value = variance = 0.0
    parts: list[Floats] = []
    for sign, sample in ((1, first), (-1, second)):
        rate = estimate(sample, mean=mean, step=step).rate
        value += sign * moments(sample, rate)[0]
        variance += _of_model(sample, rate)
        rest, weights = sample.values - rate * sample.judged[sample.items], sample.row_weights
        parts.append(sign * deviations(weights, rest))
    off = np.concatenate(parts)
    items, workers = (
        label_codes(of.names[k][code] for of in (first, second) for code in (of.items, of.workers)[k].tolist())
        for k in (0, 1)
    )
    people, n = min(first.people, second.people), len(np.unique(items))
    if people < LEAST_WORKERS:
        half = two_sided(LEVEL, n - 1) * math.sqrt(variance + clustered_variance(off, items))
        return _between(value, half, -1.0, n, "items")
    half = two_sided(LEVEL, people - 1) * math.sqrt(variance + crossed_sum(off, items, workers))
    return _between(value, half, -1.0, n, "workers and items")


def best_rate(sample: Sample) -> float:
    """The weight of the model with the smallest variance over items, 0..1; 0 where it says the same of all.

    For the mean of all predictions it is not divided by 1 + n/N; with equal chances the estimates are the same.
    """
    n, others = len(sample.judged), len(sample.others)
    spread = float(sample.all_predicted.var(ddof=1)) if n + others > 1 else 0.0
    if not others or spread == 0:
        return 0.0
    shares, means = sample.weights / sample.weights.sum(), sample.means
    together = float(shares @ ((means - shares @ means) * (sample.judged - shares @ sample.judged)))
    return min(1.0, max(0.0, together / spread / (1 + n / others if sample.chances is None else 1)))


def moments(sample: Sample, rate: float) -> tuple[float, float]:
    """The estimate at a rate, and its variance."""
    value, variance = residual(sample, rate)
    return value + (rate * float(_predicted(sample).mean()) if rate else 0.0), variance + _of_model(sample, rate)


def residual(sample: Sample, rate: float) -> tuple[float, float]:
    """The mean of Y - rate · f over judged items, and its variance (weighted: that of a ratio, linearised)."""
    people = sample.people >= LEAST_WORKERS
    rest = sample.values - rate * sample.judged[sample.items] if people else sample.means - rate * sample.judged
    if np.ptp(rest) == 0:
        return float(rest[0]), 0.0
    weights = sample.row_weights if people else sample.weights
    value = float(weights @ rest / weights.sum())
    if people:
        return value, crossed_variance(weights, rest, sample.items, sample.workers)
    return value, float(weights**2 @ (rest - value) ** 2) / float(weights.sum()) ** 2


def _predicted(sample: Sample) -> Floats:
    return sample.others if sample.chances is None else sample.all_predicted


def _of_model(sample: Sample, rate: float) -> float:
    """The variance that the mean of predictions adds."""
    return rate**2 * float(_predicted(sample).var()) / len(_predicted(sample)) if rate else 0.0


def _refusal(sample: Sample, effective: float, apart: float, value: float, *, mean: bool) -> str:
    if not len(sample.others):
        return ALL_JUDGED
    slack = 1 - 1e-9  # shares times n are whole numbers but for rounding
    is_rare = not mean and effective * min(value, 1 - value) < LEAST_LABELS * slack
    if mean or sample.of_elements:
        return FEW_ITEMS if effective < LEAST_ITEMS else FEW_ELEMENTS if is_rare else ""
    if is_rare:
        return FEW_LABELS
    return FEW_DIFFERENT if effective * apart < LEAST_DIFFERENT * slack else ""


def _figure(sample: Sample, value: float, variance: float, least: float, method: str) -> Figure:
    n = len(sample.judged)
    degrees = (sample.people if sample.people >= LEAST_WORKERS else n) - 1
    half = two_sided(LEVEL, degrees) * math.sqrt(variance) if variance and degrees else None
    return _between(value, half, least, n, method)


def _between(value: float, half: float | None, least: float, n: int, method: str) -> Figure:
    """An estimate may leave the scale that its figure is on: both are cut."""
    if half is None:
        return Figure(value, None, None, n, method)
    cut = [min(1.0, max(least, end)) for end in (value, value - half, value + half)]
    return Figure(cut[0], cut[1], cut[2], n, method)


def _alone(sample: Sample, value: float, variance: float, effective: float) -> Figure:
    """People alone: as other figures over workers and items, or the score interval over items."""
    if sample.people >= LEAST_WORKERS:
        return Spread(value, math.sqrt(variance), sample.people - 1, len(sample.judged)).figure()
    return _score(value, variance, len(sample.judged), effective)


def _score(value: float, variance: float, n: int, effective: float) -> Figure:
    """Wilson's interval of as many 0s and 1s as vary as much."""
    alike = value * (1 - value) / variance if variance else effective
    return replace(wilson(value * alike, alike), n=n)
