"""Background jobs."""

from __future__ import annotations

import time
from collections.abc import Iterator

from hopscribe_client.connection import JSON, Collection, HopscribeError, Resource

FIRST_LOOK, LONGEST = 0.2, 5.0  # seconds between two polls
SHOWN = 3  # errors in a message


class JobFailed(HopscribeError):
    """The job failed; `str()` says why, with the first errors of a file. `job.result` has all of them."""

    def __init__(self, job: Job) -> None:
        message = job.facts.get("error") or f"{job.kind} failed"
        super().__init__("\n".join([message, *(_line(flaw) for flaw in job.result.get("flaws", [])[:SHOWN])]))
        self.job = job


def _line(flaw: JSON) -> str:
    """An error of an import's report."""
    return "  {place}, {field}: {wrong}. {fix}".format(**{"place": "", "field": "", "wrong": "", "fix": ""} | flaw)


class Job(Resource):
    """A job as last loaded; `facts` is the complete response of the server."""

    PATH = "jobs/{id}/"

    def __repr__(self) -> str:
        return f"<Job {self.kind}: {self.state}>"

    @property
    def id(self) -> str:
        return str(self.facts["id"])

    @property
    def kind(self) -> str:
        return str(self.facts["kind"])

    @property
    def state(self) -> str:
        """waiting, running, done or failed."""
        return str(self.facts["state"])

    @property
    def result(self) -> JSON:
        return self.facts.get("result") or {}

    def wait(self, timeout: float | None = None) -> Job:
        """Wait until it is done. Raises JobFailed, and TimeoutError after so many seconds."""
        until, pause = None if timeout is None else time.monotonic() + timeout, FIRST_LOOK
        while self.refresh().state not in {"done", "failed"}:
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{self!r} after {timeout:g} seconds")
            self._connection.pause(pause)
            pause = min(pause * 1.5, LONGEST)
        if self.state == "failed":
            raise JobFailed(self)
        return self


class Jobs(Collection):
    """The jobs of the project, newest first."""

    def __repr__(self) -> str:
        return f"<Jobs of {self._root}: iterate, ['id'], .list(state=, kind=)>"

    def __iter__(self) -> Iterator[Job]:
        return self.list()

    def list(self, *, state: str | None = None, kind: str | None = None) -> Iterator[Job]:
        for facts in self._connection.pages(f"{self._root}jobs/", {"state": state, "kind": kind}):
            yield Job(self._connection, self._root, facts)

    def __getitem__(self, id: str) -> Job:
        return self.of({"id": id}).refresh()

    def of(self, facts: JSON) -> Job:
        """The job in a response."""
        return Job(self._connection, self._root, facts)
