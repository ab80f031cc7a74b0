"""A tool in a folder of its own: how it is installed, filled, started, stopped and read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, ClassVar

from tests.bench.bench import Bench
from tests.process.installation import Installation, free_port, kill
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[3]
TO_START = 400  # seconds
TO_STOP = 30


class Unavailable(Exception):
    """The peer cannot be had here; the message says why."""


class Tool(ABC):
    """One that people work with; `person` names their class, `wanted` the responses to each record, if any."""

    name: str
    person: str
    wanted: int | None
    sessions: list[str]
    batch: int  # of theirs too: what people work on
    port: int

    @abstractmethod
    def start(self) -> int:
        """Serve at `port`; the process group."""

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def stored(self) -> Iterator[tuple[str, str]]:
        """(session, record) of each response that is stored, while nothing runs."""


class Peer(Tool):
    """Another tool, from the package registry, with its own store in its own folder."""

    title: ClassVar[str]
    packages: ClassVar[list[str]]  # the first one is the tool itself

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin, self.port = folder, folder / "environment" / "bin", free_port()
        folder.mkdir()
        self._server: subprocess.Popen[bytes] | None = None

    def install(self) -> None:
        """Into an environment of its own. Raises Unavailable."""
        made = [sys.executable, "-m", "venv", str(self.bin.parent)]
        for command in (made, [str(self.bin / "pip"), "install", "--quiet", *self.packages]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Unavailable(done.stderr.strip().splitlines()[-1])
        asked = f"from importlib.metadata import version; print(version({self.packages[0]!r}))"
        self.name = f"{self.title} {self.python('-c', asked).strip()}"

    def python(self, *arguments: str) -> str:
        """What the environment's Python prints."""
        done = subprocess.run(
            [self.bin / "python", *arguments],
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Unavailable(done.stderr[-1500:])
        return done.stdout

    def environment(self) -> dict[str, str]:
        named = {k: v for k, v in os.environ.items() if k not in {"DJANGO_SETTINGS_MODULE", "PYTHONPATH"}}
        return named | {"PYTHONWARNINGS": "ignore"}

    @abstractmethod
    def prepare(self, records: list[dict[str, Any]], people: int) -> None:
        """Store the records and the people; sets `sessions`."""

    @abstractmethod
    def command(self) -> list[str]:
        """What serves it at `port`."""

    def start(self) -> int:
        with (self.folder / "web.log").open("ab") as log:
            self._server = server = subprocess.Popen(
                [str(self.bin / self.command()[0]), *self.command()[1:]],
                cwd=self.folder,
                env=self.environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until(lambda: self._answers() or server.poll() is not None, within=TO_START, said=self.log)
        if server.poll() is not None:
            raise Unavailable(self.log())
        return server.pid

    def _answers(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/")
            return connection.getresponse().status < 500
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def log(self) -> str:
        return (self.folder / "web.log").read_text(errors="replace")[-2000:]

    def stop(self) -> None:
        """As an administrator does, so that it can write what it holds."""
        if self._server is not None and self._server.poll() is None:
            os.killpg(self._server.pid, signal.SIGTERM)
            try:
                self._server.wait(TO_STOP)
            except subprocess.TimeoutExpired:
                kill(self._server)


class Hopscribe(Tool):
    """Ours, with two web processes, as in `make bench cycles`."""

    person, wanted = "tests.bench.peers.people:Ours", 3

    def __init__(self, made: Installation, bench: Bench, kind: str, file: Path, hits: int, people: int) -> None:
        self.name, self._made, self._bench = f"Hopscribe, {kind}", made, bench
        world = made.world(
            "build", f"hits={hits}", f"assignments={self.wanted}", f"workers={people}", f"file={file}", "seconds=30"
        )
        self.sessions, self.batch, self.port = world["sessions"], world["batch"], made.port
        self._workers = world["workers"]

    def start(self) -> int:
        return self._made.start_web()

    def stop(self) -> None:
        self._made.stop_web_gracefully().wait(TO_STOP)

    def stored(self) -> Iterator[tuple[str, str]]:
        asked = "import django; django.setup(); from annotation.models import WorkerResponse; import json; "
        asked += "rows = WorkerResponse.objects.values_list('assignment__worker_id', 'answer'); "
        asked += "print(json.dumps([list(row) for row in rows]))"
        for worker, answer in json.loads(self._made.run(["-c", asked])):
            yield self.sessions[self._workers.index(worker)], answer["text"].split()[1]


def in_peers_way(record: dict[str, Any]) -> str:
    """A record as HTML: question and paragraphs, without anything that a tool would add."""
    parts = "".join(f"<p><b>{p['title']}</b> {p['text']}</p>\n" for p in record["paragraphs"])
    return f"<p><b>{record['question']}</b></p>\n{parts}"
