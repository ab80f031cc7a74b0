"""Batches: draft, quote, launch, watch, and their results."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscribe_client.connection import JSON, Collection, Connection, HopscribeError, Named
from hopscribe_client.datasets import Dataset, Datasets, download
from hopscribe_client.jobs import Job, Jobs
from hopscribe_client.rows import Rows

SLOWER, LONGEST = 1.5, 60.0  # factor and limit (seconds) of the polling interval while nothing changes
FORMATS = ("jsonl", "csv", "parquet", "qrels")  # of exported responses


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a batch: `done` of the wanted `places` are submitted, `in_work` are under way."""

    state: str
    places: int
    done: int
    submitted: int
    in_work: int

    @property
    def finished(self) -> bool:
        """Whether nothing more is expected."""
        return self.state == "closed" or (self.state in {"open", "paused"} and 0 < self.places <= self.done)

    def __str__(self) -> str:
        return f"{self.state}: {self.done} of {self.places} answers, {self.in_work} in work"


class Batch(Named):
    """A batch as last loaded; `facts` is the complete response of the server."""

    PATH = "batches/{name}/"

    def __init__(self, connection: Connection, root: str, facts: JSON) -> None:
        super().__init__(connection, root, facts)
        self.launched: JSON = {}

    def __repr__(self) -> str:
        return f"<Batch {self.name}: {self.state}>"

    @property
    def state(self) -> str:
        """draft, launching, open, paused or closed."""
        return str(self.facts["state"])

    @property
    def progress(self) -> Progress:
        """The progress as last loaded."""
        counts = self.facts["counts"]
        names = ("places", "done", "submitted", "in_work")
        return Progress(state=self.state, **{name: counts[name] for name in names})

    def change(self, **settings: Any) -> Batch:
        """Change a draft; of a launched batch its title, people, requirements, expected time or instructions."""
        self.facts = self._connection.write("PATCH", self._path, settings)
        return self

    def quote(self) -> JSON:
        """The cost of a draft, computed from all its items."""
        return self._work("quote").wait().result

    def launch(self) -> Batch:
        """Launch the batch. Raises JobFailed if that is not possible.

        Then `launched` has the numbers of items and HITs, and why others are missing:
        {"asked", "hits", "skipped", "left_out": [{"dataset", "items", "why"}], "warnings"}.
        """
        self.launched = self._work("launch").wait().result
        return self.refresh()

    def watch(self, *, every: float = 1.0, timeout: float | None = None) -> Iterator[Progress]:
        """Yield the progress now and after each change, until all is done or the batch is closed.

        Polls after `every` seconds, less often while nothing changes. Raises TimeoutError.
        """
        until, pause, last = None if timeout is None else time.monotonic() + timeout, every, None
        while True:
            now = self.refresh().progress
            if now != last:
                pause, last = every, now
                yield now
            if now.finished:
                return
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{self.name} after {timeout:g} seconds: {now}")
            self._connection.pause(pause)
            pause = min(pause * SLOWER, max(LONGEST, every))

    def pause(self) -> Batch:
        return self._move("pause")

    def resume(self) -> Batch:
        return self._move("resume")

    def close(self) -> Batch:
        return self._move("close")

    def discard(self) -> None:
        """Delete a draft."""
        self._connection.write("DELETE", self._path)

    def add_assignments(self, *, only_disagreeing: bool = False) -> Batch:
        """Add an assignment to each finished HIT, or to those whose responses differ."""
        self._work("add-assignments", {"only_disagreeing": only_disagreeing}).wait()
        return self.refresh()

    def score(self, **part: Any) -> JSON:
        """Compute the report of the current responses; `part`: dataset, hops, shape, since, until.

        {"computed_at", "fresh", "tables": [{"name", "title", "columns", "rows"}], "content"}.
        """
        self._work("report/refresh", part).wait()
        return self.report(**part)

    def preregister(self, *, hypotheses: str, analysis: str, design: str = "", exclusions: str = "") -> JSON:
        """Preregister the batch with its settings, once, before the first response; returns the file and its hash."""
        texts = {"hypotheses": hypotheses, "analysis": analysis, "design": design, "exclusions": exclusions}
        return self._connection.write("POST", f"{self._path}preregistration/register/", texts)

    def preregistration(self) -> JSON:
        """What is registered, and the settings that differ from it. Raises Problem (404) without any."""
        return self._connection.get(f"{self._path}preregistration/")

    def report(self, **part: Any) -> JSON:
        """The report as last computed."""
        return self._connection.get(f"{self._path}report/", part)

    def responses(self, *, ids_only: bool = False) -> Rows:
        """Every revision of every response, under pseudonyms; unless `ids_only` with question, gold and score."""
        return self._rows("responses", **_ids_only(ids_only))

    def ratings(self) -> Rows:
        """Every value of every response to a rubric: item, worker, criterion, element, value, whether it was asked."""
        path, query = f"{self._path}responses/export/jsonl/", {"long": "true"}
        return Rows(lambda: self._connection.lines(path, query), f"ratings of {self.name}")

    def aggregates(self) -> Rows:
        """The aggregated response of each HIT, as of now."""
        return self._rows("aggregates")

    def hits(self) -> Rows:
        return self._rows("hits")

    def models(self) -> Rows:
        """The models with predictions for the batch's task: id, name, items, runs, cost, created_at."""
        return self._rows("models")

    def import_predictions(self, source: str | Path, *, model: str, dataset: str | None = None) -> JSON:
        """Import a file of a model's responses to the batch's task, and return the report once they are stored.

        `dataset`: which one, of a batch with several. Raises JobFailed if any line is wrong; nothing is stored then.
        """
        path = Path(source)
        query = {"model": model, "dataset": dataset, "file_name": path.name}
        reply = self._connection.upload(f"{self._path}models/", path, query)
        return Jobs(self._connection, self._root).of(reply).wait().result

    def delete_predictions(self, model: str) -> None:
        """Erase a model's predictions for the batch, for good. Raises HopscribeError if it has none."""
        found = [row["id"] for row in self.models() if row["name"] == model]
        if not found:
            raise HopscribeError(f"{self.name} has no predictions of {model}.")
        self._connection.write("DELETE", f"{self._path}models/{found[0]}/")

    def export(self, to: str | Path, *, format: str = "", ids_only: bool = False) -> Path:
        """Export all responses to a file: jsonl, csv or parquet, by default from the file's suffix.

        Ratings of each passage also as qrels, the relevance judgments of TREC.

        `ids_only` leaves out question, gold, score, hops, shape and pair.
        """
        wanted = format or Path(to).suffix.removeprefix(".")
        if wanted not in FORMATS:
            raise HopscribeError(
                f"Responses are written as {', '.join(FORMATS)}, not as {wanted or 'a file without a suffix'}."
            )
        return download(self._connection, f"{self._path}responses/export/{wanted}/", to, **_ids_only(ids_only))

    def clone(self, *, name: str | None = None, title: str | None = None) -> Batch:
        """Create a draft with all settings of this batch."""
        return self._drafted("clone", {"name": name, "title": title})

    def next(self, count: int, *, name: str | None = None) -> Batch:
        """Create a draft like this batch for up to `count` new items of each dataset."""
        return self._drafted("next", {"count": count, "name": name})

    def create_dataset(self, name: str, *, least: int = 0, keep: str = "") -> Dataset:
        """Create a dataset from the results; keeps items for which at least `least` responses agree.

        Of ratings `keep` is what they must fulfil, such as "faithful >= 3 and multihop == yes".
        """
        self._work("create-dataset", {"name": name, "least": least} | ({"keep": keep} if keep else {})).wait()
        return Datasets(self._connection, self._root)[name]

    # former names, still accepted
    top_up, judgments, verdicts, gather = add_assignments, responses, aggregates, create_dataset

    def _rows(self, what: str, **query: str) -> Rows:
        parameters: dict[str, str | int] = {"limit": 500, **query}
        return Rows(lambda: self._connection.pages(f"{self._path}{what}/", parameters), f"{what} of {self.name}")

    def _drafted(self, act: str, body: JSON) -> Batch:
        fields = {name: value for name, value in body.items() if value is not None}
        return Batch(self._connection, self._root, self._connection.write("POST", f"{self._path}{act}/", fields))

    def _move(self, act: str) -> Batch:
        self.facts = self._connection.write("POST", f"{self._path}{act}/")
        return self

    def _work(self, act: str, body: JSON | None = None) -> Job:
        reply = self._connection.write("POST", f"{self._path}{act}/", body)
        return Jobs(self._connection, self._root).of(reply)


class Batches(Collection):
    """The batches of the project, newest first."""

    def __repr__(self) -> str:
        return f"<Batches of {self._root}: iterate, ['name'], .list(state=), .create(…), .create_round(…), .tasks()>"

    def tasks(self) -> Rows:
        """The tasks, with their options."""
        return Rows(lambda: self._connection.pages(f"{self._root}tasks/"), "kinds of tasks")

    def __iter__(self) -> Iterator[Batch]:
        return self.list()

    def list(self, *, state: str | None = None, task: str | None = None, dataset: str | None = None) -> Iterator[Batch]:
        wanted = {"state": state, "task": task, "dataset": dataset}
        for facts in self._connection.pages(f"{self._root}batches/", wanted):
            yield Batch(self._connection, self._root, facts)

    def __getitem__(self, name: str) -> Batch:
        return Batch(self._connection, self._root, {"name": name}).refresh()

    def create(self, title: str, *, task: str, datasets: Sequence[Dataset | str], **settings: Any) -> Batch:
        """Create a draft. `settings`: name, sample, seed, assignments_per_hit, options, instructions, reward, …"""
        names = [one.name if isinstance(one, Dataset) else one for one in datasets]
        body = {"title": title, "task": task, "datasets": names, **settings}
        return Batch(self._connection, self._root, self._connection.write("POST", f"{self._root}batches/", body))

    def create_round(
        self,
        title: str,
        *,
        task: str,
        datasets: Sequence[Dataset | str],
        per_worker: int,
        grants: str,
        pool: int | None = None,
        **settings: Any,
    ) -> Batch:
        """Create a qualification round as a draft, which is launched like a batch.

        `pool`: so many items of each dataset, reserved for the round; None: all. `settings`: rule, grading, attempts,
        seconds, closes_at and those of a batch.
        """
        names = [one.name if isinstance(one, Dataset) else one for one in datasets]
        body = {"title": title, "task": task, "datasets": names, "per_worker": per_worker, "grants": grants}
        reply = self._connection.write("POST", f"{self._root}qualification-rounds/", {**body, "pool": pool, **settings})
        return self[reply["batch"]]


def _ids_only(wanted: bool) -> dict[str, str]:
    return {"ids_only": "true"} if wanted else {}
