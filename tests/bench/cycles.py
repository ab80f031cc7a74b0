"""Server CPU of an item over HTTP against a floor that decides nothing.

An item is what its page sends: a response, and the drafts of people who need so many seconds (`tests.bench.drafts`),
who never pause here. The floor gets the same, behind Django's own middleware for sessions, users and compression.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.bench import records
from tests.bench.bench import Bench, Result
from tests.process.annotators import PATIENCE
from tests.process.installation import Installation
from tests.run_postgres import Cluster

PEOPLE, PROCESSES, HITS = 32, 2, 10_000
SECONDS, WARM, TURNS = 20, 3, 2  # some fifty items a person, as in a sitting
SITES = {"item": "annotation.settings", "floor": "tests.bench.settings"}
CLIENTS = {"item": "tests.bench.pages", "floor": "tests.bench.clients"}
PACES, COUNTS = (5, 30, 120), 30  # seconds that people need for an item; of which the goal is
GOALS = {"SQLite": 2.0, "PostgreSQL": 2.3}
TICKS = os.sysconf("SC_CLK_TCK")


def cycles(bench: Bench) -> Iterator[Result]:
    """The product and the floor, in turns on one database, each as a site of its own; back ends are counted."""
    file = records.write_twenty_paragraphs(bench.folder / "twenty.jsonl", HITS)
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            people = f"workers={PEOPLE}", "seconds=30"
            world = made.world("build", f"hits={HITS}", "assignments=3", *people, f"file={file}")
            made.run(["-m", "tests.bench.inside", "floor_table"])
            ratios = {pace: _ratio(made, bench, world | {"pace": pace}, kind) for pace in PACES}
        what = f"server CPU of an item against the floor, {PEOPLE} workers, {COUNTS} s an item, {kind}"
        yield Result(what, ratios[COUNTS], GOALS[kind])


def _ratio(made: Installation, bench: Bench, world: dict[str, Any], kind: str) -> float:
    turns = [(site, _turn(made, bench, world, site)) for _ in range(TURNS) for site in SITES]
    cpu = {name: min(found[0] for site, found in turns if site == name) for name in SITES}
    rate = {name: max(found[1] for site, found in turns if site == name) for name in SITES}
    for site in SITES:
        print(f"       {kind}, {world['pace']} s, {site}: {cpu[site]:.1f} ms of CPU, {rate[site]:.0f} a second")
    print(f"       {kind}, {world['pace']} s an item: {(ratio := cpu['item'] / cpu['floor']):.2f} times the floor")
    return ratio


def _turn(made: Installation, bench: Bench, world: dict[str, Any], site: str) -> tuple[float, float]:
    """Milliseconds of CPU of an item, and items a second."""
    made.environment["DJANGO_SETTINGS_MODULE"] = SITES[site]
    web = made.start_web()
    try:
        crew(made, bench.folder, world, CLIENTS[site], seconds=WARM)
        before = spent(web, bench)
        times = crew(made, bench.folder, world, CLIENTS[site], seconds=SECONDS)
        return 1000 * (spent(web, bench) - before) / len(times), rate_of(times)
    finally:
        made.kill_web()


def rate_of(times: list[float]) -> float:
    """Items a second."""
    return (len(times) - 1) / (times[-1] - times[0])


def spent(web: int, bench: Bench) -> float:
    """Seconds of CPU so far of the web server's processes and of the database's."""
    return sum(seconds for _, seconds in served_by(web, bench.cluster))


def served_by(web: int, cluster: Cluster | None) -> Iterator[tuple[int, float]]:
    """(pid, seconds of CPU so far) of each process of a web server's group, and of the database's."""
    for group, parent, pid, seconds in _processes():
        if group == web or (cluster is not None and cluster.pid in (parent, pid)):
            yield pid, seconds


def _processes() -> Iterator[tuple[int, int, int, float]]:
    """(group, parent, pid, seconds of CPU with children that ended) of each process."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it ended just now
            continue
        yield int(fields[2]), int(fields[1]), int(file.parent.name), sum(map(int, fields[11:15])) / TICKS


def crew(made: Installation, folder: Path, world: dict[str, Any], clients: str, *, seconds: int) -> list[float]:
    """When each item was done, by the clock, sorted."""
    outs, running = [], []
    for part in range(PROCESSES):
        plan, out = folder / f"{uuid4().hex}.json", folder / f"{uuid4().hex}.jsonl"
        result = {"port": made.port, "batch": world["batch"], "sessions": world["sessions"][part::PROCESSES]}
        result |= {"pace": world["pace"]} if "pace" in world else {}
        plan.write_text(json.dumps(result | {"seconds": seconds}))
        running.append(made.spawn([sys.executable, "-m", clients, str(plan), str(out)], log="clients.log"))
        outs.append(out)
    for process in running:
        assert process.wait(seconds + PATIENCE + 10) == 0, made.log("clients.log") + made.log("web.log")
    lines = [json.loads(line) for out in outs for line in out.read_text().splitlines()]
    assert not [line for line in lines if "unexpected" in line or "conflict" in line], lines[:3]
    return sorted(line["at"] for line in lines if "at" in line)
