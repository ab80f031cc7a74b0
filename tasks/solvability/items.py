"""Finished HITs with their aggregated responses, by ablation and dataset, and how models do on the same."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.pure.derivations.ablation import ABLATIONS
from annotation.pure.statistics.cluster_intervals import clustered_share
from annotation.pure.statistics.metrics import ACCURACY, Scorer, scorer_for
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, Given, Judged
from annotation.tasktype.helpers.report_tables import question_of, text_cell

Cell = tuple[int, str]  # the number of an ablation (0: none is known) and a dataset


@dataclass(frozen=True)
class Item:
    """A judged HIT with its aggregated response."""

    row: Judged
    aggregate: JSON

    @property
    def solvable(self) -> bool | None:
        solvable: bool | None = self.aggregate["solvable"]
        return solvable

    @property
    def kind(self) -> str:
        return str(self.aggregate["kind"])


def cell_of(row: Judged) -> Cell:
    ablation = row.example.extra.get("ablation")
    number = ablation.get("number") if isinstance(ablation, Mapping) else None
    return (number if type(number) is int else 0, row.dataset)


def head_of(cell: Cell) -> list[object]:
    number, dataset = cell
    return [name_of(number), dataset]


def name_of(number: int) -> JSON | None:
    """The ablation's name in the paper's tables, such as "3. Content words only"; None for number 0."""
    if not number:
        return None
    if number not in ABLATIONS:
        return text_cell(_("Ablation %(number)s"), number=number)
    return text_cell(_("%(number)s. %(name)s"), number=number, name=text_cell(ABLATIONS[number]))


def models_of(of: Sequence[Item]) -> list[str]:
    return sorted({model.worker for item in of for model in item.row.predicted})


def scorer_of(row: Judged) -> Scorer:
    return ACCURACY if row.example.options else scorer_for(row.format)


def model_score(item: Item, model: Given) -> float | None:
    """F1 of the dataset's scorer, or whether the right option was chosen."""
    example = item.row.example
    if not example.answers:
        return None
    return scorer_of(item.row).answer(model.answer["text"], example.answers).f1


def scores_of(of: Sequence[Item], name: str) -> list[tuple[Item, float]]:
    pairs = ((item, model_score(item, one)) for item in of for one in item.row.predicted if one.worker == name)
    return [(item, score) for item, score in pairs if score is not None]


def share_of(items: Iterable[tuple[Item, bool]], seed: int) -> JSON:
    """A share of items; the shuffles of one question are resampled together."""
    return clustered_share(((question_of(item.row), holds) for item, holds in items), seed).as_json()
