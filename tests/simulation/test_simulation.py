"""Histories that a seed decides: all holds in them, the seed gives the same again, planted faults are found."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection

from tests.long_forms import first

ROOT = Path(__file__).parent.parent.parent
PLANTED = {  # and what does not hold then
    "claim without guard": r"over: |Traceback(?s:.*)(?i:check constraint).*hit_not_overallocated",
    "submit without key": r"assignment \d+ has \d+ responses of \d+ forms",
    "payment without fence": r"bonus .* was paid there \d+ times",
    "bonus called again": r"visit \d+ has bonuses of ",
    "prefetched HIT not released": r"HIT \d+ is held ",
    "leases passed over": r"assignment \d+ has a lease until ",
    "webhook before commit": r"webhook \S+ was sent, but never happened",
    "own clock in a comparison": r"assignment \d+ (?:expired at .* before the end of its lease|has a lease until) ",
    "paused job's work taken": r"job \d+ ended as .* and again as |job \d+ went from ",
    "entry without balances": r"ledger: ",
    "restore that is not atomic": r"a restore that ",
}

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="the scheduler knows the locks of SQLite only")


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.simulation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def check_that_it_is_found(fault: str, play: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """A planted fault within 100,000 steps; `play`: as `simulate`."""
    for seed in range(1, 6):
        done = play("--seed", str(seed), "--steps", "20000", "--long", "--plant", fault)
        if done.returncode:
            break
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr[-2000:]
    assert re.search(rf"^WRONG: (?:{PLANTED[fault]})", done.stdout, re.MULTILINE), done.stdout[-2000:]


@pytest.mark.parametrize("steps", first(1, ["500", "3000"]))
def test_a_seed_gives_the_same_history_again(steps: str) -> None:
    once, again = (simulate("--seed", "3", "--steps", steps) for _time in range(2))
    assert once.returncode == 0, once.stdout[-8000:] + once.stderr[-2000:]
    assert f"seed 3, {steps} steps" in once.stdout
    assert once.stdout == again.stdout


def test_everything_holds_in_20_000_steps() -> None:
    done = simulate("--seed", "13", "--steps", "20000", "--long")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.parametrize(("trials", "share"), first(1, [("8", 1.0), ("60", 0.8)]))
def test_a_history_that_fails_is_shortened_and_told(trials: str, share: float) -> None:
    done = simulate("--seed", "2", "--steps", "2000", "--plant", "webhook before commit", "--trials", trials)
    assert "WRONG" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    _before, _, told = done.stdout.partition("that fails, of ")
    _told, _, failed = told.partition("\nafter ")
    assert int(told.split(" ", 1)[0]) < share * int(failed.split(" ", 1)[0])
    assert "WRONG in it: webhook" in told


@pytest.mark.soak
@pytest.mark.parametrize("seed", [str(seed) for seed in range(1, 51)])
def test_everything_holds_in_long_histories(seed: str) -> None:
    done = simulate("--seed", seed, "--steps", "20000", "--long")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.soak
def test_every_move_and_every_fault_is_met() -> None:
    never: set[str] | None = None
    for seed in range(1, 21):
        done = simulate("--seed", str(seed), "--steps", "20000", "--long")
        said = next(line for line in done.stdout.splitlines() if line.startswith("never met: "))
        left = set(said.removeprefix("never met: ").split(", ")) - {"nothing"}
        never = left if never is None else never & left
        if not never:
            break
    assert not never


@pytest.mark.soak
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_within_100_000_steps(fault: str) -> None:
    check_that_it_is_found(fault, simulate)
