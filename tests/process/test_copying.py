"""An installation moves from SQLite to PostgreSQL with every row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import run_postgres
from tests.process.installation import Installation


@pytest.fixture
def database(on_sqlite: str) -> str:
    return on_sqlite


@pytest.mark.soak
def test_every_row_moves_to_postgresql_and_work_goes_on(
    install: Callable[..., Installation], cluster: Any, tmp_path: Path
) -> None:
    if cluster is None:
        pytest.skip(run_postgres.MISSING)
    installation = install()
    world = installation.world("build", "hits=30", "assignments=2", "workers=3")
    before = installation.world("audit")
    with pytest.raises(AssertionError, match="the database in use"):
        installation.manage("copy_database", "--to", installation.environment["DATABASE_URL"])
    url = str(cluster.create(f"hopscribe_{uuid4().hex}"))
    result = json.loads(installation.manage("copy_database", "--to", url, "--json"))
    assert result["tables"]["annotation_hit"] == 30
    assert result["rows"] == sum(result["tables"].values())
    with pytest.raises(AssertionError, match="not empty"):
        installation.manage("copy_database", "--to", url)
    installation.environment["DATABASE_URL"] = url
    assert installation.world("audit") == before
    installation.manage("create_account", "new@lab.example")  # keys go on behind the copied ones
    assert len(world["workers"]) == 3
