"""What a batch's report collects from its responses, one HIT after the other, beside the task's own figures."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest

from annotation.flow.reports.answer_figures import AnswerFigures
from annotation.flow.reports.baselines import batches_of
from annotation.flow.reports.model_figures import ModelFigures
from annotation.models import Batch, Hit
from annotation.pure.data.example import Example
from annotation.pure.reports.disagreement_map import Contested, MostContested
from annotation.pure.reports.position_tables import Placed, Position, Turn, positions
from annotation.pure.statistics.own_answers import OwnAnswers
from annotation.tasktype import GivenResponse


@dataclass(slots=True)
class Collected:
    """The positions of all responses; of the part that is reported: positions with grades, and where workers differ."""

    positions: dict[tuple[int, str], Position]
    several: bool  # datasets in the batch
    baselines: list[Batch]  # whose responses are baselines of its scores
    models: ModelFigures
    answers: AnswerFigures
    placed: list[Placed] = field(default_factory=list)
    contested: MostContested = field(default_factory=MostContested)
    own: OwnAnswers = field(default_factory=OwnAnswers)
    workers: set[str] = field(default_factory=set)
    items: int = 0
    responses: int = 0
    rows: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # by dataset

    @classmethod
    def of(cls, batch: Batch) -> "Collected":
        beside = ModelFigures.of(batch), AnswerFigures.of(batch)
        return cls(_positions(batch), batch.datasets.count() > 1, batches_of(batch), *beside)

    def count(self, hit: Hit, example: Example, given: list[GivenResponse]) -> None:
        """Count the HIT, excluded or not, and its responses among the rows behind figures (`explanations.ROWS`)."""
        is_answered, answerable = bool(given), hit.item.answerable
        counted = given if hit.excluded_at is None else []
        self.models.add(hit, given)
        self.answers.add(hit, example, given)
        has_answer = answerable is not False and bool(example.answers)
        places = (self.positions.get((hit.pk, each.worker)) for each in counted)
        placed = [place for place in places if place is not None]
        self.rows[hit.item.dataset.slug].update(
            hits=1,
            answered=is_answered,
            excluded=hit.excluded_at is not None,
            items=bool(counted),
            several=len(counted) > 1,
            labelled=bool(counted) and answerable is not None,
            answerable=bool(counted) and answerable is not False,
            answers=bool(counted) and has_answer,
            responses=len(counted),
            placed=len(placed),
            blocked=sum(place.in_block is not None for place in placed),
        )

    def add(self, hit: Hit, given: list[GivenResponse], grades: list[float]) -> None:
        """Add the responses to a HIT, with their grades if it has usable gold."""
        self.items += bool(given)
        self.responses += len(given)
        self.workers.update(each.worker for each in given)
        for each, grade in zip_longest(given, grades):
            if (hit.pk, each.worker) in self.positions:
                at = self.positions[hit.pk, each.worker]
                self.placed.append(Placed(hit.pk, each.worker, at, grade, each.seconds))
        number = hit.item.position + 1
        label = f"{hit.item.dataset.slug} {number}" if self.several else number
        answers = tuple((each.worker, each.answer) for each in given)
        self.contested.add(hit.disagreement or 0.0, hit.pk, Contested(label, hit.payload, answers))

    def counts(self) -> dict[str, int]:
        """Items with responses, responses and workers."""
        return {"items": self.items, "responses": self.responses, "workers": len(self.workers)}


def _positions(batch: Batch) -> dict[tuple[int, str], Position]:
    """The positions of all responses given here, by HIT and pseudonym."""
    rows = batch.assignments.submitted().filter(response_import__isnull=True).order_by()
    name = cache(batch.project.pseudonym)
    values = rows.values_list("hit", "worker", "accepted_at", "submitted_at", "ticket").iterator()
    return positions(Turn(hit, name(who), begun, ended, ticket) for hit, who, begun, ended, ticket in values if ended)
