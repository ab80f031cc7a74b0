"""Run the production web server on this machine for a while, for the demo and dry runs."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


class NotServed(Exception):
    """The web server did not start; `str()` says why."""


def is_free(port: int) -> bool:
    """Whether no process listens on this port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def gunicorn() -> list[str]:
    """The command of the production web server; it is to run in ROOT."""
    return [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py"]


def of_this_home() -> dict[str, str]:
    """The environment of a web server whose data and log are in HOPSCRIBE_VAR."""
    log = {"LOG_FILE": str(settings.VAR / "logs" / "hopscribe.log")}
    return log | os.environ | {"HOPSCRIBE_VAR": str(settings.VAR)}


def of_this_machine(port: int) -> dict[str, str]:
    """The environment of a web server that only this machine reaches, on this port."""
    return {"PUBLIC_URL": f"http://localhost:{port}"} | of_this_home() | {"BIND": f"127.0.0.1:{port}"}


class Server(subprocess.Popen):  # type: ignore[type-arg]
    """A running production web server, on this machine only."""

    def __init__(self, port: int) -> None:
        self.port = port
        super().__init__(gunicorn(), cwd=Path(settings.ROOT), env=of_this_machine(port))


@contextmanager
def served(port: int) -> Iterator[Server]:
    """Start a server and stop it at the end. Raises NotServed if it does not answer."""
    server = Server(port)
    try:
        for _ in range(150):
            if answers(port):
                break
            if server.poll() is not None:
                raise NotServed("The web server did not start; its message is above.")
            time.sleep(0.2)
        else:
            raise NotServed("The web server did not answer within 30 seconds.")
        yield server
    finally:
        server.terminate()
        server.wait()


def answers(port: int) -> bool:
    """Whether /healthz says 200."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False
