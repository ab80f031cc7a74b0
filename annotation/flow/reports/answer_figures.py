"""Systems' answers that people judged, and the judges of them, collected for a batch's report."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.derivations.candidates import CANDIDATE, F1, GIVEN_BY, MATCHES, SYSTEMS
from annotation.flow.batches.confidence_draw import predictions_of
from annotation.flow.batches.suggestions import models_of
from annotation.models import Batch, Dataset, Hit
from annotation.pure.data.example import JSON, Example
from annotation.pure.reports.answer_judge_tables import JudgedAnswer, answer_judge_tables
from annotation.pure.reports.model_aspects import Aspect
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
