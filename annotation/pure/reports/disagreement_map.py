"""The items on which workers differ most, and how far each worker's response differs from the others'."""

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import table
from annotation.pure.text.translation_marks import gettext_noop as _

DIFFERING = "differing"  # the table's name, and its key in a report
MOST_ITEMS, MOST_WORKERS = 50, 30
NOTE = _(
    "How far a worker's response differs from the others to the same item, on average. The %(items)s items with the "
    "most disagreement, by their number in the dataset, and the %(workers)s workers with the most responses to them."
)
Differences = Callable[[JSON, Sequence[Any]], float | None]  # payload and responses to disagreement, 0 to 1


@dataclass(frozen=True, slots=True)
class Contested:
    """A HIT with responses that differ, by worker; `label`: the item's number."""

    label: str | int
    payload: JSON
    given: tuple[tuple[str, Any], ...]


@dataclass(slots=True)
class MostContested:
    """Keeps the items with the most disagreement, whichever order they come in."""

    _heap: list[tuple[float, int, Contested]] = field(default_factory=list)

    def add(self, disagreement: float, position: int, item: Contested) -> None:
        """`position` decides between equals, and is unique."""
        if disagreement > 0 and len(item.given) > 1:
            push = heapq.heappushpop if len(self._heap) == MOST_ITEMS else heapq.heappush
            push(self._heap, (disagreement, -position, item))

    def tables(self, differences: Differences) -> list[JSON]:
        """A row an item, a column a worker (the busiest on these items); none below two items or two workers."""
        items = [item for _value, _position, item in sorted(self._heap, key=lambda kept: (-kept[0], -kept[1]))]
        busiest = Counter(worker for item in items for worker, _answer in item.given)
        workers = [worker for worker, _n in sorted(busiest.items(), key=lambda one: (-one[1], one[0]))][:MOST_WORKERS]
        if len(items) < 2 or len(workers) < 2:
            return []
        rows = [[item.label, *_row(item, workers, differences)] for item in items]
        note = [{"text": NOTE, "values": {"items": len(items), "workers": len(workers)}}]
        title = _("Disagreement by item and worker, in percent")
        return [table(DIFFERING, title, [_("Item"), *workers], rows, note, bars=False, leads=False)]


def _row(item: Contested, workers: Sequence[str], differences: Differences) -> list[int | None]:
    own = dict(item.given)
    return [_apart(item, worker, differences) if worker in own else None for worker in workers]


def _apart(item: Contested, worker: str, differences: Differences) -> int | None:
    own = dict(item.given)[worker]
    each = [differences(item.payload, [own, answer]) for other, answer in item.given if other != worker]
    known = [apart for apart in each if apart is not None]
    return round(100 * fmean(known)) if known else None
