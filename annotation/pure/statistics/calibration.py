"""Stated confidence against being right: five bins, and the Brier score (Brier 1950).

The Brier score is the mean of (confidence - right)², with confidence from 0 to 1 and right 0 or 1; smaller is better.
"""

import statistics
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from annotation.pure.statistics.intervals import Figure, clustered_mean, clustered_share
from annotation.pure.statistics.worker_intervals import Response, over_workers

BINS = ((0, 19), (20, 39), (40, 59), (60, 79), (80, 100))  # percent, both ends included
EMPTY = Figure(None, None, None, 0)


class Stated(NamedTuple):
    """A worker's confidence (0 to 100) in a response to an item, and whether it is right."""

    item: Hashable
    worker: str
    confidence: int
    right: bool


def calibration(responses: Iterable[Stated], seed: int) -> dict[str, Any]:
    """{"n", "confidence", "right", "bins", "brier", "brier_people"}; figures over responses, resampled by item.

    `brier_people` has the interval over workers and items, so for people like these; its n counts the workers.
    """
    rows = list(responses)
    squares = [(row, (row.confidence / 100 - row.right) ** 2) for row in rows]
    over = [Response(row.item, row.worker, square) for row, square in squares]
    return {
        **_part(rows, seed),
        "bins": [
            {"low": low, "high": high} | _part([row for row in rows if low <= row.confidence <= high], seed)
            for low, high in BINS
        ],
        "brier": (clustered_mean([(row.item, s) for row, s in squares], seed) if rows else EMPTY).as_json(),
        "brier_people": over_workers(over).as_json(),
    }


def _part(rows: Sequence[Stated], seed: int) -> dict[str, Any]:
    """Number of responses, their mean confidence in 0..1, and the share that is right."""
    right = clustered_share([(row.item, float(row.right)) for row in rows], seed) if rows else EMPTY
    mean = statistics.fmean(row.confidence for row in rows) / 100 if rows else None
    return {"n": len(rows), "confidence": mean, "right": right.as_json()}


def standardised(confidences: Iterable[tuple[str, float]]) -> list[float]:
    """(worker, confidence) pairs as z-scores within each worker, in the same order.

    People use the scale differently, so raw confidence compares workers only where they agree on its meaning. A worker
    who always states the same has 0 everywhere.
    """
    pairs = list(confidences)
    by_worker: defaultdict[str, list[float]] = defaultdict(list)
    for worker, value in pairs:
        by_worker[worker].append(value)
    spread = {worker: (statistics.fmean(values), statistics.pstdev(values)) for worker, values in by_worker.items()}
    return [(value - mean) / sd if sd else 0.0 for value, (mean, sd) in ((v, spread[w]) for w, v in pairs)]
