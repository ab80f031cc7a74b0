"""Rehearsals: a crowd of simulated workers with set skill and habits, and the forecast that their work gives.

Which item a worker meets, and when, is the product's own doing; here is only what people bring: how often they are
right, how long they take, when they return, walk away or stop.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from random import Random
from statistics import fmean, median
from typing import TypeVar

from annotation.pure.intervals import Figure, wilson

T = TypeVar("T")

ANSWER, RETURN, ABANDON, LEAVE = "answer", "return", "abandon", "leave"
RIGHT_FROM = 0.5  # a grade from which an answer counts as right in a vote
RESAMPLES = 999
MOST_VOTES = 9  # annotations of an item for which the forecast says what they would give


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a crowd is like. Shares are 0..1; `speed` 2 takes half the expected time."""

    skill: float = 0.85  # mean chance of a right answer
    spread: float = 0.07  # standard deviation of the workers' skills
    speed: float = 1.0
    lazy: float = 0.1  # share of workers who hurry, and slip more
    spam: float = 0.03  # share of workers who guess
    dropout: float = 0.03  # chance to stop for good after any answer
    returns: float = 0.02  # chance to return what was accepted
    abandons: float = 0.01  # chance to walk away from it
    hours: float = 2.0  # within which the workers come

    def __post_init__(self) -> None:
        for name in ("skill", "spread", "lazy", "spam", "dropout", "returns", "abandons"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1")
        if not self.speed > 0 or not self.hours >= 0:
            raise ValueError("speed must be above 0, and hours not below")
        if self.lazy + self.spam > 1 or self.returns + self.abandons > 1:
            raise ValueError("lazy and spam, and returns and abandons, must not exceed 1 together")


def crowd(told: Sequence[str]) -> Crowd:
    """A crowd from NAME=NUMBER words; ValueError names what is unknown or unfit."""
    known = {field.name for field in fields(Crowd)}
    values: dict[str, float] = {}
    for word in told:
        name, _equals, number = word.partition("=")
        if name not in known:
            raise ValueError(f"a crowd has no {name!r}; it has {', '.join(sorted(known))}")
        try:
            values[name] = float(number)
        except ValueError:
            raise ValueError(f"{name} must be a number, not {number!r}") from None
        if not math.isfinite(values[name]):
            raise ValueError(f"{name} must be a number, not {number!r}")
    return Crowd(**values)


@dataclass(frozen=True, slots=True)
class Persona:
    """One simulated worker. `skill` is their chance of a right answer, `pace` what they multiply expected times by."""

    kind: str  # honest, lazy or spam
    skill: float
    pace: float
    comes: float  # seconds after the launch


def people(model: Crowd, count: int, rng: Random) -> list[Persona]:
    """So many workers of the crowd."""
    return [_person(model, rng) for _one in range(count)]


def _person(model: Crowd, rng: Random) -> Persona:
    drawn, comes = rng.random(), rng.uniform(0, model.hours * 3600)
    skill = min(0.99, max(0.02, rng.gauss(model.skill, model.spread)))
    pace = rng.lognormvariate(0, 0.25) / model.speed
    if drawn < model.spam:
        return Persona("spam", 0.1, 0.15 * pace, comes)
    if drawn < model.spam + model.lazy:
        return Persona("lazy", 0.75 * skill, 0.5 * pace, comes)
    return Persona("honest", skill, pace, comes)


def act(model: Crowd, rng: Random) -> str:
    """What a worker does with the assignment before them."""
    drawn = rng.random()
    if drawn < model.returns:
        return RETURN
    return ABANDON if drawn < model.returns + model.abandons else ANSWER


def stops(model: Crowd, rng: Random) -> bool:
    """Whether a worker leaves for good after an answer."""
    return rng.random() < model.dropout


def seconds(persona: Persona, expected: float, rng: Random) -> float:
    """How long the worker is busy with an assignment that is expected to take so long."""
    return max(1.0, expected * persona.pace * rng.lognormvariate(0, 0.35))


@dataclass(frozen=True, slots=True)
class Done:
    """One answer of a rehearsal; times in seconds after the launch."""

    worker: int
    item: int
    grade: float  # 0..1 against gold
    began: float
    ended: float
    earned: Decimal  # dollars, without fees
    fee: Decimal


@dataclass(frozen=True, slots=True)
class Votes:
    """What `count` annotations of each item give: how often most of them are right. `seen`: counted, not reckoned."""

    count: int
    right: float
    seen: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a rehearsal foretells of its batch. Intervals are 95 %, by drawing workers anew."""

    answers: int
    asked: int  # by the rehearsal, which may take a part of the batch
    wanted: int  # by the whole batch
    workers: int  # who answered anything
    cost: Figure  # dollars for all answers that are wanted, fees included
    hours: Figure  # until the last answer; the interval is that of the pace
    quality: Figure  # mean grade of an answer
    wage: Figure  # dollars an hour, the median worker's
    votes: tuple[Votes, ...]
    passed: Figure | None = None  # share of the workers who finished the round and passed it
    returned: int = 0
    abandoned: int = 0
    refused: int = 0  # simulated answers that the page did not take

    @property
    def finished(self) -> bool:
        """Whether the crowd sufficed for every answer that was asked for."""
        return self.answers >= self.asked


def forecast(
    done: Sequence[Done], *, asked: int, wanted: int, seed: int, passed: Sequence[bool] = (), **counts: int
) -> Forecast:
    """The forecast for a batch that wants `wanted` answers from a rehearsal that asked for `asked` of them.

    `passed` says of each worker who finished a round whether they passed; `counts` are returned, abandoned, refused.
    Raises ValueError without any answer.
    """
    if not done:
        raise ValueError("nobody answered anything, so there is nothing to forecast from")
    by_worker: defaultdict[int, list[Done]] = defaultdict(list)
    for one in done:
        by_worker[one.worker].append(one)
    groups = list(by_worker.values())
    took = max(one.ended for one in done) / 3600
    pace = _mean_of(groups, lambda one: one.ended - one.began, seed=seed)
    return Forecast(
        answers=len(done),
        asked=asked,
        wanted=wanted,
        workers=len(groups),
        cost=_times(_mean_of(groups, lambda one: float(one.earned + one.fee), seed=seed), wanted),
        hours=_times(pace, took / pace.value * wanted / asked if pace.value else 0.0),
        quality=_mean_of(groups, lambda one: one.grade, seed=seed),
        wage=_interval([_wage(group) for group in groups], median, seed=seed),
        votes=tuple(_votes(done)),
        passed=wilson(sum(passed), len(passed)) if passed else None,
        **counts,
    )


def _mean_of(groups: Sequence[Sequence[Done]], value: Callable[[Done], float], *, seed: int) -> Figure:
    """The mean over answers; workers are drawn anew with all they did, since their answers are alike."""
    sums = [(sum(map(value, group)), len(group)) for group in groups]
    return _interval(sums, lambda some: sum(total for total, _n in some) / sum(n for _total, n in some), seed=seed)


def _interval(units: Sequence[T], figure: Callable[[Sequence[T]], float], *, seed: int) -> Figure:
    """The figure and its percentile interval over units drawn with replacement; one unit has none."""
    if len(units) < 2:
        return Figure(figure(units), None, None, len(units))
    rng = Random(seed)
    drawn = sorted(figure(rng.choices(units, k=len(units))) for _draw in range(RESAMPLES))
    ends = (drawn[round(0.025 * (RESAMPLES - 1))], drawn[round(0.975 * (RESAMPLES - 1))])
    return Figure(figure(units), *ends, len(units), "percentile bootstrap over workers")


def _times(figure: Figure, factor: float) -> Figure:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value * factor

    return Figure(scaled(figure.value), scaled(figure.low), scaled(figure.high), figure.n, figure.method)


def _wage(group: Sequence[Done]) -> float:
    worked = sum(one.ended - one.began for one in group)
    return float(sum((one.earned for one in group), Decimal(0))) / worked * 3600 if worked else 0.0


def _votes(done: Sequence[Done]) -> list[Votes]:
    """For 1, 3, 5 … annotations: the chance that more than half are right, over the items.

    Counted where the items have as many answers: each subset of them is as likely. Beyond, each item's share of right
    answers, shrunk towards the mean by one answer, is taken for its chance; wrong answers are taken to agree.
    """
    by_item: defaultdict[int, list[bool]] = defaultdict(list)
    for one in done:
        by_item[one.item].append(one.grade >= RIGHT_FROM)
    mean = fmean(right for item in by_item.values() for right in item)
    least = min(map(len, by_item.values()))
    found = []
    for count in range(1, MOST_VOTES + 1, 2):
        if count <= least:
            right = fmean(drawn_majority(sum(item), len(item), count) for item in by_item.values())
        else:
            chances = [(sum(item) + mean) / (len(item) + 1) for item in by_item.values()]
            right = fmean(majority(chance, count) for chance in chances)
        found.append(Votes(count, right, count <= least))
    return found


def majority(chance: float, count: int) -> float:
    """The chance that more than half of `count` independent answers are right, each with this chance."""
    need = count // 2 + 1
    return sum(math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(need, count + 1))


def drawn_majority(right: int, of: int, count: int) -> float:
    """The chance that more than half of `count` answers drawn from `of`, of which `right` are right, are right."""
    ways = math.comb(of, count)
    need = count // 2 + 1
    return sum(math.comb(right, k) * math.comb(of - right, count - k) for k in range(need, count + 1)) / ways


def as_json(found: Forecast) -> Mapping[str, object]:
    """The forecast as JSON: figures as {"value", "low", "high", "n"}."""
    told: dict[str, object] = {}
    for field in fields(found):
        value = getattr(found, field.name)
        if isinstance(value, Figure):
            value = value.as_json()
        elif field.name == "votes":
            value = [{"count": v.count, "right": v.right, "seen": v.seen} for v in found.votes]
        told[field.name] = value
    return told | {"finished": found.finished}
