"""Studies of papers: launch one, and compare its figures with those that the paper prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from hopscribe_client.batches import Batch, Batches
from hopscribe_client.connection import JSON, Collection, Named
from hopscribe_client.jobs import Jobs


class StudyRun(Named):
    """A study as it was launched in the project; `facts` is the complete response of the server."""

    PATH = "studies/{study}/runs/{name}/"

    def __repr__(self) -> str:
        return f"<StudyRun {self.name} of {self.facts['study']}>"

    @property
    def batches(self) -> dict[str, Batch]:
        """The batches and qualification rounds, by their names in the study."""
        known = Batches(self._connection, self._root)
        return {name: known[slug] for name, slug in self.facts["batches"].items()}

    def report(self) -> list[JSON]:
        """A row for each published figure: {"figure", "paper", "ours", "difference", "conclusion", "why", ...}.

        As last computed (`Batch.score`), of batches whose responses are all in; else `ours` is None. Intervals and
        conclusions are as of the last `score`; `note` says where they are not up to date.
        """
        return cast(list[JSON], self.refresh().facts["figures"])

    def score(self) -> JSON | None:
        """Compute the figures now, and wait for it; what the study computes from all its batches, or None.

        Before all responses are in, the server's log records it. Raises JobFailed.
        """
        reply = self._connection.write("POST", f"{self._path}scores/", {})
        Jobs(self._connection, self._root).of(reply).wait()
        return cast(JSON | None, self.refresh().facts["analysis"])


class Study(Named):
    """A study of the installation as last loaded; `facts` is the complete response of the server."""

    PATH = "studies/{name}/"

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.facts['title'] or self.facts['broken']}>"

    def launch(self, run: str | None = None, **settings: Any) -> StudyRun:
        """Launch the study, or continue its launch, and wait for it.

        `settings`: scale (1), seed (0), small, contact, ethics. Raises JobFailed.
        """
        body = settings if run is None else {"run": run, **settings}
        reply = self._connection.write("POST", f"{self._path}launch/", body)
        return self.run(Jobs(self._connection, self._root).of(reply).wait().result["run"])

    def run(self, name: str) -> StudyRun:
        """A run of the study in the project."""
        return StudyRun(self._connection, self._root, {"study": self.name, "name": name}).refresh()


class Studies(Collection):
    """The studies of the installation."""

    def __repr__(self) -> str:
        return f"<Studies of {self._root}: iterate, ['name']>"

    def __iter__(self) -> Iterator[Study]:
        for facts in self._connection.pages(f"{self._root}studies/"):
            yield Study(self._connection, self._root, facts)

    def __getitem__(self, name: str) -> Study:
        return Study(self._connection, self._root, {"name": name}).refresh()
