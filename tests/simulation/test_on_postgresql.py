"""The same histories with PostgreSQL's real connections and locks."""

from __future__ import annotations

import os
import subprocess
import sys
from uuid import uuid4

import psycopg
import pytest
from django.db import connection

from tests.simulation.test_simulation import ROOT, check_that_it_is_found

pytestmark = [
    pytest.mark.postgresql(reason="who waits for whose lock is PostgreSQL's to say"),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks the whole database, not rows"),
]


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A history on a database of its own."""
    command, server = [sys.executable, "-m", "tests.simulation", *arguments], os.environ["DATABASE_URL"]
    name = f"simulation_{uuid4().hex}"
    environment = os.environ | {"DATABASE_URL": f"{server.rpartition('/')[0]}/{name}"}
    with psycopg.connect(server, autocommit=True) as raw:
        raw.execute(f"CREATE DATABASE {name}")
        try:
            return subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=14_400, check=False
            )
        finally:
            raw.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize(
    "how", [["500"], *(pytest.param(how, marks=pytest.mark.soak) for how in (["5000"], ["5000", "--cuts"]))]
)
def test_connections_that_wait_for_each_other_decide_the_same_again(how: list[str]) -> None:
    first, again = (simulate("--seed", "4", "--steps", *how) for _time in range(2))
    assert first.returncode == 0, first.stdout[-8000:] + first.stderr[-2000:]
    assert "waits for a lock" in first.stdout
    assert first.stdout == again.stdout


@pytest.mark.soak
@pytest.mark.parametrize("seed", [str(seed) for seed in range(1, 6)])
def test_everything_holds_in_long_histories_of_real_connections(seed: str) -> None:
    done = simulate("--seed", seed, "--steps", "20000", "--long", "--cuts")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.soak
@pytest.mark.parametrize("fault", ["claim without guard", "payment without fence", "paused job's work taken"])
def test_a_planted_fault_is_found_within_100_000_steps_of_real_connections(fault: str) -> None:
    check_that_it_is_found(fault, simulate)
