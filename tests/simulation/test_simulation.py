"""Histories that a seed decides: all holds in them, the seed gives the same again, planted faults are found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

ROOT = Path(__file__).parent.parent.parent
FOUND = {  # {fault: (seed, steps) of a history that finds it}
    "claim without guard": (7, 6000),
    "submit without key": (7, 6000),
    "payment without fence": (7, 12000),
    "prefetched HIT not released": (7, 20000),
    "webhook before commit": (7, 6000),
    "own clock in a comparison": (7, 20000),
    "entry without balances": (7, 6000),
}

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="the scheduler knows the locks of SQLite only")


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.simulation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def test_everything_holds_in_a_history_and_its_seed_gives_it_again() -> None:
    first, again = (simulate("--seed", "3", "--steps", "3000") for _time in range(2))
    assert first.returncode == 0, first.stdout[-8000:] + first.stderr[-2000:]
    assert "seed 3, 3000 steps" in first.stdout
    assert first.stdout == again.stdout


@pytest.mark.soak
@pytest.mark.parametrize("seed", [str(seed) for seed in range(1, 11)])
def test_everything_holds_in_long_histories(seed: str) -> None:
    done = simulate("--seed", seed, "--steps", "20000")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.soak
@pytest.mark.parametrize("fault", FOUND)
def test_a_planted_fault_is_found(fault: str) -> None:
    seed, steps = FOUND[fault]
    done = simulate("--seed", str(seed), "--steps", str(steps), "--plant", fault)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    assert "WRONG" in done.stdout
