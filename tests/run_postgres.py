"""A throw-away PostgreSQL for tests: `python -m tests.run_postgres -- pytest tests/flow`.

The cluster lives in a temporary folder, listens on a Unix socket only, keeps fsync on, and is gone afterwards.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from tests.waiting import until

USER = "hopscribe"
PORT = 5432  # names the socket's file; nothing listens on TCP
MISSING = "PostgreSQL's programs (initdb, postgres) were not found, so nothing ran on PostgreSQL"
SECONDS_TO_START = 60


def binaries() -> Path | None:
    """The newest folder that has both initdb and postgres; None without one."""
    asked = shutil.which("pg_config")
    result = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False).stdout if asked else ""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    on_path = shutil.which("initdb")
    places = [*debian, *([Path(result.strip())] if result.strip() else [])]
    places += [Path(on_path).resolve().parent] if on_path else []
    return next((p for p in places if (p / "initdb").exists() and (p / "postgres").exists()), None)


def _version(folder: Path) -> int:
    name = folder.parent.name
    return int(name) if name.isdigit() else 0


def _somebody() -> dict[str, object]:
    """Popen's arguments for a user that PostgreSQL accepts: it refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres") or known["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


class Cluster:
    """A database server of our own. `url(name)` is a DATABASE_URL; `kill()` and `start()` are for fault tests."""

    def __init__(self, bin: Path, folder: Path, like: Path | None = None) -> None:
        self._bin, self._folder, self._as = bin, folder, _somebody()
        self._server: subprocess.Popen[bytes] | None = None
        if "user" in self._as:
            os.chown(folder, self._as["user"], self._as["group"])  # type: ignore[arg-type]
        if like:
            copy(like, folder / "data")
            return
        made = [bin / "initdb", "-D", folder / "data", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "-N"]
        subprocess.run(made, check=True, capture_output=True, cwd=folder, **self._as)

    def start(self) -> None:
        settings = ["listen_addresses=", f"unix_socket_directories={self._folder}", "fsync=on", "max_connections=120"]
        command: list[object] = [self._bin / "postgres", "-D", self._folder / "data", "-p", str(PORT)]
        for setting in settings:
            command += ["-c", setting]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **self._as)
        self._wait()

    @property
    def data(self) -> Path:
        """Everything that is in it, once it is stopped."""
        return self._folder / "data"

    @property
    def pid(self) -> int:
        """The process whose children are the back ends."""
        assert self._server is not None
        return self._server.pid

    def _wait(self) -> None:
        until(self._answers, within=SECONDS_TO_START, said=self._log)

    def _log(self) -> str:
        return (self._folder / "log").read_text()[-2000:]

    def _answers(self) -> bool:
        assert self._server is not None
        assert self._server.poll() is None, self._log()
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Fast shutdown; SIGQUIT is an immediate one, after which the next start recovers."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(60)
            self._server = None

    def url(self, database: str) -> str:
        return f"postgres://{USER}@{quote(str(self._folder), safe='')}:{PORT}/{database}"

    def create(self, database: str, *, like: str = "template1") -> str:
        """A new database with what is in the one that it is to be like, as a rule nothing; returns its URL."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{database}" TEMPLATE "{like}"')  # type: ignore[call-overload]
        return self.url(database)


def copy(data: Path, to: Path) -> None:
    """Copy the data of a cluster that is stopped, with its owner."""
    subprocess.run(["cp", "-a", data, to], check=True)


@contextmanager
def cluster(like: Path | None = None) -> Iterator[Cluster | None]:
    """A running cluster, as a rule new, removed afterwards; None where PostgreSQL is not installed.

    `like` is the data of another one to begin with.
    """
    bin = binaries()
    if bin is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="hopscribe-pg-"))
    made = Cluster(bin, folder, like)
    try:
        made.start()
        yield made
    finally:
        made.stop(signal.SIGQUIT)  # what is thrown away needs no checkpoint, which takes minutes on a busy disk
        shutil.rmtree(folder, ignore_errors=True)


def main(command: list[str]) -> int:
    """Run a command with DATABASE_URL naming a database of a new cluster; returns its exit status."""
    with cluster() as running:
        if running is None:
            print(f"SKIPPED [1] {MISSING}")
            print("0 passed, 0 failed, 1 skipped")
            return 0
        environment = os.environ | {"DATABASE_URL": running.create("hopscribe")}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(main(arguments[1:] if arguments[:1] == ["--"] else arguments))
