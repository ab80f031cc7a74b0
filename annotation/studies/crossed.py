"""A run's figures over workers and items, and its contrasts, as last computed.

`StudyRun.crossed` has for each figure its spread and the versions of the batches that it covers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from annotation.flow.reports import batch_scores, crossed_figures
from annotation.flow.reports.crossed_figures import Units
from annotation.models import Batch
from annotation.pure.statistics.significance import contrast
from annotation.pure.statistics.worker_intervals import Spread, spread
from annotation.pure.studies.published import Published
from annotation.studies.models import StudyRun


class Crossed:
    """The stored spreads of a run beside its batches of now, by their names in the study."""

    def __init__(self, run: StudyRun, batches: Mapping[str, Batch]) -> None:
        self.run, self.batches = run, batches
        self.stored = run.crossed or {}
        self._versions: dict[str, str] = {}

    def is_current(self, published: Published) -> bool:
        """Whether the figure's spread covers all responses of now."""
        kept = self.stored.get(_key(published))
        return kept is not None and kept["stand"] == self._stand(published)

    def of(self, published: Published) -> Spread | None:
        """The stored spread; None if the figure has none."""
        kept = self.stored[_key(published)]["spread"]
        return Spread(**kept) if kept else None

    def compute(self, wanted: Iterable[Published]) -> None:
        """Compute and store the spreads of the figures that are not current."""
        due = [published for published in wanted if not self.is_current(published)]
        if not due:
            return
        needed: defaultdict[str, set[str]] = defaultdict(set)
        for published in due:
            for name in published.batches:
                needed[name].add(path_in(self.run, published.path, name))
        stands = {published: self._stand(published) for published in due}
        units = {name: crossed_figures.of_batch(self.batches[name], paths) for name, paths in needed.items()}
        for published in due:
            sides = [units[name][path_in(self.run, published.path, name)] for name in published.batches]
            found = _spread(*sides)
            self.stored[_key(published)] = {"stand": stands[published], "spread": found and asdict(found)}
        self.run.crossed = self.stored
        StudyRun.objects.filter(pk=self.run.pk).update(crossed=self.stored)

    def _stand(self, published: Published) -> str:
        for name in published.batches:
            if name not in self._versions:
                self._versions[name] = batch_scores.version_key(self.batches[name])
        return " ".join(self._versions[name] for name in published.batches)


def path_in(run: StudyRun, path: str, batch: str) -> str:
    """The path with `{name}` replaced by the dataset's name in the project, and `{}` by the batch's own dataset."""
    own = {row.name: row.datasets[0] for row in run.definition.batches if row.datasets}.get(batch, "")
    return path.replace("{}", run.name_of(own)).replace("{", run.name_of("")).replace("}", "")


def _key(published: Published) -> str:
    return f"{published.batch} {published.path}"


def _spread(*sides: Units | None) -> Spread | None:
    """Of one batch's units; of two the paired difference over the questions of both."""
    known = [side for side in sides if side is not None]
    if len(known) < len(sides):
        return None
    if len(known) == 1:
        return spread(known[0].values())
    first, second = ({key: side[key] for key in side if key in known[0] and key in known[1]} for side in known)
    return contrast(first, second)
