"""Compare two sets of scores over workers and items: one contrast where items or workers are shared.

Scores are {key of an item: value in 0..1}, with what each would be without each of its workers. Where enough items are
shared, the difference is over these, so that an item's difficulty affects both sides; where only workers are, it is a
contrast of all items (`figure_differences.contrast`); where nothing is, its interval is MOVER's. A single worker or a
model has no workers and is taken as given.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from annotation.pure.statistics import significance
from annotation.pure.statistics.figure_differences import Ends, chance, contrast, mover, workers_of
from annotation.pure.statistics.intervals import LEVEL, Figure, bootstrap_figure
from annotation.pure.statistics.worker_intervals import Unit, crossed, spread
from annotation.pure.text.translation_marks import gettext_noop as _

Values = Mapping[Hashable, float]
Without = Mapping[Hashable, Mapping[str, float | None]]
Units = Mapping[Hashable, Unit]
PEOPLE = "all"  # the key of all annotators of a batch together
SEED = 0
LEAST_PAIRS = 5  # shared items from which on a difference is paired
PAIRED, SAME_PEOPLE, APART = _("paired"), _("not paired: the same workers on different items"), _("not paired")


@dataclass(frozen=True, slots=True)
class Measured:
    """One side of a comparison. `scores` and `agreements` are per item, 0..1."""

    key: str
    label: str
    scores: Values = field(default_factory=dict)
    agreements: Values = field(default_factory=dict)
    answers: int = 0
    seconds: float | None = None  # median active time of an answer
    paid: Decimal | None = None  # without fees
    wage: Decimal | None = None  # median over annotators, an hour
    report: dict[str, Any] = field(default_factory=dict)
    without: Mapping[str, Without] = field(default_factory=dict)  # of scores and agreements, by worker

    def units(self, of: str) -> Units:
        """The `scores` or `agreements` with their values without each worker."""
        without = self.without.get(of, {})
        return {key: Unit(value, without.get(key, {})) for key, value in getattr(self, of).items()}

    def mean(self, of: str) -> Figure:
        return mean_of(self.units(of))


@dataclass(frozen=True, slots=True)
class Difference:
    """The first minus the second. `figure.n` counts the shared items, or the smaller side's; `how` is PAIRED, ...

    `chance` is the p value of no difference, not adjusted for others, None where there is no interval over workers and
    items; `effect` is Cohen's d.
    """

    figure: Figure
    how: str
    chance: float | None
    effect: float | None


def difference(first: Units, second: Units) -> Difference | None:
    """The difference of the means with its 95 % interval; None if a side has no value."""
    if not first or not second:
        return None
    shared = [key for key in first if key in second]
    if len(shared) >= LEAST_PAIRS:
        one, two = ({key: side[key] for key in shared} for side in (first, second))
        apart = [(one[key].value or 0.0) - (two[key].value or 0.0) for key in shared]
        return _contrasted(one, two, len(shared), PAIRED, significance.effect(apart))
    effect = significance.effect_unpaired(*([unit.value or 0.0 for unit in side.values()] for side in (first, second)))
    if workers_of(first) & workers_of(second):
        return _contrasted(first, second, min(len(first), len(second)), SAME_PEOPLE, effect)
    spreads = [spread(side.values()) for side in (first, second)]

    def ends(level: float) -> Figure:
        one, two = (each.figure(level) if each else Figure(None, None, None, 0) for each in spreads)
        return mover(one, two)

    is_known = all(each and each.error for each in spreads)
    return Difference(ends(LEVEL), APART, chance(ends) if is_known else None, effect)


def _contrasted(first: Units, second: Units, n: int, how: str, effect: float | None) -> Difference:
    found = contrast(first, second)
    figure = found.figure() if found else Figure(None, None, None, 0)
    ends: Ends | None = found.figure if found and found.error else None
    return Difference(
        Figure(figure.value, figure.low, figure.high, n, figure.method), how, ends and chance(ends), effect
    )


def mean_of(units: Units) -> Figure:
    """The mean over items with its interval over workers and items; of what has no workers over items only."""
    if workers_of(units):
        return crossed(units.values())
    return bootstrap_figure([unit.value for _key, unit in sorted(units.items(), key=lambda one: repr(one[0]))], SEED)
