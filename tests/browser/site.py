"""A real installation for the browser: gunicorn on a database of its own, and a clerk who knows what is in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.process.installation import ROOT, Installation


class Site:
    """`url` is its address. `ask` has a verb of tests/browser/clerk.py done."""

    def __init__(self, folder: Path, *, static: Path, migrated: Path) -> None:
        var, file = folder / "var", folder / "hopscribe.sqlite3"
        var.mkdir()
        shutil.copyfile(migrated, file)
        self.installation = Installation(var, f"sqlite:///{file}", static=static, ready=True)
        self.url = f"http://127.0.0.1:{self.installation.port}"
        self._clerk = self._employ()
        self.installation.start_web()

    def _employ(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.browser.clerk"]
        with (self.installation.var / "clerk.log").open("ab") as log:
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
        """What the verb returns. Raises AssertionError with the clerk's own traceback."""
        assert self._clerk.stdin is not None
        assert self._clerk.stdout is not None
        self._clerk.stdin.write(json.dumps({"verb": verb, "given": given}) + "\n")
        self._clerk.stdin.flush()
        line = self._clerk.stdout.readline()
        if not line:
            raise AssertionError("the clerk is gone:\n" + self.installation.log("clerk.log"))
        result = json.loads(line)
        if "problem" in result:
            raise AssertionError(result["problem"])
        return result["found"]

    def batch(self, kind: str = "demo", *, options: dict[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
        return dict(self.ask("batch", kind=kind, options=options or {}, **settings))

    def close(self) -> None:
        self._clerk.communicate(timeout=30)
        self.installation.close()
