"""Finished HITs with their aggregated responses, by ablation and dataset, and how models do on the same."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.pure.statistics.metrics import ACCURACY, Scorer, scorer_for
from annotation.tasktype import JSON, GivenResponse, HitWithResponses


@dataclass(frozen=True)
class Item:
    """A judged HIT with its aggregated response."""

    row: HitWithResponses
    aggregate: JSON

    @property
    def solvable(self) -> bool | None:
        solvable: bool | None = self.aggregate["solvable"]
        return solvable

    @property
    def kind(self) -> str:
        return str(self.aggregate["kind"])


def models_of(of: Sequence[Item]) -> list[str]:
    return sorted({model.worker for item in of for model in item.row.predicted})


def scorer_of(row: HitWithResponses) -> Scorer:
    return ACCURACY if row.example.options else scorer_for(row.format)


def model_score(item: Item, model: GivenResponse) -> float | None:
    """F1 of the dataset's scorer, or whether the right option was chosen."""
    example = item.row.example
    if not example.answers:
        return None
    return scorer_of(item.row).answer(model.answer["text"], example.answers).f1


def scores_of(of: Sequence[Item], name: str) -> list[tuple[Item, float]]:
    pairs = ((item, model_score(item, one)) for item in of for one in item.row.predicted if one.worker == name)
    return [(item, score) for item, score in pairs if score is not None]
