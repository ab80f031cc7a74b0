"""What a batch's report collects from its responses, one HIT after the other, beside the task's own figures."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import Any

from annotation.derivations.candidates import CANDIDATE, F1, GIVEN_BY, MATCHES, SYSTEMS
from annotation.flow.batches.confidence_draw import frame_of, predictions_of
from annotation.flow.batches.suggestions import models_of
from annotation.flow.reports.baselines import batches_of
from annotation.models import Batch, Dataset, Hit, Item, ModelPrediction
from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.fields import strata_of
from annotation.pure.reports.answer_judge_tables import JudgedAnswer, answer_judge_tables
from annotation.pure.reports.disagreement_map import Contested, MostContested
from annotation.pure.reports.model_aspects import Aspect, Draw, Predicted, Strata
from annotation.pure.reports.model_tables import model_report
from annotation.pure.reports.own_answers import OwnAnswers
from annotation.pure.reports.position_tables import Placed, Position, Turn, positions
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, Judging

Place = tuple[int, int]  # dataset, position: the same for all versions of an item


@dataclass(slots=True)
class AnswerFigures:
    """What people say of systems' answers; `judged`: the criteria that say which are right, none in other batches."""

    judged: Sequence[Aspect]
    datasets: Sequence[Dataset]  # those that the derivation `candidates` made
    shown: dict[Place, tuple[int, Example]] = field(default_factory=dict)  # the item of each HIT
    given: defaultdict[Place, list[JSON]] = field(default_factory=lambda: defaultdict(list))
    excluded: set[Place] = field(default_factory=set)

    @classmethod
    def of(cls, batch: Batch) -> "AnswerFigures":
        task = task_type(batch.task)
        asked = task.judged(task.options(batch.options)) if isinstance(task, Judging) else ()
        judged = [one for one in asked if one.right and not (one.each or one.conditional)]
        made = [one for one in batch.datasets.all() if _systems(one)] if judged else []
        return cls(judged if made else (), made)

    def add(self, hit: Hit, example: Example, given: Sequence[GivenResponse]) -> None:
        if self.judged:
            place = hit.item.dataset_id, hit.item.position
            self.shown[place] = hit.item_id, example
            self.given[place] += [one.answer for one in given]
            if hit.excluded_at is not None:
                self.excluded.add(place)

    def tables(self, batch: Batch) -> list[JSON]:
        """All tables of judges of answers; [] where people judged none."""
        if not self.judged:
            return []
        predicted: dict[int, dict[str, JSON]] = defaultdict(dict)  # by item and model
        for model in models_of(batch):
            for one in predictions_of(batch, model):
                predicted[one.item_id][model] = one.answer
        items = list(self._items())
        without, tables = list(self._without_item(items)), list[JSON]()
        for asked in self.judged:
            answers = [*self._answers(asked, items, predicted), *without]
            tables += answer_judge_tables(asked, answers, batch.seed, drawn=self._are_drawn(batch))
        return tables

    def _are_drawn(self, batch: Batch) -> bool:
        """Whether the items that people judged are a random sample, all of it."""
        return batch.sample is not None and all(self.given[place] for place in self.shown.keys() - self.excluded)

    def _items(self) -> Iterator[tuple[Place, int, Example]]:
        """Each item once, as workers saw it if they did."""
        for dataset in self.datasets:
            rows = dataset.items.usable().order_by("position").values_list("position", "pk", "content")
            for position, pk, content in rows.iterator(chunk_size=500):
                place = dataset.pk, position
                yield (place, *(self.shown.get(place) or (pk, Example.from_json(content))))

    def _without_item(self, items: Sequence[tuple[Place, int, Example]]) -> Iterator[JudgedAnswer]:
        """Answers that match and that the control did not draw, and empty ones."""
        drawn = Counter(
            (place[0], name) for place, _item, one in items if one.extra[MATCHES] for name in one.extra[GIVEN_BY]
        )
        for dataset in self.datasets:
            for name, of in _systems(dataset).items():
                undrawn = max(0, of["matching"] - drawn[dataset.pk, name])
                yield from (JudgedAnswer((dataset.pk, name, k), [name], MATCHES, True, 1.0) for k in range(undrawn))
                empty = range(of["unanswered"])
                yield from (JudgedAnswer((dataset.pk, name, "", k), [name], "", False, 0.0) for k in empty)

    def _answers(
        self,
        asked: Aspect,
        items: Sequence[tuple[Place, int, Example]],
        predicted: Mapping[int, Mapping[str, JSON]],
    ) -> Iterator[JudgedAnswer]:
        """Those with an item; an excluded one is in no figure, whoever gave its answer."""
        for place, item, example in items:
            if place not in self.excluded:
                own = example.extra
                labels = ((model, asked.value(answer)) for model, answer in predicted.get(item, {}).items())
                given = [value for one in self.given[place] if (value := asked.value(one)) is not None]
                yield JudgedAnswer(
                    (place[0], example.id.rpartition("--")[0]),
                    own[GIVEN_BY],
                    own[CANDIDATE],
                    own[MATCHES],
                    own[F1],
                    example.answers,
                    given,
                    {model: value for model, value in labels if value is not None},
                )


def _systems(dataset: Dataset) -> Mapping[str, Mapping[str, Any]]:
    """By system the numbers that the derivation counted; {} of other datasets."""
    found: Mapping[str, Mapping[str, Any]] = dataset.report.get("figures", {}).get(SYSTEMS, {})
    return found if dataset.lineage.get("how") == "candidates" else {}


@dataclass(slots=True)
class ModelFigures:
    """What models and people judge; `given` has people's values by the name of what is judged.

    `by`: the field by whose values the report has strata; "" for none.
    """

    judged: Sequence[Aspect]  # none without models
    models: Sequence[str]
    by: str = ""
    given: defaultdict[str, list[Labelled]] = field(default_factory=lambda: defaultdict(list))
    excluded: set[int] = field(default_factory=set)  # items

    @classmethod
    def of(cls, batch: Batch) -> "ModelFigures":
        task, models = task_type(batch.task), models_of(batch)
        if not models or not isinstance(task, Judging):
            return cls((), ())
        options = task.options(batch.options)
        return cls(task.judged(options), models, task.strata_field(options))

    def add(self, hit: Hit, given: Sequence[GivenResponse]) -> None:
        """Add the responses to a HIT; an excluded one is in no figure, of models either."""
        if hit.excluded_at is not None:
            self.excluded.add(hit.item_id)
            return
        for one in given:
            for asked in self.judged:
                cluster = hit.item_id if asked.each else None
                values = asked.judged(hit.item_id, one.answer)
                self.given[asked.name] += [Labelled(what, one.worker, value, cluster) for what, value in values]

    def report(self, batch: Batch) -> tuple[list[JSON], list[JSON]]:
        """All tables of models beside people, and sentences; [] where no item has both."""
        found: dict[str, dict[str, dict[Hashable, Predicted]]] = {
            asked.name: {model: {} for model in self.models} for asked in self.judged
        }
        draw = _draw_of(batch) if batch.is_by_confidence else None
        for model in self.models if self.judged else ():
            for one in predictions_of(batch, model):
                is_left_out = one.item_id in self.excluded or (draw and one.item_id not in draw.frame)
                for asked in () if is_left_out else self.judged:
                    values = asked.judged(one.item_id, one.answer)
                    found[asked.name][model].update((what, Predicted(x, one.confidence)) for what, x in values)
        strata = [] if draw else list(self._strata(batch))
        return model_report(self.judged, self.given, found, strata, batch.seed, draw)

    def _strata(self, batch: Batch) -> Iterator[Strata]:
        """The strata of all items with predictions; hops that are not known, and items without the field, have none."""
        predicted = ModelPrediction.objects.filter(model__batch=batch).values("item")
        columns = ["pk", "hops", "dataset__slug", *(["content"] if self.by else [])]
        hops, datasets, fields = dict[Hashable, int](), dict[Hashable, str](), dict[Hashable, str | list[str]]()
        rows = Item.every.filter(pk__in=predicted).values_list(*columns)
        for item, count, dataset, *content in rows.iterator(chunk_size=500) if self.judged else ():
            hops[item], datasets[item] = count, dataset
            if content:
                fields[item] = strata_of(Example.from_json(content[0]), self.by)
        yield from (Strata("hops", hops), Strata("dataset", datasets), Strata("field", fields))


def _draw_of(batch: Batch) -> Draw:
    hits = batch.hits.values_list("item", "inclusion_probability")
    return Draw(*frame_of(batch), chances={item: chance for item, chance in hits if chance is not None})


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
