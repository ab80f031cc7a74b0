"""A SQLite database that another process holds: a command says so and by whom, and does nothing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.process.installation import ROOT, Installation


def test_a_database_that_is_held_is_said_to_be_busy(on_sqlite: str, static: Path, tmp_path: Path) -> None:
    installation = Installation(tmp_path, on_sqlite, static=static, ready=True)
    with closing(sqlite3.connect(on_sqlite.removeprefix("sqlite:///"), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        command = [sys.executable, "manage.py", "create_account", "mara"]
        ended = subprocess.run(command, cwd=ROOT, env=installation.environment, capture_output=True, text=True)
        holder.execute("ROLLBACK")
        assert holder.execute("SELECT count(*) FROM annotation_user").fetchone() == (0,)
    assert ended.returncode == 1
    assert "The database is busy" in ended.stderr
    assert f"process {os.getpid()} (" in ended.stderr
    assert "Try again" in ended.stderr
    assert "migrate" not in ended.stderr
    assert "Traceback" not in ended.stderr
