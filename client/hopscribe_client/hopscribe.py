"""The entry point: a project of an installation."""

import os
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import httpx

from hopscribe_client.batches import Batches
from hopscribe_client.connection import JSON, Connection, HopscribeError
from hopscribe_client.datasets import Datasets
from hopscribe_client.jobs import Jobs
from hopscribe_client.rows import Rows
from hopscribe_client.studies import Studies
from hopscribe_client.webhooks import Webhooks


class Hopscribe:
    """A project; arguments default to HOPSCRIBE_URL, HOPSCRIBE_TOKEN and HOPSCRIBE_PROJECT.

    `timeout`: seconds for each response. A request is retried while the server is unavailable or busy, `tries` attempts
    in all.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        project: str | None = None,
        *,
        timeout: float = 30.0,
        tries: int = 6,
        pause: Callable[[float], None] = time.sleep,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address, secret = _required("url", url), _required("token", token)
        self.project = _required("project", project)
        self.connection = Connection(address, secret, timeout=timeout, tries=tries, pause=pause, transport=transport)
        self._root = f"projects/{self.project}/"
        self.datasets = Datasets(self.connection, self._root)
        self.batches = Batches(self.connection, self._root)
        self.jobs = Jobs(self.connection, self._root)
        self.studies = Studies(self.connection, self._root)
        self.webhooks = Webhooks(self.connection, self._root)

    def __repr__(self) -> str:
        return f"<Hopscribe {self.project} at {self.connection.url}>"

    def call(self, method: str, path: str, body: JSON | None = None, **query: Any) -> JSON:
        """Any operation of the API by its path below the project: `call("POST", "workers/…/block/", {"reason": …})`.

        Writes get an Idempotency-Key and are retried like all others.
        """
        if method.upper() == "GET":
            return self.connection.get(self._root + path, query)
        return self.connection.write(method.upper(), self._root + path, body)

    def rows(self, path: str, **filters: Any) -> Rows:
        """Any list of the API by its path below the project: `rows("approvals/", show="waiting")`."""
        return Rows(lambda: self.connection.pages(self._root + path, filters), path)

    def power(self, **plan: Any) -> JSON:
        """What a planned study can find: `power(items=115, workers=30, first=0.8, second=0.75)`; `text` says it.

        Also kind ("paired", "unpaired", "rate"), answers (3), by_item, by_worker, alike, pilot (a batch's name), counts
        (of a pilot's ratings, "faithful >= 3"), price, budget, seed.
        """
        return self.connection.get(f"{self._root}power/", plan)

    @property
    def facts(self) -> JSON:
        """The project's title, and your role in it."""
        return self.connection.get(self._root)

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _required(name: str, value: str | None) -> str:
    variable = f"HOPSCRIBE_{name.upper()}"
    found = value or os.environ.get(variable, "")
    if not found:
        raise HopscribeError(f"Give the {name}, or set {variable}.")
    return found
