"""A study on an emulated Prolific with participants, faults and kills: paid once, nothing lost, the books agree."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from prolific_emulator import participants
from prolific_emulator.faults import Faults
from prolific_emulator.participants import Stay
from prolific_emulator.server import Emulator
from prolific_emulator.world import APPROVED, World

from tests.process.installation import Installation, kill
from tests.waiting import until

HABITS = ["diligent", "diligent", "returns", "diligent", "gives up", "diligent", "forgets the code", "diligent"]
HABITS += ["wrong code", "late", "no show"]
AT_ONCE = 3


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    with Emulator(World(seed=1), Faults(seed=1)) as opened:
        yield opened


class Lab:
    """An installation with its study, whose servers are killed now and then while participants come."""

    def __init__(
        self, installation: Installation, emulator: Emulator, *, hits: int, seed: int = 1, pause: float = 0.1
    ) -> None:
        self.installation, self.emulator, self.rng, self.pause = installation, emulator, Random(seed), pause
        self.stays: list[Stay] = []
        self.kills = 0
        installation.environment["PUBLIC_URL"] = f"http://127.0.0.1:{installation.port}"
        where = [f"url={emulator.url}", f"workspace={emulator.world.workspace}"]
        self.world("open_study", *where, f"hits={hits}", "each=2", "per_visit=3")
        installation.start_web()
        self.start_worker()
        self._wait(lambda: bool(self.study and self.study["status"] == "ACTIVE"))

    def world(self, *arguments: str) -> Any:
        return json.loads(self.installation.run(["-m", "tests.process.panel_world", *arguments]))

    def start_worker(self) -> None:
        command = [sys.executable, "-m", "tests.process.panel_worker", str(self.rng.randrange(10**6)), str(self.pause)]
        self.worker = self.installation.spawn(command, log="panel.log")

    @property
    def study(self) -> dict[str, Any]:
        with self.emulator.world.lock:
            return next(iter(self.emulator.world.studies.values()), {})

    def _wait(self, met: Callable[[], bool], seconds: float = 60) -> None:
        until(met, within=seconds, said=lambda: self.installation.log("panel.log"))

    def come(self, number: int, habits: list[str]) -> threading.Thread:
        """Let participants come in the background."""

        def crowd() -> None:
            self.stays += participants.crowd(self.emulator.world, self.study["id"], number, habits=habits)

        thread = threading.Thread(target=crowd, daemon=True)
        thread.start()
        return thread

    @property
    def faults(self) -> int:
        seen = self.emulator.faults.seen
        return seen.total() - seen["fine"]

    def kill_something(self) -> None:
        self.kills += 1
        if self.rng.random() < 0.7:
            kill(self.worker)
            self.start_worker()
        else:
            self.installation.kill_web()
            self.installation.start_web()

    def pass_time(self) -> None:
        """What was left alone times out, and what was not listed becomes unclear."""
        self.emulator.world.turn(timedelta(hours=25))
        self.world("pass_time", "hours=25")

    def finish(self) -> dict[str, Any]:
        """Without faults: more participants until nothing lacks, then until everything is paid."""
        self.emulator.faults.share = self.emulator.faults.hooks = 0.0
        for _round in range(12):
            self.pass_time()
            time.sleep(2.0)  # the emulator approves and pays a second after it was asked
            lacking = self.world("more_places")["lacking"]
            if lacking:
                self._wait(lambda: self.study["status"] == "ACTIVE", 20)
                self.come(-(-lacking // 3) + 1, ["diligent"]).join(120)
            found: dict[str, Any] = self.world("audit")
            settled = set(found["payments"]) <= {"paid"} and not found["in_flight"] and not found["unsent"]
            if settled and not found["lacking"] and not found["differences"]:
                return found
        return found


def assert_books_agree(lab: Lab, found: dict[str, Any]) -> None:
    world = lab.emulator.world
    assert found["differences"] == []
    assert found["lacking"] == []
    assert found["live"] == []
    assert found["ledger"] == []
    assert found["due"] == []
    assert set(found["payments"]) == {"paid"}
    owed: dict[str, Decimal] = defaultdict(Decimal)
    for visit, amount in found["bonuses"]:
        owed[visit] += Decimal(amount)
    paid = {one.id: Decimal(sum(one.bonuses)) / 100 for one in world.submissions.values() if one.bonuses}
    assert paid == owed
    approved = {one.id for one in world.submissions.values() if one.status == APPROVED}
    assert set(found["rewarded"]) == approved
    assert all(world.submissions[name].approvals == 1 for name in approved)
    told = {url.rstrip("/").split("/")[-2] for stay in lab.stays for url in stay.accepted if url.endswith("/submit/")}
    assert told <= set(found["submitted"])


def run(lab: Lab, *, number: int, kills: int, share: float, least: int = 0) -> dict[str, Any]:
    """Participants come while requests fail and processes are killed; the books as they are at the end.

    Requests go on failing until there were so many kills and at `least` so many faults.
    """
    world, faults = lab.emulator.world, lab.emulator.faults
    faults.share = faults.hooks = share
    world.approval_delay = world.bonus_delay = timedelta(seconds=1)
    crowd = lab.come(number, HABITS)
    end = time.monotonic() + 600
    while crowd.is_alive() or lab.kills < kills or lab.faults < least:
        assert time.monotonic() < end, faults.seen
        time.sleep(lab.rng.uniform(1, 3))  # work of a length by chance, in which something is killed
        if lab.kills < kills:
            lab.kill_something()
        if lab.rng.random() < 0.2:
            lab.pass_time()
    return lab.finish()


@pytest.mark.soak
def test_participants_faults_and_kills_leave_the_books_in_order(
    installation: Installation, emulator: Emulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participants, "AT_ONCE", AT_ONCE)
    lab = Lab(installation, emulator, hits=6, pause=0.4)  # rounds cost more than they find
    found = run(lab, number=len(HABITS), kills=3, share=0.1)
    assert_books_agree(lab, found)
    assert emulator.faults.seen.total() > emulator.faults.seen["fine"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_two_thousand_faults_leave_the_books_in_order(
    installation: Installation, emulator: Emulator, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """500 faults a seed; publisher, payer and web server are killed at random."""
    monkeypatch.setattr(participants, "AT_ONCE", AT_ONCE)
    lab = Lab(installation, emulator, hits=60, seed=seed)
    found = run(lab, number=90, kills=25, share=0.5, least=500)
    assert_books_agree(lab, found)
    assert lab.faults >= 500
