"""A real installation for the browser: gunicorn on its own database, and a process that reads and writes it."""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.process.installation import ROOT, Installation

LONGEST = 60  # seconds in which the process beside the server has answered


class Site:
    """`url` is its address. `ask` has a verb of tests/browser/server_side.py done."""

    def __init__(self, folder: Path, *, static: Path, migrated: Path) -> None:
        var, file = folder / "var", folder / "hopscribe.sqlite3"
        var.mkdir()
        shutil.copyfile(migrated, file)
        self.installation = Installation(var, f"sqlite:///{file}", static=static, ready=True)
        self.url = f"http://127.0.0.1:{self.installation.port}"
        self._process = self._employ()
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

    def ask(self, verb: str, **given: Any) -> Any:
        """What the verb returns. Raises AssertionError with the traceback of the process beside it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"verb": verb, "given": given}) + "\n")
        self._process.stdin.flush()
        there, _, _ = select.select([self._process.stdout], [], [], LONGEST)
        line = self._process.stdout.readline() if there else ""
        if not line:
            how = "ended" if there else f"said nothing about {verb}"
            raise AssertionError(f"the process beside the server {how}:\n{self.installation.log('server_side.log')}")
        result = json.loads(line)
        if "problem" in result:
            raise AssertionError(result["problem"])
        return result["found"]

    def batch(self, kind: str = "demo", *, options: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
        return dict(self.ask("batch", kind=kind, options=options or {}, **settings))

    def close(self) -> None:
        try:
            self._process.communicate(timeout=LONGEST)
        finally:
            self._process.kill()
            self.installation.close()
