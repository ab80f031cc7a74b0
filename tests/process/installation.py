"""A real installation for fault tests: its own folder and database, a real web server, real jobs workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.process import preloaded
from tests.waiting import until

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(sys.executable).parent
SECONDS_TO_START = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Installation:
    """`var` is its folder; `url` its DATABASE_URL, migrated where `ready`. Close it to end whatever it started."""

    def __init__(self, var: Path, url: str, *, static: Path, broker: str = "", ready: bool = False) -> None:
        self.var, self.port = var, free_port()
        (var / "static").symlink_to(static)
        plain = {k: v for k, v in os.environ.items() if k not in {"ALLOWED_HOSTS", "HTTPS", "SECRET_KEY"}}
        ours = {"HOPSCRIBE_VAR": str(var), "DATABASE_URL": url, "CELERY_BROKER_URL": broker}
        quiet = {"PYTHONWARNINGS": "ignore", "DJANGO_SETTINGS_MODULE": "annotation.settings"}
        self.environment = {**plain, **ours, **quiet, "PORT": str(self.port)}
        self._started: list[subprocess.Popen[bytes]] = []
        self._web: subprocess.Popen[bytes] | None = None
        self._python, self._runs = sys.executable, 0
        if not ready:
            self.manage("migrate", "--verbosity", "0")

    def manage(self, *arguments: str) -> str:
        return self.run(["manage.py", *arguments])

    def world(self, *arguments: str) -> Any:
        """Run a verb of tests/process/world.py on this installation's database; returns the JSON that it prints."""
        return json.loads(self.run(["-m", "tests.process.world", *arguments]))

    def run(self, arguments: list[str]) -> str:
        """What Python prints with these arguments, from the second time on in a child of a preloaded process."""
        self._runs += 1
        if self._runs == 2:
            self.preloaded_python()
        command = [self._python, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-4000:]}")
        return done.stdout

    def put_python(self, bin: Path) -> None:
        """Fill `bin` with what lies beside our Python, and a `python` whose commands the preloaded process runs."""
        self._python = str(preloaded.install(bin, self.var / "preloaded"))

    def preload(self) -> None:
        """Start the process that has loaded Django, in whose children commands run from now on."""
        place, self._runs = self.var / "preloaded", 2
        process = self.spawn([sys.executable, "-m", "tests.process.preloaded", str(place)], log="preloaded.log")
        said = partial(self.log, "preloaded.log")
        until(lambda: place.exists() or process.poll() is not None, within=SECONDS_TO_START, said=said)
        assert process.poll() is None, said()

    def preloaded_python(self) -> str:
        """The Python whose commands are children of a preloaded process: for many that start at once."""
        self.put_python(self.var / "bin")
        self.preload()
        return self._python

    def spawn(self, command: list[str], *, log: str, more: Mapping[str, str] = {}) -> subprocess.Popen[bytes]:
        """Start a process in a group of its own, so that `kill` gets its children too."""
        with (self.var / log).open("ab") as out:
            process = subprocess.Popen(
                command, cwd=ROOT, env={**self.environment, **more}, stdout=out, stderr=out, start_new_session=True
            )
        self._started.append(process)
        return process

    def start_web(self, *, workers: int = 2) -> int:
        """Start gunicorn as in production and wait until it is ready; its pid, which is that of its process group."""
        command = [str(BIN / "gunicorn"), "-c", "deploy/gunicorn.conf.py"]
        self._web = self.spawn(command, log="web.log", more={"WEB_WORKERS": str(workers)})
        web, said = self._web, partial(self.log, "web.log")
        until(lambda: self.is_ready() or web.poll() is not None, within=SECONDS_TO_START, said=said)
        assert web.poll() is None, f"the web server did not start:\n{said()}"
        return web.pid

    def stop_web_gracefully(self) -> subprocess.Popen[bytes]:
        """Ask the web server to finish what is under way and to end; its process, to wait for."""
        assert self._web is not None
        self._web.terminate()
        return self._web

    def is_ready(self) -> bool:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def kill_web(self) -> None:
        """SIGKILL for the server and all its workers at once."""
        assert self._web is not None
        kill(self._web)

    def log(self, name: str) -> str:
        return (self.var / name).read_text(errors="replace")[-4000:]

    def close(self) -> None:
        for process in self._started:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL for a process and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)
