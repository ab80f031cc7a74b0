"""The cells of reports on ablated questions: a row for each ablation and dataset (Sugawara et al. 2020, Table 10)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from annotation.pure.derivations.ablation import ABLATION, ABLATIONS
from annotation.pure.statistics.intervals import Figure, clustered_share
from annotation.pure.statistics.worker_intervals import without_one
from annotation.pure.text.translation_marks import gettext_noop as _
from annotation.tasktype import JSON, HitWithResponses
from annotation.tasktype.helpers.report_tables import alone, as_sentence, question_of, text_cell, units


class OfHit(Protocol):
    """What a report knows of a HIT."""

    @property
    def row(self) -> HitWithResponses: ...


T = TypeVar("T", bound=OfHit)
Cell = tuple[int, str]  # the number of an ablation (0: none is known) and a dataset


def number_of(extra: Mapping[str, object]) -> int:
    """The number of the ablation that made an item; 0 if none did."""
    ablation = extra.get(ABLATION)
    number = ablation.get("number") if isinstance(ablation, Mapping) else None
    return number if type(number) is int else 0


def cell_of(row: HitWithResponses) -> Cell:
    return number_of(row.example.extra), row.dataset


def in_cells(items: Iterable[T]) -> dict[Cell, list[T]]:
    """The items by cell, in order of the cells."""
    cells: defaultdict[Cell, list[T]] = defaultdict(list)
    for item in items:
        cells[cell_of(item.row)].append(item)
    return {cell: cells[cell] for cell in sorted(cells)}


def share_of(items: Iterable[tuple[OfHit, bool]], seed: int) -> JSON:
    """A share of items; those of one question are resampled together."""
    return clustered_share(((question_of(item.row), holds) for item, holds in items), seed).as_json()


def ranges(
    cells: Mapping[Cell, Sequence[OfHit]], message: str, value: Callable[[HitWithResponses], float | None]
) -> Iterator[tuple[JSON, None, Figure]]:
    """The mean of each cell's values as it would be without any one worker, for a table of people."""
    for cell, of in cells.items():
        figure = without_one(units(([item.row] for item in of), alone(value)))
        yield text_cell(message, **words_of_cell(cell)), None, figure


def sentence_of(cells: Mapping[Cell, object], cell: Cell, alone: str, among: str, **values: object) -> JSON:
    """A sentence on a cell: `among` several with its ablation and dataset, or `alone`."""
    return as_sentence(among if len(cells) > 1 else alone, **values, **words_of_cell(cell))


def head_of(cell: Cell) -> list[object]:
    """The first two columns of a cell's row."""
    number, dataset = cell
    return [name_of(number), dataset]


def name_of(number: int) -> JSON | None:
    """The ablation's name in the paper's tables, such as "3. Content words only"; None for number 0."""
    if not number:
        return None
    if number not in ABLATIONS:
        return text_cell(_("Ablation %(number)s"), number=number)
    return text_cell(_("%(number)s. %(name)s"), number=number, name=text_cell(ABLATIONS[number]))


def words_of_cell(cell: Cell) -> JSON:
    """The ablation and the dataset of a cell, as values of a sentence."""
    ablation, dataset = head_of(cell)
    return {"ablation": ablation or "–", "dataset": dataset}
