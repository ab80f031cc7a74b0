"""A real installation for the browser: gunicorn on its own database, and a process that reads and writes it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from tests.process.installation import ROOT, Installation

LONGEST = 150  # seconds in which the process beside the server has answered, also on a busy machine


class Site:
    """`url` is its address. `ask` has a verb of tests/browser/server_side.py done."""

    def __init__(self, folder: Path, *, static: Path, migrated: Path) -> None:
        var, file = folder / "var", folder / "hopscribe.sqlite3"
        var.mkdir()
        shutil.copyfile(migrated, file)
        self.installation = Installation(var, f"sqlite:///{file}", static=static, ready=True)
        self.url = f"http://127.0.0.1:{self.installation.port}"
        self.listen_to(self._employ())
        self.installation.start_web()

    def _employ(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.browser.server_side"]
        with (self.installation.var / "server_side.log").open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.installation.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def listen_to(self, process: subprocess.Popen[str]) -> None:
        """Ask this process from now on."""
        self._process, self._asked = process, 0
        self._answers: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Take the answers; None once the process has ended."""
        for line in self._process.stdout or ():
            self._answers.put(json.loads(line))
        self._answers.put(None)

    def ask(self, verb: str, **given: Any) -> Any:
        """What the verb returns. Raises AssertionError with the traceback of the process beside it."""
        assert self._process.stdin is not None
        self._asked += 1
        self._process.stdin.write(json.dumps({"number": self._asked, "verb": verb, "given": given}) + "\n")
        self._process.stdin.flush()
        result = self._answer(verb)
        while result["number"] < self._asked:  # of a test that waited no longer
            result = self._answer(verb)
        if "problem" in result:
            raise AssertionError(result["problem"])
        return result["found"]

    def _answer(self, verb: str) -> dict[str, Any]:
        how = "ended"
        try:
            if result := self._answers.get(timeout=LONGEST):
                return result
        except Empty:
            how = f"said nothing about {verb}"
        raise AssertionError(f"the process beside the server {how}:\n{self.installation.log('server_side.log')}")

    def batch(self, kind: str = "demo", *, options: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
        return dict(self.ask("batch", kind=kind, options=options or {}, **settings))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(LONGEST)
        finally:
            self._process.kill()
            self._listener.join(LONGEST)
            self._process.stdout.close()
            self.installation.close()
