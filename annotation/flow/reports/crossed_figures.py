"""Figures of any task's report with their spread over workers and items.

The report itself is computed for small sets of HITs, with the HITs of an item and without each worker's responses to
them. What an item adds to a figure's sum and n, and what it adds without each of its workers, makes its unit
(`worker_intervals.Unit`). That the figure is such a ratio of sums is checked on the whole batch, and without its first
worker. Where it is not, each item and each response is left out of the whole report (a jackknife). Counts, medians and
alphas have no spread.
"""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.flow.reports import batch_scores
from annotation.models import Batch
from annotation.pure.reports import figure_paths
from annotation.pure.statistics.intervals import values_only
from annotation.pure.statistics.worker_intervals import Unit
from annotation.registry import task_type
from annotation.tasktype import HitWithResponses

Rows = Sequence[HitWithResponses]
Report = Callable[[Rows], Mapping[str, Any]]
Units = dict[Hashable, Unit]  # by item
Parts = dict[str, tuple[float, float]]  # of each path: value times n, and n

EXACT = 1e-9
FEW = 6  # items up to which each report is of all of them
EACH = 2  # items of each dataset in the sets beside which another one is measured
MOST = 1_500_000  # HITs that all reports read together: some ten minutes
UNSUITED = re.compile("alpha|median", re.IGNORECASE)


def of_batch(batch: Batch, paths: Iterable[str]) -> dict[str, Units | None]:
    """`units` of the batch's report."""
    task = task_type(batch.task)
    options, rows = task.options(batch.options), list(batch_scores.hits_with_responses(batch))
    return units(rows, lambda some: task.report(some, options, seed=batch.seed), paths)


def item_of(row: HitWithResponses) -> str:
    """The item as all HITs of the same source question name it."""
    return row.example.group or row.example.id


def units(rows: Rows, report: Report, paths: Iterable[str]) -> dict[str, Units | None]:
    """The units of the figure at each path, by `item_of`; None where it has no spread."""
    with values_only():
        whole = report(rows)
        steps = {path: figure_paths.steady(whole, path) for path in paths}
        found: dict[str, Units | None] = dict.fromkeys(steps)
        left = {path for path in steps if _is_mean(figure_paths.at(whole, path), steps[path])}
        study = _Study(rows, report, {path: steps[path] for path in left})
        for anchors in study.anchors():
            if left and study.cost(anchors) <= MOST:
                told = study.measured(anchors, left)
                found |= told
                left -= told.keys()
        return found


def _is_mean(figure: Any, steps: Iterable[Any]) -> bool:
    has_n = isinstance(figure, Mapping) and figure.get("value") is not None and figure.get("n")
    return bool(has_n) and not any(UNSUITED.search(str(step)) for step in steps)


class _Study:
    """The HITs by item, and parts of the reports on some of them."""

    def __init__(self, rows: Rows, report: Report, steps: Mapping[str, Any]) -> None:
        self.rows, self.report, self.steps = rows, report, steps
        self.groups: dict[str, list[HitWithResponses]] = {}
        for row in rows:
            self.groups.setdefault(item_of(row), []).append(row)
        self._known: dict[frozenset[str], Parts] = {}

    def anchors(self) -> Iterator[list[list[str]]]:
        """Sets of items beside which others are measured: two small ones, then all items."""
        if len(self.groups) > FEW:
            one = _typical(self.groups)
            yield [one, _typical({key: rows for key, rows in self.groups.items() if key not in one})]
        yield [list(self.groups)]

    def cost(self, anchors: Sequence[Sequence[str]]) -> int:
        """The HITs that all reports read."""
        reports = sum(2 + len(_workers(rows)) for rows in self.groups.values())
        return reports * max(sum(len(self.groups[key]) for key in some) for some in anchors)

    def measured(self, anchors: Sequence[Sequence[str]], paths: Iterable[str]) -> dict[str, Units]:
        """The units of the paths that are a ratio of what the items add; of all where the anchors are all items."""
        added: dict[str, Parts] = {}
        without: dict[str, dict[str, Parts]] = {}
        for key, rows in self.groups.items():
            anchor = next((some for some in anchors if key not in some), anchors[0])
            beside = [one for one in anchor if one != key]
            before = self._of(beside)
            added[key] = _less(self._parts(beside, rows), before)
            without[key] = {
                worker: _less(self._parts(beside, _without(rows, worker)), before) for worker in _workers(rows)
            }
        whole = self._of(list(self.groups))
        ratios = paths if len(anchors) == 1 else self._ratios(paths, whole, added, without)
        return {path: _units(path, whole[path], added, without) for path in ratios}

    def _ratios(
        self,
        paths: Iterable[str],
        whole: Parts,
        added: Mapping[str, Parts],
        without: Mapping[str, Mapping[str, Parts]],
    ) -> Iterator[str]:
        """The paths whose parts add up, with all workers and without the first."""
        one = next(iter(_workers(self.rows)), "")
        left = self._parts([], _without(self.rows, one))
        for path in paths:
            sums = _total(parts[path] for parts in added.values())
            rest = _total(without[key].get(one, added[key])[path] for key in added)
            if _equal(sums, whole[path]) and _equal(rest, left[path]):
                yield path

    def _of(self, keys: Sequence[str]) -> Parts:
        name = frozenset(keys)
        if name not in self._known:
            self._known[name] = self._parts(keys, [])
        return self._known[name]

    def _parts(self, keys: Iterable[str], more: Rows) -> Parts:
        report = self.report([*(row for key in keys for row in self.groups[key]), *more])
        return {path: _part(figure_paths.at(report, steps)) for path, steps in self.steps.items()}


def _typical(groups: Mapping[str, Rows]) -> list[str]:
    """The items with the fewest and the most responses and wanted, which decide a report's k, and some a dataset."""
    sizes = {key: [len(row.given) for row in rows if row.given] for key, rows in groups.items()}
    answered = [key for key in groups if sizes[key]]
    if not answered:
        return []
    kept = [
        min(answered, key=lambda key: min(sizes[key])),
        max(answered, key=lambda key: max(sizes[key])),
        min(answered, key=lambda key: min(row.wanted for row in groups[key])),
    ]
    by_dataset: dict[str, list[str]] = {}
    for key in answered:
        by_dataset.setdefault(groups[key][0].dataset, []).append(key)
    return list(dict.fromkeys([*kept, *(key for keys in by_dataset.values() for key in keys[:EACH])]))


def _workers(rows: Rows) -> list[str]:
    return list(dict.fromkeys(given.worker for row in rows for given in row.given))


def _without(rows: Rows, worker: str) -> list[HitWithResponses]:
    return [replace(row, given=tuple(given for given in row.given if given.worker != worker)) for row in rows]


def _part(figure: Any) -> tuple[float, float]:
    value, n = (figure.get("value"), figure.get("n")) if isinstance(figure, Mapping) else (None, 0)
    return (0.0, 0.0) if value is None or not n else (value * n, float(n))


def _less(one: Parts, other: Parts) -> Parts:
    return {path: (one[path][0] - other[path][0], one[path][1] - other[path][1]) for path in one}


def _total(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    sums, numbers = zip(*parts, strict=True)
    return math.fsum(sums), math.fsum(numbers)


def _equal(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return all(math.isclose(a, b, rel_tol=EXACT, abs_tol=EXACT) for a, b in zip(one, other, strict=True))


def _units(
    path: str, whole: tuple[float, float], added: Mapping[str, Parts], without: Mapping[str, Mapping[str, Parts]]
) -> Units:
    """Units around the ratio: each adds what its item changes in it, times their number."""
    ratio = whole[0] / whole[1]
    counting = [key for key in added if added[key][path][1] or any(each[path][1] for each in without[key].values())]
    scale = len(counting) / whole[1]

    def value(part: tuple[float, float]) -> float:
        return round(ratio + scale * (part[0] - ratio * part[1]), 12)  # equal values must stay equal

    return {
        key: Unit(value(added[key][path]), {worker: value(each[path]) for worker, each in without[key].items()})
        for key in counting
    }
