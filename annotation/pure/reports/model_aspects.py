"""What models and people judge of an item, and what the tables of both have in common."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS
from annotation.pure.text.translation_marks import gettext_noop as _

MODEL, LABEL = _("Model"), _("Label")
LOW, HIGH = _("95 % low"), _("95 % high")
OVER_BOTH = _("95 % intervals over annotators and items.")
OVER_ITEMS = _("With fewer than seven annotators, 95 % intervals are over items and hold for these annotators.")


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that each response judges of an item. `value`: of a response, None if it has none.

    `about`: the cell that names it. `labels`: the values that can be equal, with their cells; empty of a number.
    `ends`: of a scale or number. `whole`: responses judge nothing else, so that a confidence is about this.
    """

    name: str
    about: JSON
    value: Callable[[JSON], Any]
    labels: Mapping[Any, Any] = field(default_factory=dict)
    ends: tuple[float, float] | None = None
    whole: bool = True

    def label(self, value: Any) -> Any:
        """The label of a value; of a mean of several runs the nearest point."""
        return value if self.ends is None else min(self.labels, key=lambda point: abs(point - value))

    def scaled(self, value: Any) -> float:
        low, high = self.ends or (0, 1)
        return float((value - low) / (high - low))


class Predicted(NamedTuple):
    """A model's value of an item, and its confidence in its whole response."""

    value: Any
    confidence: float | None


Predictions = Mapping[str, Mapping[Hashable, Predicted]]  # by model and item


def named(kind: str, asked: Aspect, title: str, columns: Sequence[str], rows: Iterable[Any], note: Any) -> JSON:
    name = f"{kind}-{asked.name.replace('_', '-')}"
    about = {"about": asked.about, "kind": kind, "leads": False, "bars": False}
    return table(name, title, columns, list(rows), note, **about)


def about_intervals(workers: int) -> str:
    return OVER_BOTH if workers >= LEAST_WORKERS else OVER_ITEMS
