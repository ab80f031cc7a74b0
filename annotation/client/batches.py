"""Batches: drafted, priced, launched, watched while people work, and what comes of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.client.connection import Connection
from annotation.client.datasets import Dataset, Datasets, download
from annotation.client.jobs import Job, Jobs
from annotation.client.problems import JSON, HopscribeError
from annotation.client.rows import Rows

SLOWER, LONGEST = 1.5, 60.0  # while nothing changes
FORMATS = ("jsonl", "csv", "parquet")  # of judgments


@dataclass(frozen=True, slots=True)
class Progress:
    """How a batch is getting on: `done` of the wanted `places` are in, `in_work` are being answered."""

    state: str
    places: int
    done: int
    submitted: int
    in_work: int

    @property
    def finished(self) -> bool:
        """Whether nothing more is to be waited for."""
        return self.state == "closed" or (self.state in {"open", "paused"} and 0 < self.places <= self.done)

    def __str__(self) -> str:
        return f"{self.state}: {self.done} of {self.places} answers, {self.in_work} in work"


class Batch:
    """A batch as last looked at; `facts` is all that the server tells of it."""

    def __init__(self, connection: Connection, root: str, facts: JSON) -> None:
        self._connection, self._root = connection, root
        self._path = f"{root}batches/{facts['name']}/"
        self.facts = facts
        self.launched: JSON = {}

    def __repr__(self) -> str:
        return f"<Batch {self.name}: {self.state}>"

    @property
    def name(self) -> str:
        return str(self.facts["name"])

    @property
    def state(self) -> str:
        """draft, launching, open, paused or closed."""
        return str(self.facts["state"])

    @property
    def progress(self) -> Progress:
        """As last looked at."""
        counts = self.facts["counts"]
        names = ("places", "done", "submitted", "in_work")
        return Progress(state=self.state, **{name: counts[name] for name in names})

    def refresh(self) -> Batch:
        self.facts = self._connection.get(self._path)
        return self

    def change(self, **settings: Any) -> Batch:
        """Change a draft; of a launched batch its title, people, requirements, expected time or guide."""
        self.facts = self._connection.write("PATCH", self._path, settings)
        return self

    def quote(self) -> JSON:
        """What a draft will cost, every item looked at."""
        return self._work("quote").wait().result

    def launch(self) -> Batch:
        """Make the HITs and open the batch. Raises JobFailed where that cannot be.

        `launched` then says how many items were asked for, how many HITs came of them and why others are missing:
        {"asked", "hits", "skipped", "left_out": [{"dataset", "items", "why"}], "warnings"}.
        """
        self.launched = self._work("launch").wait().result
        return self.refresh()

    def watch(self, *, every: float = 1.0, timeout: float | None = None) -> Iterator[Progress]:
        """The progress now and after each change, until all is done or the batch is closed.

        Looks after `every` seconds, less and less often while nothing changes. Raises TimeoutError.
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
        """Throw a draft away."""
        self._connection.write("DELETE", self._path)

    def top_up(self, *, only_disagreeing: bool = False) -> Batch:
        """Ask for one more annotation of each finished HIT, or of those whose answers differ."""
        self._work("top-up", {"only_disagreeing": only_disagreeing}).wait()
        return self.refresh()

    def score(self, **part: Any) -> JSON:
        """Compute the report for the answers that there are; `part`: dataset, hops, shape, since, until.

        {"computed_at", "fresh", "tables": [{"name", "title", "columns", "rows"}], "content"}.
        """
        self._work("report/refresh", part).wait()
        return self.report(**part)

    def report(self, **part: Any) -> JSON:
        """The report as last computed."""
        return self._connection.get(f"{self._path}report/", part)

    def judgments(self, *, ids_only: bool = False) -> Rows:
        """Every revision of every answer, under pseudonyms; unless `ids_only` with question, gold and score."""
        return self._rows("judgments", **_ids_only(ids_only))

    def verdicts(self) -> Rows:
        """What the answers to each HIT mean together, as they stand now."""
        return self._rows("verdicts")

    def hits(self) -> Rows:
        return self._rows("hits")

    def export(self, to: str | Path, *, format: str = "", ids_only: bool = False) -> Path:
        """Write all judgments to a file: jsonl, csv or parquet, by default as its name ends.

        `ids_only` leaves out question, gold, score, hops, shape and pair.
        """
        wanted = format or Path(to).suffix.removeprefix(".")
        if wanted not in FORMATS:
            raise HopscribeError(
                f"Judgments are written as {', '.join(FORMATS)}, not as {wanted or 'a file without a suffix'}."
            )
        return download(self._connection, f"{self._path}judgments/export/{wanted}/", to, **_ids_only(ids_only))

    def clone(self, *, name: str | None = None, title: str | None = None) -> Batch:
        """A new draft with everything that was settled for this one."""
        return self._drafted("clone", {"name": name, "title": title})

    def next(self, count: int, *, name: str | None = None) -> Batch:
        """A new draft like this one about up to `count` items of each dataset that nobody was asked about yet."""
        return self._drafted("next", {"count": count, "name": name})

    def gather(self, name: str, *, least: int = 0) -> Dataset:
        """Make a dataset of the verdicts; `least` answers must say what an item's verdict says."""
        self._work("gather", {"name": name, "least": least}).wait()
        return Datasets(self._connection, self._root)[name]

    def _rows(self, what: str, **query: str) -> Rows:
        asked: dict[str, str | int] = {"limit": 500, **query}
        return Rows(lambda: self._connection.pages(f"{self._path}{what}/", asked), f"{what} of {self.name}")

    def _drafted(self, act: str, wish: JSON) -> Batch:
        said = {name: value for name, value in wish.items() if value is not None}
        return Batch(self._connection, self._root, self._connection.write("POST", f"{self._path}{act}/", said))

    def _move(self, act: str) -> Batch:
        self.facts = self._connection.write("POST", f"{self._path}{act}/")
        return self

    def _work(self, act: str, wish: JSON | None = None) -> Job:
        told = self._connection.write("POST", f"{self._path}{act}/", wish)
        return Jobs(self._connection, self._root).of(told)


class Batches:
    """The batches of the project, newest first."""

    def __init__(self, connection: Connection, root: str) -> None:
        self._connection, self._root = connection, root

    def __repr__(self) -> str:
        return f"<Batches of {self._root}: iterate, ['name'], .list(state=), .create(…), .create_round(…), .tasks()>"

    def tasks(self) -> Rows:
        """The kinds of tasks there are, with their options."""
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
        """Write a draft. `settings`: name, sample, seed, assignments_per_hit, options, guide, reward, …"""
        names = [one.name if isinstance(one, Dataset) else one for one in datasets]
        wish = {"title": title, "task": task, "datasets": names, **settings}
        return Batch(self._connection, self._root, self._connection.write("POST", f"{self._root}batches/", wish))

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
        """Write a qualification round as a draft, which is launched as a batch.

        `pool`: so many items of each dataset, which the round draws from and holds; None: all. `settings`: rule,
        judgment, attempts, seconds, closes_at and those of a batch.
        """
        names = [one.name if isinstance(one, Dataset) else one for one in datasets]
        wish = {"title": title, "task": task, "datasets": names, "per_worker": per_worker, "grants": grants}
        told = self._connection.write("POST", f"{self._root}rounds/", {**wish, "pool": pool, **settings})
        return self[told["batch"]]


def _ids_only(wanted: bool) -> dict[str, str]:
    return {"ids_only": "true"} if wanted else {}
