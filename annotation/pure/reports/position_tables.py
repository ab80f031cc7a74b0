"""Score and time of responses by position (within a block of the queue, over a sitting) and by time."""

import math
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import fmean, median
from typing import NamedTuple

from annotation.pure.batches.queue_order import BLOCK, block_of
from annotation.pure.data.example import JSON
from annotation.pure.reports.tables import rounded, table
from annotation.pure.reports.time_grid import period_label, time_grid
from annotation.pure.reports.worker_dependence_tables import ENDS, for_workers
from annotation.pure.statistics.intervals import Figure, bootstrap_figures
from annotation.pure.text.translation_marks import gettext_noop as _

PAUSE = timedelta(minutes=30)  # a longer one begins another sitting
Z = 1.96  # of a 95 % interval

BY_BLOCK = _("By position within a block")
BY_SITTING = _("By position in a sitting")
BY_TIME = _("By time of submission")
SCORED = _("Score: the mean grade against gold, with a 95 % interval over items.")
TIMED = _("The interval of the median time is that of its order statistics; responses without a time are left out.")
OF_BLOCK = _(
    "The first, second, ... response of a worker in a block of 50 HITs. Not counted are responses whose block is not "
    "recorded: from before it was, reserved HITs, and HITs that workers chose themselves."
)
OF_SITTING = _("The first, second, ... response of a worker since a break of more than 30 minutes, in this batch.")
OF_TIME = _("Responses by the time at which they were submitted (UTC), in periods of equal length.")
PERIODS = 10  # at most

IN_BLOCK = [(first, first + 9) for first in range(1, BLOCK, 10)]
IN_SITTING = [(1, 10), (11, 25), (26, 50), (51, 100), (101, None)]


class Turn(NamedTuple):
    """When a worker had a HIT; `ticket` as in the queue, or None."""

    hit: int
    worker: str
    accepted_at: datetime
    submitted_at: datetime
    ticket: int | None


class Position(NamedTuple):
    """A response's position, from 1, within its block (None: not known) and in its sitting, and when it was given."""

    in_block: int | None
    in_sitting: int
    submitted_at: datetime


class Placed(NamedTuple):
    """A response with its position; `score` 0 to 1, None without gold, `seconds` 0 if not measured."""

    item: int
    worker: str
    position: Position
    score: float | None
    seconds: float


def positions(turns: Iterable[Turn]) -> dict[tuple[int, str], Position]:
    """The positions of all responses of a batch, by HIT and worker."""
    found: dict[tuple[int, str], Position] = {}
    blocks: defaultdict[tuple[str, int], int] = defaultdict(int)
    sitting: dict[str, tuple[int, datetime]] = {}
    for turn in sorted(turns, key=lambda turn: (turn.accepted_at, turn.submitted_at)):
        count, last = sitting.get(turn.worker, (0, turn.accepted_at))
        number = 1 if turn.accepted_at - last > PAUSE else count + 1
        sitting[turn.worker] = number, max(last, turn.submitted_at)
        in_block = None
        if turn.ticket is not None:
            blocks[turn.worker, block_of(turn.ticket)] += 1
            in_block = blocks[turn.worker, block_of(turn.ticket)]
        found[turn.hit, turn.worker] = Position(in_block, number, turn.submitted_at)
    return found


def position_tables(placed: Sequence[Placed], *, seed: int) -> list[JSON]:
    """A table by position within blocks, if any is known, one over the sitting, and one by time, if it took a while.

    None without responses.
    """
    in_block = [(one.position.in_block, one) for one in placed if one.position.in_block is not None]
    in_sitting = [(one.position.in_sitting, one) for one in placed]
    found = [
        _table("by-position-in-block", BY_BLOCK, OF_BLOCK, IN_BLOCK, in_block, seed),
        _table("by-position-in-sitting", BY_SITTING, OF_SITTING, IN_SITTING, in_sitting, seed),
    ]
    kept = [table for table, rows in zip(found, (in_block, in_sitting), strict=True) if rows]
    kept += _by_time(placed, seed)
    return for_workers(kept, len({one.worker for one in placed}))


def _by_time(placed: Sequence[Placed], seed: int) -> list[JSON]:
    times = [one.position.submitted_at.astimezone(UTC) for one in placed]
    starts = time_grid(min(times), max(times), PERIODS) if times else []
    if len(starts) < 2:
        return []
    parts: list[list[Placed]] = [[] for _start in starts]
    for one, time in zip(placed, times, strict=True):
        parts[bisect(starts, time) - 1].append(one)
    labels = [period_label(start, starts) for start in starts]
    return [_of_parts("by-time", BY_TIME, OF_TIME, _("From"), labels, parts, seed)]


def _table(
    name: str,
    title: str,
    what: str,
    ranges: Sequence[tuple[int, int | None]],
    placed: Sequence[tuple[int, Placed]],
    seed: int,
) -> JSON:
    parts = [[one for at, one in placed if first <= at and (last is None or at <= last)] for first, last in ranges]
    labels = [f"{first}+" if last is None else f"{first}–{last}" for first, last in ranges]
    return _of_parts(name, title, what, _("Position"), labels, parts, seed)


def _of_parts(
    name: str,
    title: str,
    what: str,
    column: str,
    labels: Sequence[str],
    parts: Sequence[Sequence[Placed]],
    seed: int,
) -> JSON:
    """A row a part, in order, with the number of responses, their score and their time."""
    rows = [
        [label, len(part), score.as_json(), *_median(part)]
        for label, part, score in zip(labels, parts, _scores(parts, seed), strict=True)
    ]
    columns = (column, _("Responses"), _("Score"), _("Median seconds"), *ENDS)
    scored = [SCORED] if any(one.score is not None for part in parts for one in part) else []
    return table(name, title, columns, rows, [what, *scored, TIMED], leads=False, in_order=True)


def _scores(parts: Sequence[Sequence[Placed]], seed: int) -> list[Figure]:
    """The mean over items of the mean score in each part."""
    grades: defaultdict[int, list[list[float]]] = defaultdict(lambda: [[] for _part in parts])
    for k, part in enumerate(parts):
        for one in part:
            if one.score is not None:
                grades[one.item][k].append(one.score)
    if not grades:
        return [Figure(None, None, None, 0)] * len(parts)
    matrix = [[fmean(own) if own else math.nan for own in grades[item]] for item in sorted(grades)]
    return bootstrap_figures(matrix, seed)


def _median(part: Sequence[Placed]) -> tuple[float | None, float | None, float | None]:
    """The median time with the order statistics that hold it in at least 95 % of samples (normal approximation)."""
    times = sorted(one.seconds for one in part if one.seconds > 0)
    rank = math.floor((len(times) - Z * math.sqrt(len(times))) / 2)
    low, high = (times[rank - 1], times[-rank]) if rank > 0 else (None, None)
    return rounded(median(times), 1) if times else None, rounded(low, 1), rounded(high, 1)
