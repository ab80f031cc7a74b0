"""What migrations leave in the database besides tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def test_a_migrated_database_has_its_triggers(migrated: Path) -> None:
    """Making a table anew, as migrations do on SQLite, takes its triggers away."""
    with closing(sqlite3.connect(migrated)) as connection:
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert found == {
        "log_only_added",
        "log_stays",
        "ledger_only_added",
        "ledger_keeps_notes",
        "ledger_stays",
        "answers_only_added",
    }
