"""Dump, wipe, restore, compare: a backup holds everything, and what is no whole one is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.process.installation import Installation


def test_a_restored_installation_is_the_one_that_was_backed_up(
    install: Callable[..., Installation], cluster: Any, database: str, tmp_path: Path
) -> None:
    first = install()
    first.world("build", "hits=20", "assignments=2", "workers=2")
    (first.var / "uploads").mkdir(exist_ok=True)
    (first.var / "uploads" / "notes.txt").write_text("kept")
    before, file = first.world("audit"), tmp_path / "all.tar.gz"
    first.manage("back_up", "--out", str(file))
    with pytest.raises(AssertionError, match="There is something already"):
        first.manage("restore", str(file))

    empty = tmp_path / "empty"
    empty.mkdir()
    on_sqlite = database.startswith("sqlite")
    url = f"sqlite:///{empty / 'hopscribe.sqlite3'}" if on_sqlite else cluster.create(f"hopscribe_{uuid4().hex}")
    first.environment |= {"HOPSCRIBE_VAR": str(empty), "DATABASE_URL": str(url)}
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(file.read_bytes()[:-500])
    with pytest.raises(AssertionError, match="no whole backup"):
        first.manage("restore", str(cut))
    first.manage("restore", str(file))
    assert first.world("audit") == before
    assert (empty / "uploads" / "notes.txt").read_text() == "kept"
    assert file.stat().st_mode & 0o077 == 0
