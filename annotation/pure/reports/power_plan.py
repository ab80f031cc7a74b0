"""A plan's power, as sentences that a paper can quote and as tables: with the rates of a pilot, and of each way to
spend a budget on items, responses to each, and workers.

Two responses to an item (or by a worker) of a pilot are both right more often than by chance. The tetrachoric
correlation behind that is the share of the variance that items (or workers) account for in the model of `power`.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import NormalDist
from typing import Any, Final

from annotation.pure.data.example import JSON
from annotation.pure.numeric import np
from annotation.pure.reports import tables
from annotation.pure.reports.tables import text_cell
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.power import (
    MOST_RESPONSES,
    PAIRED,
    TARGET,
    UNPAIRED,
    Design,
    Impossible,
    Power,
    quick_power,
)
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response
from annotation.pure.text.translation_marks import gettext_noop as _

LEAST: Final = 20  # responses of a pilot
MOST_SHARE: Final = 0.95  # of items and workers together
TOO_SMALL = _("A pilot needs at least %(least)s responses with gold, or ratings and what counts; this one has %(n)s.")
EVEN = _("All responses of the pilot are right, or all are wrong, so they show no spread.")
_POINTS: Final = 201
_STEPS: Final = 40

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Pilot:
    """What a pilot shows. A share is None if no two responses tell it."""

    rate: float
    by_item: float | None
    by_worker: float | None
    items: int
    workers: int
    responses: int


def pilot_of(responses: Iterable[Response]) -> Pilot:
    """Rate and shares of a pilot; a response is right if its value is 1, and each counts alike.

    Raises Impossible for fewer than LEAST responses, or if all are right or all are wrong.
    """
    rows = [(row.item, row.worker, row.value >= 1) for row in responses]
    right = sum(row[2] for row in rows)
    if len(rows) < LEAST:
        raise Impossible(TOO_SMALL, least=LEAST, n=len(rows))
    if right in (0, len(rows)):
        raise Impossible(EVEN)
    rate = right / len(rows)
    by_item, by_worker = (_share([(row[k], row[2]) for row in rows], rate) for k in (0, 1))
    both = (by_item or 0.0) + (by_worker or 0.0)
    if both > MOST_SHARE:
        by_item, by_worker = (share and share * MOST_SHARE / both for share in (by_item, by_worker))
    items, workers = (len({row[k] for row in rows}) for k in (0, 1))
    return Pilot(rate, by_item, by_worker, items, workers, len(rows))


def both_right(rate: float, correlation: float) -> float:
    """The probability that two responses with latent `correlation` (0 <= r < 1) are both right."""
    limit = _NORMAL.inv_cdf(rate)
    angles = np.linspace(0.0, math.asin(correlation), _POINTS)
    heights = np.exp(-(limit**2) / (1 + np.sin(angles))) / (2 * math.pi)
    return rate**2 + float(np.trapezoid(heights, angles))


def _share(rows: list[tuple[Hashable, bool]], rate: float) -> float | None:
    """The correlation of two responses with the same key; None without two such."""
    numbers = Counter(key for key, _right in rows)
    right = Counter(key for key, is_right in rows if is_right)
    pairs = sum(n * (n - 1) for n in numbers.values())
    if not pairs:
        return None
    together = sum(n * (n - 1) for n in right.values()) / pairs
    low, high = 0.0, MOST_SHARE
    if together <= both_right(rate, low):
        return 0.0
    for _step in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if both_right(rate, middle) < together else (low, middle)
    return (low + high) / 2


ANSWERS: Final = (1, 2, 3, 5)  # responses to an item that are tried
CROWDS: Final = (1, 2)  # multiples of the planned workers
FREE = _("A budget needs the price of a response.")
TOO_MUCH = _("This budget pays for more responses than can be simulated (%(most)s).")


@dataclass(frozen=True, slots=True)
class Offer:
    """A way to spend the budget, what it costs, and its power."""

    design: Design
    cost: Decimal
    power: Figure


def offers(design: Design, *, each: Decimal | None, budget: Decimal, seed: int) -> list[Offer]:
    """All ways that the budget allows, as many items as it pays for; `each` is the price of a response with fees.

    Raises Impossible if a response costs nothing, or if the budget pays for more than can be simulated.
    """
    if not each:
        raise Impossible(FREE)
    if budget / each > MOST_RESPONSES:
        raise Impossible(TOO_MUCH, most=MOST_RESPONSES)
    found = []
    for answers in ANSWERS:
        items = int(budget / (each * design.arms * answers))
        for crowd in CROWDS:
            workers = design.workers * crowd
            if items < 2 or workers < answers * (2 if design.kind == PAIRED else 1) or workers > items * answers:
                continue
            way = replace(design, items=items, answers=answers, workers=workers)
            found.append(Offer(way, each * way.responses, quick_power(way, seed)))
    return found


DESIGNS = {
    PAIRED: _(
        "We planned to compare two conditions on the same %(items)s items, with %(answers)s responses to an item in "
        "each condition by %(people)s annotators (%(responses)s responses); nobody meets an item twice."
    ),
    UNPAIRED: _(
        "We planned to compare two conditions with %(items)s items and %(answers)s responses to an item in each, by "
        "%(people)s annotators, half of them in each condition (%(responses)s responses)."
    ),
}
ONE_RATE = _(
    "We planned to measure one rate on %(items)s items with %(answers)s responses to each by %(people)s annotators "
    "(%(responses)s responses)."
)
FINDS = _(
    "A true difference between %(first)s %% and %(second)s %% is found (two-sided test, α = .05) with a power of "
    "%(power)s %% (95 %% interval %(low)s to %(high)s)."
)
SAME = _("Both rates are %(first)s %%, so there is no difference to find.")
SMALLEST = _(
    "The smallest difference from %(from)s %% towards %(end)s %% found with a power of %(target)s %% is %(points)s "
    "points."
)
NO_SMALLEST = _("No difference from %(from)s %% towards %(end)s %% is found with a power of %(target)s %%.")
ASSUMED = _(
    "We simulated %(n)s data sets (seed %(seed)s) with crossed random effects, assuming that items account for "
    "%(by_item)s %% and annotators for %(by_worker)s %% of the variance on the probit scale."
)
ALIKE = _("An item's effects in the two conditions correlate by %(alike)s.")
TEST = _(
    "The test clusters by item and by annotator; where nothing differs, it finds a difference in %(alarms)s %% of the "
    "simulations."
)
MARGIN = _("The 95 %% interval is expected to reach ± %(points)s points.")
ITEMS = _("At these rates a power of %(target)s %% takes about %(items)s items with at most as many annotators.")
NO_ITEMS = _("At these rates not even %(items)s items give a power of %(target)s %% with at most as many annotators.")
PILOT = _("In a pilot of %(responses)s responses to %(items)s items by %(workers)s annotators, %(rate)s %% were right.")
PILOT_RATINGS = _(
    "In a pilot of %(responses)s responses to %(items)s items by %(workers)s annotators, %(rate)s %% were right: they "
    "fulfil “%(counts)s”."
)
PILOT_ITEMS = _("Items accounted for %(share)s %% of the variance there.")
PILOT_WORKERS = _("Annotators accounted for %(share)s %% of the variance there.")
FEW = _("Reports give no interval for people in general with fewer than %(least)s annotators.")


def plan_sentences(plan: Power, pilot: JSON | None = None) -> list[JSON]:
    """The plan, its power and its assumptions, in the order of a paper."""
    design, sentence = plan.design, tables.as_sentence
    numbers = {"items": design.items, "answers": design.answers, "people": design.people}
    rates = {"first": _points(design.first), "second": _points(design.second)}
    fixed, moving = design.moved
    aim = {"from": _points(fixed), "end": "100" if moving > fixed else "0", "target": _points(TARGET)}
    parts = [sentence(DESIGNS.get(design.kind, ONE_RATE), **numbers, responses=design.responses)]
    if design.first == design.second:
        parts.append(sentence(SAME, **rates))
    else:
        low, high = (_points(end or 0.0) for end in (plan.power.low, plan.power.high))
        parts.append(sentence(FINDS, **rates, power=_points(plan.power.value or 0.0), low=low, high=high))
    smallest = plan.detectable
    parts.append(
        sentence(NO_SMALLEST, **aim) if smallest is None else sentence(SMALLEST, **aim, points=_points(smallest))
    )
    parts.append(sentence(MARGIN, points=_points(plan.margin)))
    if design.first != design.second:
        needed = plan.items_needed
        parts.append(sentence(ITEMS if needed else NO_ITEMS, target=aim["target"], items=needed or design.most_items))
    shares = {"by_item": _points(design.by_item), "by_worker": _points(design.by_worker)}
    parts.append(sentence(ASSUMED, n=plan.power.n, seed=plan.seed, **shares))
    if design.kind == PAIRED:
        parts.append(sentence(ALIKE, alike=f"{design.alike:g}"))
    if pilot:
        told = {name: pilot[name] for name in ("responses", "items", "workers", "counts")}
        parts.append(sentence(PILOT_RATINGS if pilot["counts"] else PILOT, **told, rate=_points(pilot["rate"])))
        for message, share in ((PILOT_ITEMS, pilot["by_item"]), (PILOT_WORKERS, pilot["by_worker"])):
            parts += [] if share is None else [sentence(message, share=_points(share))]
    parts.append(sentence(TEST, alarms=_points(plan.false_alarms.value or 0.0)))
    return parts + ([sentence(FEW, least=LEAST_WORKERS)] if design.workers < LEAST_WORKERS else [])


def budget_table(offers: Sequence[Offer]) -> JSON:
    """The ways to spend a budget; numbers of items and workers are those of one condition."""
    rows = [
        [o.design.answers, o.design.items, o.design.workers, o.design.responses, f"{o.cost:.2f}", o.power.as_json()]
        for o in offers
    ]
    columns = [_("Responses to an item"), _("Items"), _("Workers"), _("Responses"), _("Cost ($)"), _("Power")]
    note = _("Items and workers of each condition. Intervals are those of the simulation.")
    return tables.table("budget", _("What the budget buys"), columns, rows, note, leads=False)


def assumptions_table(plan: Power) -> JSON:
    """Everything that the figures were computed from."""
    design = plan.design
    rows: list[list[Any]] = [
        [text_cell(_("Comparison")), text_cell(KINDS[design.kind])],
        [text_cell(_("Rates")), f"{_points(design.first)} %, {_points(design.second)} %"],
        [text_cell(_("Items in each condition")), design.items],
        [text_cell(_("Responses to an item in each condition")), design.answers],
        [text_cell(_("Workers in each condition")), design.workers],
        [text_cell(_("Variance between items")), f"{_points(design.by_item)} %"],
        [text_cell(_("Variance between workers")), f"{_points(design.by_worker)} %"],
        *([[text_cell(_("Correlation of an item's effects")), f"{design.alike:g}"]] if design.kind == PAIRED else []),
        [text_cell(_("Simulations")), plan.power.n],
        [text_cell(_("Seed")), str(plan.seed)],
    ]
    columns = [_("Assumption"), _("Value")]
    return tables.table("assumptions", _("Assumptions"), columns, rows, leads=False, bars=False)


KINDS = {
    PAIRED: _("Two conditions on the same items (paired)"),
    UNPAIRED: _("Two conditions on different items (unpaired)"),
    "rate": _("One rate against a fixed value"),
}


def _points(share: float) -> str:
    """A share in percent, with one digit where it has one."""
    return f"{100 * share:.1f}".removesuffix(".0")
