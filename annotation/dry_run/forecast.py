"""Simulated workers with given skill and habits, and the forecast from their work.

The product itself assigns the items; this module only decides how often workers are right, how long they take, and when
they return a HIT, abandon it or stop.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from random import Random
from statistics import fmean, median
from typing import TypeVar

from annotation.pure.statistics.distance_agreement import RESAMPLES
from annotation.pure.statistics.intervals import Figure, wilson

T = TypeVar("T")

ANSWER, RETURN, ABANDON = "answer", "return", "abandon"
RIGHT_FROM = 0.5  # grade from which a response counts as right in a vote
MOST_VOTES = 9  # largest number of responses per item in the forecast


@dataclass(frozen=True, slots=True)
class WorkerModel:
    """Parameters of the simulated workers. Shares are 0..1; `speed` 2 takes half the expected time."""

    skill: float = 0.85  # mean chance of a right answer
    spread: float = 0.07  # standard deviation of the workers' skills
    speed: float = 1.0
    lazy: float = 0.1  # share of workers who hurry, and make more mistakes
    spam: float = 0.03  # share of workers who guess
    dropout: float = 0.03  # chance to stop for good after a response
    returns: float = 0.02  # chance to return an accepted HIT
    abandons: float = 0.01  # chance to abandon an accepted HIT
    hours: float = 2.0  # within which the workers arrive

    def __post_init__(self) -> None:
        for name in ("skill", "spread", "lazy", "spam", "dropout", "returns", "abandons"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1")
        if not self.speed > 0 or not self.hours >= 0:
            raise ValueError("speed must be above 0, and hours not below")
        if self.lazy + self.spam > 1 or self.returns + self.abandons > 1:
            raise ValueError("lazy and spam, and returns and abandons, must not exceed 1 together")


def crowd(words: Sequence[str]) -> WorkerModel:
    """Parse NAME=NUMBER words; ValueError names unknown or invalid ones."""
    known = {field.name for field in fields(WorkerModel)}
    values: dict[str, float] = {}
    for word in words:
        name, _equals, number = word.partition("=")
        if name not in known:
            raise ValueError(f"a crowd has no {name!r}; it has {', '.join(sorted(known))}")
        try:
            values[name] = float(number)
        except ValueError:
            raise ValueError(f"{name} must be a number, not {number!r}") from None
        if not math.isfinite(values[name]):
            raise ValueError(f"{name} must be a number, not {number!r}")
    return WorkerModel(**values)


@dataclass(frozen=True, slots=True)
class Persona:
    """A simulated worker. `skill`: chance of a right response; `pace`: multiplies expected times."""

    kind: str  # honest, lazy or spam
    skill: float
    pace: float
    comes: float  # seconds after the launch


def draw_personas(model: WorkerModel, count: int, rng: Random) -> list[Persona]:
    """So many random workers."""
    return [_person(model, rng) for _one in range(count)]


def _person(model: WorkerModel, rng: Random) -> Persona:
    drawn, comes = rng.random(), rng.uniform(0, model.hours * 3600)
    skill = min(0.99, max(0.02, rng.gauss(model.skill, model.spread)))
    pace = rng.lognormvariate(0, 0.25) / model.speed
    if drawn < model.spam:
        return Persona("spam", 0.1, 0.15 * pace, comes)
    if drawn < model.spam + model.lazy:
        return Persona("lazy", 0.75 * skill, 0.5 * pace, comes)
    return Persona("honest", skill, pace, comes)


def act(model: WorkerModel, rng: Random) -> str:
    """Draw what a simulated worker does with an assignment."""
    drawn = rng.random()
    if drawn < model.returns:
        return RETURN
    return ABANDON if drawn < model.returns + model.abandons else ANSWER


def stops(model: WorkerModel, rng: Random) -> bool:
    """Whether a worker stops for good after a response."""
    return rng.random() < model.dropout


def seconds(persona: Persona, expected: float, rng: Random) -> float:
    """How long the worker takes for an assignment with this expected time."""
    return max(1.0, expected * persona.pace * rng.lognormvariate(0, 0.35))


@dataclass(frozen=True, slots=True)
class SimulatedResponse:
    """A response of a dry run; times in seconds after the launch."""

    worker: int
    item: int
    grade: float | None  # 0..1 against gold; None without gold
    began: float
    ended: float
    earned: Decimal  # dollars, without fees
    fee: Decimal


@dataclass(frozen=True, slots=True)
class Votes:
    """How often the majority of `count` responses is right. `seen`: counted, not extrapolated."""

    count: int
    right: float
    seen: bool


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a dry run. Intervals are 95 %, by resampling workers."""

    answers: int
    asked: int  # in the dry run, which may cover a part of the batch
    wanted: int  # by the complete batch
    workers: int  # those with responses
    cost: Figure  # dollars for all wanted responses, with fees
    hours: Figure  # until the last response; the interval is that of the pace
    quality: Figure | None  # mean grade of the responses to items with gold; None without any
    wage: Figure  # dollars an hour, the median worker's
    votes: tuple[Votes, ...]
    passed: Figure | None = None  # share of the workers who finished the round and passed it
    returned: int = 0
    abandoned: int = 0
    refused: int = 0  # simulated responses that the page refused

    @property
    def finished(self) -> bool:
        """Whether there were enough workers for all responses."""
        return self.answers >= self.asked


def forecast(
    done: Sequence[SimulatedResponse], *, asked: int, wanted: int, seed: int, passed: Sequence[bool] = (), **counts: int
) -> Forecast:
    """The forecast for a batch that wants `wanted` responses from a dry run that asked for `asked` of them.

    `passed`: for each worker who finished a round, whether they passed; `counts`: returned, abandoned, refused.
    Raises ValueError without responses.
    """
    if not done:
        raise ValueError("nobody answered anything, so there is nothing to forecast from")
    by_worker: defaultdict[int, list[SimulatedResponse]] = defaultdict(list)
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
        quality=_quality(groups, seed=seed),
        wage=_interval([_wage(group) for group in groups], median, seed=seed),
        votes=tuple(_votes([one for one in done if one.grade is not None])),
        passed=wilson(sum(passed), len(passed)) if passed else None,
        **counts,
    )


def _quality(groups: Sequence[Sequence[SimulatedResponse]], *, seed: int) -> Figure | None:
    graded = [[one for one in group if one.grade is not None] for group in groups]
    graded = [group for group in graded if group]
    return _mean_of(graded, lambda one: one.grade or 0.0, seed=seed) if graded else None


def _mean_of(
    groups: Sequence[Sequence[SimulatedResponse]], value: Callable[[SimulatedResponse], float], *, seed: int
) -> Figure:
    """The mean over responses; a worker's responses are alike, so workers are resampled with all of theirs."""
    sums = [(sum(map(value, group)), len(group)) for group in groups]
    return _interval(sums, lambda some: sum(total for total, _n in some) / sum(n for _total, n in some), seed=seed)


def _interval(units: Sequence[T], figure: Callable[[Sequence[T]], float], *, seed: int) -> Figure:
    """The figure with its percentile interval over resampled units; none for a single unit."""
    if len(units) < 2:
        return Figure(figure(units), None, None, len(units))
    rng = Random(seed)
    drawn = sorted(figure(rng.choices(units, k=len(units))) for _draw in range(RESAMPLES))
    ends = (drawn[round(0.025 * (RESAMPLES - 1))], drawn[round(0.975 * (RESAMPLES - 1))])
    return Figure(figure(units), *ends, len(units), "percentile bootstrap over workers")


def _times(figure: Figure, factor: float) -> Figure:
    value, low, high = (None if end is None else end * factor for end in (figure.value, figure.low, figure.high))
    return Figure(value, low, high, figure.n, figure.method)


def _wage(group: Sequence[SimulatedResponse]) -> float:
    worked = sum(one.ended - one.began for one in group)
    return float(sum((one.earned for one in group), Decimal(0))) / worked * 3600 if worked else 0.0


def _votes(done: Sequence[SimulatedResponse]) -> list[Votes]:
    """For 1, 3, 5 … responses per item: the chance that the majority is right, over the items.

    Counted, over all subsets, where items have that many responses. Beyond, the chance of a right response to an item
    is its share of right responses, shrunk towards the mean by one response; wrong responses are assumed to agree.
    """
    by_item: defaultdict[int, list[bool]] = defaultdict(list)
    for one in done:
        by_item[one.item].append((one.grade or 0.0) >= RIGHT_FROM)
    if not by_item:
        return []
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
    """The chance that the majority of `count` independent responses is right, each with this chance."""
    need = count // 2 + 1
    return sum(math.comb(count, k) * chance**k * (1 - chance) ** (count - k) for k in range(need, count + 1))


def drawn_majority(right: int, of: int, count: int) -> float:
    """The chance that the majority of `count` responses drawn from `of`, of which `right` are right, is right."""
    ways = math.comb(of, count)
    need = count // 2 + 1
    return sum(math.comb(right, k) * math.comb(of - right, count - k) for k in range(need, count + 1)) / ways


def as_json(outcome: Forecast) -> Mapping[str, object]:
    """The forecast as JSON: figures as {"value", "low", "high", "n"}."""
    data: dict[str, object] = {}
    for field in fields(outcome):
        value = getattr(outcome, field.name)
        if isinstance(value, Figure):
            value = value.as_json()
        elif field.name == "votes":
            value = [{"count": v.count, "right": v.right, "seen": v.seen} for v in outcome.votes]
        data[field.name] = value
    return data | {"finished": outcome.finished}
