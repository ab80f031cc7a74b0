"""A rehearsal through the product's real pages, on a copy that is thrown away."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_records
from tests.process.installation import Installation


@pytest.fixture
def database(on_sqlite: str) -> str:
    """The copy is on SQLite wherever the original is, so one kind is enough."""
    return on_sqlite


def test_a_dry_run_foretells_and_leaves_no_trace(install: Callable[..., Installation], tmp_path: Path) -> None:
    installation = install()
    records = str(write_records(tmp_path / "set.jsonl", 6))
    installation.manage("import_dataset", records, "--format", "jsonl", "--name", "wells")
    batch = ("create_batch", "study", "--task", "answer", "--dataset", "wells", "--assignments", "3")
    installation.manage(*batch, "--contact", "ada@example.org", "--ethics", "board 7")
    before = installation.world("audit")
    crowd = [f"--model={one}" for one in ("skill=0.9", "spread=0", "lazy=0", "spam=0", "abandons=0.1", "hours=0")]
    result = installation.manage("dry_run", "study", "--workers", "12", "--hits", "4", *crowd, "--seed", "3", "--json")
    found: dict[str, Any] = json.loads(result)
    assert (found["answers"], found["asked"], found["wanted"], found["finished"]) == (12, 12, 18, True)
    assert 0.5 < found["quality"]["value"] <= 1
    assert [vote["count"] for vote in found["votes"]] == [1, 3, 5, 7, 9]
    assert found["refused"] == 0
    assert found["requests"] > 36, "each took at least a look, a page and a submission"
    assert installation.world("audit") == before
    assert not list(installation.var.glob("dry-run-*"))
