"""Models' predictions beside people's responses, collected for a batch's report."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from annotation.flow.batches.confidence_draw import frame_of, predictions_of
from annotation.flow.batches.suggestions import models_of
from annotation.models import Batch, Hit, Item, ModelPrediction
from annotation.pure.data.example import JSON, Example
from annotation.pure.ratings.fields import strata_of
from annotation.pure.reports.model_aspects import Aspect, Draw, Predicted, Strata
from annotation.pure.reports.model_tables import model_report
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, Judging


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
