"""Figures of one criterion: how often each value was given, means, agreement."""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from operator import eq, methodcaller
from typing import Any, NamedTuple

from annotation.pure.ratings.rubric import BEST, CHOICE, CHOICES, MARK, NUMBER, ORDER, SCALE, TIE, Criterion
from annotation.pure.reports.model_aspects import Aspect
from annotation.pure.reports.tables import own_words, rounded, text_cell
from annotation.pure.statistics.distance_agreement import Alpha, alpha, alpha_of_sets
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.ordered_agreement import MarkedUnit, alpha_of_numbers, alpha_of_words, weighted_kappa
from annotation.pure.statistics.preferences import SystemShares, concordance, system_shares
from annotation.pure.statistics.ratings import (
    Estimate,
    Rating,
    Share,
    pair_agreement,
    rating_shares,
    rescaled,
    shares,
    units_of,
)
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON

from .collected import Collected

MOST_POINTS, BINS = 12, 10  # of a scale that is shown point by point; else as many ranges
RAW = _("Raw agreement of two annotators")
Units = Sequence[Mapping[str, Any]]
Value = tuple[Any, Callable[[Any], bool]]  # a cell, and whether a rating is of it


def values_of(criterion: Criterion, ratings: Iterable[Rating]) -> list[Value]:
    """The values that are counted: points or ranges, options, systems."""
    kind, values = criterion.kind, criterion.values
    if kind == NUMBER or (kind == SCALE and len(values) > MOST_POINTS):
        return list(_ranges(values[0], values[-1]))
    if kind == BEST:
        given = {one.value for one in ratings}
        values = (*(sorted(given - {TIE}, key=int) if criterion.listed else values), *((TIE,) if criterion.tie else ()))
    if kind == CHOICES:
        return [(_label(criterion, each), methodcaller("__contains__", each)) for each in values]
    if kind in (SCALE, CHOICE, BEST):
        return [(_label(criterion, each), partial(eq, each)) for each in values]
    return []


def _ranges(low: float, high: float) -> Iterable[Value]:
    width = (high - low) / BINS
    for k in range(BINS):
        start, end = low + k * width, low + (k + 1) * width
        within = partial(_is_within, start, math.inf if k == BINS - 1 else end)  # the last range has its end
        yield f"{start:g}–{high if k == BINS - 1 else end:g}", within


def _is_within(start: float, end: float, given: float) -> bool:
    return start <= given < end


def _label(criterion: Criterion, value: Any) -> Any:
    """A value as a cell: its label, of a point the point with it."""
    if (label := criterion.labels.get(value)) is None:
        return text_cell(_("tie")) if (criterion.kind, value) == (BEST, TIE) else str(value)
    own = own_words(label)
    return text_cell("%(value)s (%(label)s)", value=value, label=own) if criterion.kind == SCALE else own


def judged_by(criteria: Sequence[Criterion], by: str = "") -> list[Aspect]:
    """What models can be compared in; texts, marks and orders are there without figures. `by`: the field of strata."""
    found = []
    for one in criteria:
        has_labels, has_ends = one.kind in (CHOICE, CHOICES, SCALE), one.kind in (SCALE, NUMBER)
        found.append(
            Aspect(
                one.name,
                own_words(one.name),
                partial(_value, one),
                {value: _label(one, value) for value in one.values} if has_labels else {},
                (one.values[0], one.values[-1]) if has_ends else None,
                whole=len(criteria) == 1 and not one.each,
                each=bool(one.each),
                own_strata=by.startswith(f"{one.each}."),
                sets=one.kind == CHOICES,
                conditional=bool(one.condition),
                is_stated=True,
                right=one.right,
                wrong_gold=one.wrong_gold,
            )
        )
    return found


def _value(one: Criterion, answer: Mapping[str, Any]) -> Any:
    value = answer.get(one.name)
    if one.kind not in (CHOICE, CHOICES, SCALE, NUMBER):
        return None
    if one.kind != CHOICES or value is None:
        return value
    return [each if each is None else frozenset(each) for each in value] if one.each else frozenset(value)


class Figures(NamedTuple):
    """The share of each value, the mean of numbers on (x - low) / (high - low), how systems did, and agreement."""

    values: list[tuple[Any, Share]]
    mean: Share | None
    systems: Mapping[str, SystemShares]
    agreement: list[list[Any]]  # rows of a table
    alpha: Figure | None  # Krippendorff's; None of orders


def figures_of(one: Collected, seed: int) -> Figures:
    """All of one criterion."""
    values, mean = value_shares(one, one.ratings, seed)
    return Figures(values, mean, system_shares(one.preferences, seed), *agreement_of(one, seed))


def value_shares(one: Collected, ratings: Sequence[Rating], seed: int) -> tuple[list[tuple[Any, Share]], Share | None]:
    """(value, its share) of the ratings, and the mean if they are numbers."""
    values = values_of(one.criterion, ratings)
    low, high = one.criterion.values[0], one.criterion.values[-1]

    def score(given: Any) -> list[float]:
        mean = [(given - low) / (high - low)] if one.is_numeric else []
        return [*(float(is_it(given)) for _cell, is_it in values), *mean]

    found = rating_shares(ratings, score, seed) if values else []
    mean = found.pop() if found and one.is_numeric else None
    return [(cell, share) for (cell, _is_it), share in zip(values, found, strict=False)], mean


def over_workers(estimate: Estimate) -> Figure | None:
    """The figure over workers and items; None where there are too few workers."""
    spread = estimate.spread
    return spread.figure() if spread and spread.error is not None else None


def as_points(criterion: Criterion, figure: Figure | None) -> list[float | None]:
    """Value, low and high of a mean on the scale of its criterion."""
    if figure is None:
        return [None, None, None]
    own = rescaled(figure, criterion.values[0], criterion.values[-1])
    return [rounded(own.value), rounded(own.low), rounded(own.high)]


def mean_in_points(criterion: Criterion, mean: Share) -> JSON:
    """The cell of a mean over all elements on the scale of its criterion."""
    figure = rescaled(mean.of_elements.figure, criterion.values[0], criterion.values[-1])
    return figure.as_json() | {"points": True}


def agreement_of(one: Collected, seed: int) -> tuple[list[list[Any]], Figure | None]:
    """Rows of raw agreement, alpha by the kind of values, and weighted kappa; of orders Kendall's W. And alpha.

    Nothing where nobody was asked the same as another.
    """
    numbers = one.numbers
    units, items = units_of(one.ratings if numbers is None else numbers)
    if all(len(unit) < 2 for unit in units):
        return [], None
    if one.criterion.kind == ORDER:
        w = concordance(one.preferences, seed)
        return [_row(_("Kendall's W (by chance 1 / number of responses to an item)"), w, w.n)], None
    name, found = _alpha(one, units, items, seed)
    raw = _raw_of_words(one, units, seed) if one.criterion.kind == MARK else pair_agreement(one.ratings, seed)
    rows = [_row(RAW, raw, found.figure.n), _row(name, found.figure, found.figure.n)]
    rows[-1][-2:] = [rounded(found.without.low), rounded(found.without.high)]
    if numbers is not None and (kappa := weighted_kappa(units, seed, clusters=items)):
        rows += [_row(_("Weighted kappa (quadratic)"), kappa.quadratic, len(units))]
        rows += [_row(_("Weighted kappa (linear)"), kappa.linear, len(units))]
    return rows, found.figure


def _row(words: str, figure: Figure, n: int) -> list[Any]:
    return [text_cell(words), rounded(figure.value), rounded(figure.low), rounded(figure.high), n, None, None]


def _alpha(one: Collected, units: Units, items: Sequence[Hashable], seed: int) -> tuple[str, Alpha]:
    kind = one.criterion.kind
    if kind == MARK:
        return _("Krippendorff's alpha (words)"), alpha_of_words(_marked(one, units), seed)
    if kind == CHOICES:
        return _("Krippendorff's alpha (MASI distance)"), alpha_of_sets(units, seed, clusters=items)
    if one.numbers is None:
        return _("Krippendorff's alpha (nominal)"), alpha(units, seed, clusters=items)
    words = _("Krippendorff's alpha (interval)") if kind == NUMBER else _("Krippendorff's alpha (ordinal)")
    return words, alpha_of_numbers(units, seed, ordinal=kind != NUMBER, clusters=items)


def _marked(one: Collected, units: Units) -> list[MarkedUnit]:
    """The texts that somebody was to mark words in, in the order of their first response."""
    return [MarkedUnit(item, n, unit) for ((item, _k), n), unit in zip(one.words.items(), units, strict=True)]


def _raw_of_words(one: Collected, units: Units, seed: int) -> Figure:
    """The share of words that two annotators both marked, or both did not."""
    rows = [
        (unit.item, "", [float(unit.words - len(a ^ b))], [float(unit.words)])
        for unit in _marked(one, units)
        for a, b in combinations(unit.marked.values(), 2)
    ]
    return shares(rows, seed)[0].of_elements.figure if rows else Figure(None, None, None, 0)
