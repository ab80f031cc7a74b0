"""The publisher and the payer are killed again and again while the network fails: nothing twice, nothing missing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.marketplaces.fake_mturk import FakeMTurk
from tests.marketplaces.faulty_network import FaultyNetwork
from tests.process.installation import Installation

KEPT = {"memory": 3600.0, "lag": 0.0, "lease": 1.0, "rest": 0.1}  # the marketplace remembers tokens
LOOKING = KEPT | {"memory": 0.5}  # it may have forgotten them by now: look before sending again
TRUSTING = KEPT  # the same belief where it is wrong


class Errands:
    """A process of tests/process/errands.py, asked line by line."""

    def __init__(self, installation: Installation) -> None:
        command = [sys.executable, "-m", "tests.process.errands"]
        self._process = subprocess.Popen(
            command, env=installation.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, verb: str, **plan: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"verb": verb, **plan}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"{verb} ended with {self._process.wait(10)}"
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def errands(install: Callable[..., Installation]) -> Iterator[Errands]:
    opened = Errands(install())
    yield opened
    opened.close()


def live(
    errands: Errands, elsewhere: FakeMTurk, patience: dict[str, float], *, size: int, kills: int, life: float
) -> int:
    """The whole of it: launch, publish, let one worker do each HIT, approve and pay; returns how many died.

    `life`: seconds after which a run is killed at the latest.
    """
    with FaultyNetwork(elsewhere.port, share=0.2, seed=7) as network:
        errands.ask("launch", hits=size, url=network.url, key_id="AKIATEST", secret="a test's own secret")
        how = {"kills": kills, "patience": patience, "longest_life": life, "seed": 3}
        sent = errands.ask("publish", **how)
        assert sent["publications"] == {"published": size}
        errands.ask("owe", done=_work(elsewhere))
        paid = errands.ask("pay", **how)
        assert paid["payments"] == {"paid": 2 * size}
        assert network.seen["cut before"]
        assert network.seen["cut after"]
    return int(sent["came"] + paid["came"])


def _work(elsewhere: FakeMTurk) -> list[tuple[str, str, str]]:
    return [(hit, elsewhere.submit(hit, f"WORKER{k}"), f"WORKER{k}") for k, hit in enumerate(elsewhere.hits)]


def doubled(elsewhere: FakeMTurk) -> tuple[int, int]:
    """How many HITs and how many bonuses are there beyond the one that was wanted."""
    hits = Counter(hit["RequesterAnnotation"] for hit in elsewhere.hits.values())
    bonuses = Counter(bonus["AssignmentId"] for bonus in elsewhere.bonuses)
    return hits.total() - len(hits), bonuses.total() - len(bonuses)


def check(elsewhere: FakeMTurk, size: int) -> None:
    assert doubled(elsewhere) == (0, 0)
    assert (len(elsewhere.hits), len(elsewhere.bonuses)) == (size, size)
    assert {row["approvals"] for row in elsewhere.assignments.values()} == {1}


@pytest.mark.soak
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_nothing_is_doubled_or_missing(errands: Errands) -> None:
    with FakeMTurk(memory=5.0) as elsewhere:
        deaths = live(errands, elsewhere, LOOKING, size=40, kills=8, life=0.8)
        check(elsewhere, 40)
    assert deaths >= 8


@pytest.mark.soak
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_without_looking_first_there_are_doubles(errands: Errands) -> None:
    with FakeMTurk(memory=0.05) as elsewhere, FaultyNetwork(elsewhere.port, share=0.4, seed=7) as network:
        errands.ask("launch", hits=40, url=network.url, key_id="AKIATEST", secret="a test's own secret")
        errands.ask("publish", kills=4, patience=TRUSTING, longest_life=0.5, seed=3)
        assert doubled(elsewhere)[0] > 0


@pytest.mark.soak
@pytest.mark.parametrize("patience", [KEPT, LOOKING], ids=["remembered", "forgotten"])
def test_nothing_is_doubled_or_missing_in_the_long_run(errands: Errands, patience: dict[str, float]) -> None:
    with FakeMTurk(memory=5.0 if patience is LOOKING else 86_400.0) as elsewhere:
        deaths = live(errands, elsewhere, patience, size=150, kills=40, life=0.3)
        check(elsewhere, 150)
    assert deaths >= 40
