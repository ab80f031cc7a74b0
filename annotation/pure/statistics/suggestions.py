"""Suggestions as an experiment: which assignments start with a model's prediction, and how far it pulls.

| function | in | out |
| --- | --- | --- |
| `draw_suggested` | counts of an item's and a worker's assignments in both arms | whether the next one is suggested |
| `pulls` | responses of both arms beside what is suggested, gold if known | `Pull`s: all, right and wrong suggestions |
| `time_ratio` | seconds of both arms | the time with a suggestion in times of that without |
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random
from typing import NamedTuple

from annotation.pure.statistics.agreement import most_said
from annotation.pure.statistics.intervals import LEVEL, Figure
from annotation.pure.statistics.worker_intervals import Response, Spread, contrast_of_means, over_workers

LEAST_ITEMS, LEAST_OTHERS = 30, 2
NOTHING = Figure(None, None, None, 0)


class Arms(NamedTuple):
    """How many assignments are blind, and how many start with a suggestion."""

    blind: int
    suggested: int


class Responded(NamedTuple):
    """A worker's label of an item, and whether the page started with the suggestion; `seconds` at work on it."""

    item: Hashable
    worker: str
    label: Hashable
    suggested: bool
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Pull:
    """The share equal to the suggestion when shown minus when blind, over `difference.n` items that have both.

    `shown`, `blind`: responses; `when_shown`, `when_blind`: their shares. Without values below 30 such items; intervals
    are over items and workers, from seven workers on.
    """

    difference: Figure
    shown: int
    blind: int
    when_shown: Figure = NOTHING
    when_blind: Figure = NOTHING


def draw_suggested(item: Arms, worker: Arms, most: Arms, seed: str) -> bool | None:
    """Whether an item's next assignment starts with a suggestion; None if the item has as many as `most` of both.

    The arm that lags behind in the item's and the worker's assignments together; drawn where neither does
    (minimisation; Pocock and Simon 1975). `seed`: of this assignment.
    """
    room = Arms(most.blind - item.blind, most.suggested - item.suggested)
    if max(room) <= 0:
        return None
    if min(room) <= 0:
        return room.suggested > 0
    lead = sum(side.suggested * most.blind - side.blind * most.suggested for side in (item, worker))
    chance = most.suggested / sum(most) if not lead else float(lead < 0)
    return Random(seed).random() < chance


def pulls(
    responses: Iterable[Responded], suggestions: Mapping[Hashable, Hashable], gold: Mapping[Hashable, Hashable]
) -> dict[str, Pull]:
    """The pull of "all", "right" and "wrong" suggestions.

    Whether a suggestion is right says gold, or the majority of at least two blind responses. Each blind response that
    the others' majority leaves out is compared with those shown, so that both sides are sorted by the same people:
    sorted by all blind responses, wrong ones would count as such where people err as the model does.
    """
    arms: defaultdict[Hashable, tuple[list[Responded], list[Responded]]] = defaultdict(lambda: ([], []))
    for row in responses:
        if row.item in suggestions:
            arms[row.item][row.suggested].append(row)
    sides: dict[str, dict[Hashable, list[Responded]]] = {"all": {}, "right": {}, "wrong": {}}
    for item, (blind, shown) in arms.items():
        for row in blind if shown else ():
            sides["all"].setdefault(item, []).append(row)
            truth = gold.get(item, _majority(other.label for other in blind if other is not row))
            if truth is not None:
                side = "right" if truth == suggestions[item] else "wrong"
                sides[side].setdefault(item, []).append(row)
    return {name: _pull(arms, blind, suggestions) for name, blind in sides.items()}


def _majority(labels: Iterable[Hashable]) -> Hashable | None:
    known = list(labels)
    return most_said(known) if len(known) >= LEAST_OTHERS else None


def _pull(
    arms: Mapping[Hashable, tuple[Sequence[Responded], Sequence[Responded]]],
    compared: Mapping[Hashable, Sequence[Responded]],
    suggestions: Mapping[Hashable, Hashable],
) -> Pull:
    """An item's responses weigh as many blind ones as are compared, on both sides."""
    sides: tuple[list[Response], list[Response]] = ([], [])
    for item, blind in compared.items():
        shown = arms[item][1]
        for side, rows, weight in ((0, blind, 1.0), (1, shown, len(blind) / len(shown))):
            sides[side].extend(Response(item, r.worker, float(r.label == suggestions[item]), weight) for r in rows)
    numbers = len(sides[1]), len(sides[0])
    if len(compared) < LEAST_ITEMS:
        return Pull(Figure(None, None, None, len(compared)), *numbers)
    return Pull(
        contrast_of_means(sides[1], sides[0]).figure(), *numbers, over_workers(sides[1]), over_workers(sides[0])
    )


def time_ratio(responses: Iterable[Responded]) -> Figure:
    """The geometric mean time with a suggestion divided by that without, over items that have both.

    Items weigh the same; n counts them. Without a value below LEAST_ITEMS; its interval is over items and workers, from
    seven workers on.
    """
    arms: defaultdict[Hashable, tuple[list[Responded], list[Responded]]] = defaultdict(lambda: ([], []))
    for row in responses:
        if row.seconds > 0:
            arms[row.item][row.suggested].append(row)
    sides: tuple[list[Response], list[Response]] = ([], [])
    both = [found for found in arms.values() if all(found)]
    for found in both:
        for side, rows in enumerate(found):
            sides[side].extend(Response(r.item, r.worker, log(r.seconds), 1 / len(rows)) for r in rows)
    if len(both) < LEAST_ITEMS:
        return Figure(None, None, None, len(both))
    return _ratio(contrast_of_means(sides[1], sides[0]))


def _ratio(spread: Spread) -> Figure:
    """Of logarithms that differ by so much; an interval of a contrast of shares would be cut."""
    if spread.error is None:
        return Figure(exp(spread.value), None, None, spread.n)
    half = spread.half(LEVEL)
    return Figure(exp(spread.value), exp(spread.value - half), exp(spread.value + half), spread.n, "workers and items")
