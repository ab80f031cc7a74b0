"""Stated confidence against being right: five bins, and the Brier score (Brier 1950), with their tables and chart.

The Brier score is the mean of (confidence - right)², with confidence from 0 to 1 and right 0 or 1; smaller is better.
"""

import statistics
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.pure.reports.charts import Dots, Series
from annotation.pure.reports.tables import Translate, rounded, table, text_cell
from annotation.pure.statistics.intervals import Figure, clustered_mean, clustered_share
from annotation.pure.statistics.worker_intervals import Response, over_workers
from annotation.pure.text.translation_marks import gettext_noop as _

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


BIN = _("%(low)s to %(high)s")
CALIBRATION = _("Confidence and correct answers")
CONFIDENCE, RIGHT = _("Mean confidence"), _("Correct answers")
CALIBRATION_NOTE = _(
    "In percent of the responses to questions with gold. Correct: exact match. 95 % intervals: bootstrap over "
    "questions."
)
BRIER_NOTE = _(
    "The mean of (confidence − correct)², from 0 (best) to 1. The second interval holds for other workers too: it "
    "resamples workers and questions, and needs at least 7 workers."
)


def calibration_table(name: str, calibration: Mapping[str, Any]) -> dict[str, Any]:
    """A row for each bin of confidence, and one for all responses."""
    rows = [[text_cell(BIN, low=part["low"], high=part["high"]), *_cells(part)] for part in calibration["bins"]]
    rows.append([text_cell(_("all")), *_cells(calibration)])
    columns = [_("Confidence"), _("Responses"), CONFIDENCE, RIGHT]
    return table(f"calibration-{name}", CALIBRATION, columns, rows, CALIBRATION_NOTE, leads=False, bars=False)


def _cells(part: Mapping[str, Any]) -> list[Any]:
    mean = part["confidence"]
    return [part["n"], None if mean is None else rounded(100 * mean, 1), part["right"]]


def brier_table(name: str, calibration: Mapping[str, Any]) -> dict[str, Any]:
    """The Brier score with both of its intervals."""
    brier, people = calibration["brier"], calibration["brier_people"]
    row = [*(rounded(brier[end]) for end in ("value", "low", "high")), brier["n"]]
    row += [rounded(people[end]) for end in ("low", "high")] + [people["n"]]
    columns = [
        _("Brier score"),
        _("low"),
        _("high"),
        _("Responses"),
        _("low (people)"),
        _("high (people)"),
        _("Workers"),
    ]
    return table(f"brier-{name}", _("Brier score"), columns, [row], BRIER_NOTE, leads=False, bars=False)


def calibration_chart(name: str, calibration: Mapping[str, Any], translate: Translate) -> Dots:
    """The share of correct answers in each bin beside the mean confidence."""
    bins = calibration["bins"]
    groups = tuple(translate(BIN) % {"low": part["low"], "high": part["high"]} for part in bins)
    stated = [None if part["confidence"] is None else (100 * part["confidence"], None, None) for part in bins]
    shares = (part["right"] for part in bins)
    right = [
        None
        if one["value"] is None
        else (100 * one["value"], *(None if one[end] is None else 100 * one[end] for end in ("low", "high")))
        for one in shares
    ]
    series = (Series(translate(CONFIDENCE), tuple(stated)), Series(translate(RIGHT), tuple(right)))
    number = str(calibration["n"])
    return Dots(f"calibration-{name}", translate(CALIBRATION), "%", groups, series, study=name, n=number)
