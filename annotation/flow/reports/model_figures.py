"""Models' predictions beside people's responses, collected for a batch's report."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.flow.reports.model_predictions import models_of, predictions_of
from annotation.models import Batch, Hit
from annotation.pure.data.example import JSON
from annotation.pure.reports.model_aspects import Aspect, Predicted
from annotation.pure.reports.model_tables import model_tables
from annotation.pure.statistics.model_beside_workers import Labelled
from annotation.registry import task_type
from annotation.tasktype import GivenResponse, Judging


@dataclass(slots=True)
class ModelFigures:
    """What models and people judge; `given` has people's values by the name of what is judged."""

    judged: Sequence[Aspect]  # none without models
    models: Sequence[str]
    given: defaultdict[str, list[Labelled]] = field(default_factory=lambda: defaultdict(list))
    excluded: set[int] = field(default_factory=set)  # items

    @classmethod
    def of(cls, batch: Batch) -> "ModelFigures":
        task, models = task_type(batch.task), models_of(batch)
        if not models or not isinstance(task, Judging):
            return cls((), ())
        return cls(task.judged(task.options(batch.options)), models)

    def add(self, hit: Hit, given: Sequence[GivenResponse]) -> None:
        """Add the responses to a HIT; an excluded one is in no figure, of models either."""
        if hit.excluded_at is not None:
            self.excluded.add(hit.item_id)
            return
        for one in given:
            for asked in self.judged:
                if (value := asked.value(one.answer)) is not None:
                    self.given[asked.name].append(Labelled(hit.item_id, one.worker, value))

    def tables(self, batch: Batch) -> list[JSON]:
        """All tables of models beside people; [] where no item has both."""
        found: dict[str, dict[str, dict[Hashable, Predicted]]] = {
            asked.name: {model: {} for model in self.models} for asked in self.judged
        }
        for model in self.models:
            for one in predictions_of(batch, model):
                for asked in self.judged if one.item_id not in self.excluded else ():
                    value: Any = asked.value(one.answer)
                    if value is not None:
                        found[asked.name][model][one.item_id] = Predicted(value, one.confidence)
        return [
            made
            for asked in self.judged
            for made in model_tables(asked, self.given[asked.name], found[asked.name], batch.seed)
        ]
