"""Dependence of a study's figures on single workers, collected question by question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.pure.reports.human_scores import MEASURES, PARTS
from annotation.pure.statistics.intervals import Figure
from annotation.pure.statistics.worker_intervals import LEAST_WORKERS, Response, Unit, over_workers, without_one
from annotation.tasktype import JSON

Row = Sequence[float]  # the cells of answer, then of support: EM and F1 of each of MEASURES
AVERAGE = "average"


@dataclass
class People:
    """`rows`: figures of a question, and without each of its workers (None: none); `own`: each worker's figures."""

    rows: list[tuple[Row, Mapping[str, Row | None]]] = field(default_factory=list)
    own: list[Mapping[str, Row]] = field(default_factory=list)

    def add(self, row: Row, without: Mapping[str, Row | None], own: Mapping[str, Row]) -> None:
        self.rows.append((row, without))
        self.own.append(own)

    @property
    def workers(self) -> set[str]:
        return {worker for own in self.own for worker in own}

    def as_json(self) -> JSON:
        """{"workers", "answer", "support"}: figures with intervals over workers, n counts workers."""
        cells = [(part, measure, kind) for part in ("answer", "support") for measure in MEASURES for kind in PARTS]
        result: JSON = {"workers": len(self.workers), "answer": {}, "support": {}}
        for place, (part, measure, kind) in enumerate(cells):
            figure = self._average(place) if measure == AVERAGE else self._range(place)
            result[part].setdefault(measure, {})[kind] = figure and figure.as_json()
        return result

    def _average(self, place: int) -> Figure | None:
        """The mean over questions of equal weight; None for too few workers."""
        responses = [
            Response(item, worker, row[place], 1 / len(own))
            for item, own in enumerate(self.own)
            for worker, row in own.items()
            if not math.isnan(row[place])
        ]
        return over_workers(responses) if len(self.workers) >= LEAST_WORKERS else None

    def _range(self, place: int) -> Figure:
        return without_one(
            Unit(_known(row, place), {worker: _known(other, place) for worker, other in without.items()})
            for row, without in self.rows
        )


def _known(row: Row | None, place: int) -> float | None:
    return None if row is None or math.isnan(row[place]) else row[place]
