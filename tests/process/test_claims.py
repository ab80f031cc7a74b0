"""The verbs hammered from several processes, two of them tabs of one worker; and proof that the hammer sees faults."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.process.broken import CLAIMS
from tests.process.installation import ROOT, Installation

PROCESSES = 8
HELD_SECONDS = 2.0  # a HIT is held so long for a tab that was killed


def hammer(
    installation: Installation, folder: Path, *, hits: int, each: int, workers: int, claim: str = ""
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Let the processes work until nothing is left; returns what each reported, and the audit."""
    world = installation.world("build", f"hits={hits}", f"assignments={each}", f"workers={workers}")
    running, python = [], installation.preloaded_python()
    for number in range(PROCESSES):
        tabs = world["workers"][number // 2 :: PROCESSES // 2]  # two processes share their workers
        plan = folder / f"claimer-{number}.json"
        plan.write_text(json.dumps({"workers": tabs, "claim": claim, "held_seconds": HELD_SECONDS}))
        command = [python, "-m", "tests.process.claimers", str(plan)]
        running.append(
            subprocess.Popen(
                command, cwd=ROOT, env=installation.environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    result = [json.loads(process.communicate(timeout=3_000)[0]) for process in running]
    return result, installation.world("audit")


def assert_all_is_well(result: list[dict[str, Any]], found: dict[str, Any], *, hits: int, each: int) -> None:
    assert not {
        name: found[name] for name in ("over", "drift", "twice", "two_at_once", "participations") if found[name]
    }
    assert found["finished"] == {str(each): hits}
    stored = {(public_id, key): text for public_id, key, text, _ in found["answers"]}
    acked = {(public_id, key): text for report in result for public_id, key, text in report["acks"]}
    assert stored == acked
    assert len(acked) == hits * each
    assert not [name for report in result for name in report["told"] if name.startswith("locked")]
    for happened in ("held", "closed", "killed", "open"):
        assert sum(report["told"].get(happened, 0) for report in result)
    assert found["held"] == 0


def test_eight_processes_with_shared_workers_allocate_exactly(
    installation: Installation, tmp_path: Path, database: str
) -> None:
    result, found = hammer(installation, tmp_path, hits=120, each=5, workers=16)
    assert_all_is_well(result, found, hits=120, each=5)
    if database.startswith("postgres"):  # SQLite lets one process finish what it does before the next may write
        assert sum(report["told"].get("conflicts", 0) for report in result), "the tabs never met"


@pytest.mark.soak
def test_a_hundred_thousand_claims_allocate_exactly(installation: Installation, tmp_path: Path) -> None:
    result, found = hammer(installation, tmp_path, hits=2_000, each=50, workers=64)
    assert_all_is_well(result, found, hits=2_000, each=50)


@pytest.mark.soak
@pytest.mark.parametrize("claim", sorted(CLAIMS))
def test_a_broken_claim_is_reported(installation: Installation, tmp_path: Path, database: str, claim: str) -> None:
    _told, found = hammer(installation, tmp_path, hits=60, each=3, workers=16, claim=claim)
    right_there = database.startswith("sqlite") and claim != "count_then_insert"  # a transaction lets nobody between
    assert bool(found["over"]) != right_there
    assert found["drift"]
