"""Many annotators at once over HTTP, on each database, and the server killed under them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.process.installation import Installation
from tests.waiting import until

PEOPLE, PROCESSES, HITS, EACH = 64, 4, 120, 3


class Load:
    """Annotators in several processes; `acks` are the submissions that the server acknowledged to them."""

    def __init__(self, installation: Installation, folder: Path, *, hits: int = HITS, each: int = EACH) -> None:
        self.installation, self.folder = installation, folder
        self.world = installation.world("build", f"hits={hits}", f"assignments={each}", f"workers={PEOPLE}")
        self._clients: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        for part in range(PROCESSES):
            sessions = self.world["sessions"][part::PROCESSES]
            plan = {"port": self.installation.port, "batch": self.world["batch"], "sessions": sessions}
            (self.folder / f"plan-{part}.json").write_text(json.dumps(plan))
            names = [str(self.folder / f"plan-{part}.json"), str(self.folder / f"out-{part}.jsonl")]
            command = [sys.executable, "-m", "tests.process.annotators", *names]
            self._clients.append(self.installation.spawn(command, log=f"clients-{part}.log"))

    def lines(self) -> list[dict[str, Any]]:
        found = []
        for out in self.folder.glob("out-*.jsonl"):
            found += [json.loads(line) for line in out.read_text().splitlines() if line.endswith("}")]
        return found

    def acks(self) -> list[dict[str, Any]]:
        return [line for line in self.lines() if "key" in line]

    def wait_for(self, acks: int) -> None:
        until(lambda: len(self.acks()) >= acks, within=120, said=lambda: f"only {len(self.acks())} were submitted")

    def finish(self, seconds: float) -> None:
        for client in self._clients:
            client.wait(seconds)
        wrong = [line for line in self.lines() if {"unexpected", "failure", "conflict"} & line.keys()]
        assert not wrong, wrong[:3]


def assert_all_is_well(load: Load, *, hits: int = HITS, each: int = EACH) -> None:
    """Exactly `each` answers a HIT, nobody twice, every acknowledged submission stored once and as it was sent."""
    found = load.installation.world("audit")
    broken = {name: found[name] for name in ("over", "drift", "twice", "two_at_once", "participations") if found[name]}
    assert not broken
    assert found["finished"] == {str(each): hits}
    assert not found["half_written"]
    stored = {(public_id, key): text for public_id, key, text, _ in found["answers"]}
    assert len(stored) == len(found["answers"]) == hits * each
    assert all(revision == 1 for *_, revision in found["answers"])
    acked = {(ack["assignment"], ack["key"]): ack["text"] for ack in load.acks()}
    assert len(acked) == len(load.acks()), "an assignment was acknowledged to two forms"
    assert {pair: stored.get(pair) for pair in acked} == acked
    again = [status for line in load.lines() for status in line.get("again", [])]
    assert again == [303] * PEOPLE, "a form that was sent twice was not taken as one"


def test_64_annotators_give_each_hit_exactly_three_answers(installation: Installation, tmp_path: Path) -> None:
    load = Load(installation, tmp_path)
    installation.start_web()
    load.start()
    load.finish(150)
    assert len(load.acks()) == HITS * EACH
    assert_all_is_well(load)


def test_a_server_killed_under_load_loses_and_doubles_nothing(installation: Installation, tmp_path: Path) -> None:
    load = Load(installation, tmp_path)
    installation.start_web()
    load.start()
    for acks in (60, 180):
        load.wait_for(acks)
        installation.kill_web()
        installation.start_web()
    load.finish(150)
    assert any(line.get("counts", {}).get("broken") for line in load.lines()), "the kills hit nobody"
    assert_all_is_well(load)


@pytest.mark.soak
def test_a_server_killed_thirty_times_loses_and_doubles_nothing(installation: Installation, tmp_path: Path) -> None:
    hits = 2_000
    load = Load(installation, tmp_path, hits=hits)
    installation.start_web()
    load.start()
    for kill in range(1, 31):
        load.wait_for(kill * hits * EACH // 33)
        installation.kill_web()
        installation.start_web()
    load.finish(600)
    assert_all_is_well(load, hits=hits)
