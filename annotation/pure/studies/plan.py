"""What a study needs before it is launched: HITs, assignments, people, hours and cost, from its definition."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.pure.studies.definition import Definition, StudyBatch, scaled

SPARE = 1.2  # of the workers for whom a study has limits: the last open HITs are of questions that most have met
Terms = Callable[[str], tuple[int, bool]]
# of a task: assignments per HIT by default, and whether one worker gets only one item of a group


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """A batch of the plan. None: not known before the data is there. `most`: HITs that one worker may have of it."""

    name: str
    hits: int | None
    assignments: int | None
    hours: float | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a study; sums over its batches, None if one of them is not known.

    `a_question`: different people who answer the same question; `workers`: so many people complete all HITs, if each
    does what the limits allow.
    """

    batches: tuple[PlannedBatch, ...]
    a_question: int
    workers: int

    @property
    def assignments(self) -> int | None:
        counts = [row.assignments for row in self.batches]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def hours(self) -> float | None:
        known = [row.hours for row in self.batches]
        return None if None in known else math.fsum(hours or 0.0 for hours in known)

    def cost(self, wage: float) -> float | None:
        """Dollars for all hours at an hourly wage, without fees."""
        return None if self.hours is None else self.hours * wage


def plan_of(study: Definition, terms: Terms, *, scale: float = 1.0, hits: Mapping[str, int] | None = None) -> Plan:
    """The plan at a scale; `hits` are those of batches that are launched. Qualification rounds are not in it."""
    made = [_planned(study, row, terms, scale, (hits or {}).get(row.name)) for row in study.batches]
    a_question = _people_a_question(study, terms)
    people = max(a_question, _people_of_arms(study, terms))
    return Plan(tuple(made), a_question, math.ceil(SPARE * max(people, study.workers)) if study.workers else people)


def _planned(study: Definition, row: StudyBatch, terms: Terms, scale: float, hits: int | None) -> PlannedBatch:
    if hits is None:
        hits = _hits(study, row, scale)
    each = row.assignments or terms(row.task)[0]
    places = None if hits is None else hits * each
    hours = None if places is None or row.minutes is None else places * row.minutes / 60
    return PlannedBatch(row.name, hits, places, hours, most_per_worker(study, places))


def most_per_worker(study: Definition, places: int | None) -> int | None:
    """The HITs of a batch with so many assignments that one worker may have: the even share, rounded up."""
    return math.ceil(places / study.workers) if study.workers and places else None


def _hits(study: Definition, row: StudyBatch, scale: float) -> int | None:
    counts = [max(1, round(scale * row.sample)) if row.sample else _drawn(study, name, scale) for name in row.datasets]
    return None if None in counts else row.instances * sum(count or 0 for count in counts)


def _drawn(study: Definition, dataset: str, scale: float) -> int | None:
    """The size of the sample that the dataset is or is made from; None if it is of whole data."""
    by_name = {each.name: each for each in study.derivations}
    while dataset in by_name:
        made = by_name[dataset]
        if made.how == "sample":
            count = scaled(made.options, made.how, scale).get("count")
            return count if isinstance(count, int) else None
        dataset = made.source
    return None


def _people_a_question(study: Definition, terms: Terms) -> int:
    """Where each worker gets one item of a group, all responses to a question are from different people."""
    sources = {each.name: each.source for each in study.derivations}
    by_root: defaultdict[str, int] = defaultdict(int)
    for row in study.batches:
        usual, alone = terms(row.task)
        for name in {_root(name, sources) for name in row.datasets}:
            by_root[name] += (row.assignments or usual) * (row.instances if alone else 1)
    return max(by_root.values())


def _people_of_arms(study: Definition, terms: Terms) -> int:
    """Where each worker gets one arm, the people that all arms need together; else 0."""
    if study.arms is None or study.arms.each != "one":
        return 0
    usual = [(row, *terms(row.task)) for row in study.arm_batches]
    return sum((row.assignments or number) * (row.instances if alone else 1) for row, number, alone in usual)


def _root(dataset: str, sources: Mapping[str, str]) -> str:
    while dataset in sources:
        dataset = sources[dataset]
    return dataset
