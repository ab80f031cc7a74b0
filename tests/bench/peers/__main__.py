"""`python -m tests.bench.peers`: the same people on the same records, with peers and with ours, in turns."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

from tests import run_postgres
from tests.bench import records
from tests.bench.bench import Bench, Result, busy_by_others
from tests.bench.cycles import HITS, PEOPLE, PROCESSES, SECONDS, TURNS, WARM, served_by
from tests.bench.peers.doccano import Doccano
from tests.bench.peers.peer import Hopscribe, Peer, Tool, Unavailable
from tests.bench.peers.potato import Potato
from tests.bench.peers.turkle import Turkle
from tests.process.annotators import PATIENCE

PEERS: list[type[Peer]] = [Potato, Turkle, Doccano]
GOALS = {"SQLite": 9, "PostgreSQL": 6}  # times the CPU of an item with ours


@dataclass
class Found:
    """What turns showed: `cpu` in milliseconds an item, `memory` in megabytes, `lines` as people wrote them."""

    cpu: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    acknowledged: set[tuple[str, str]] = field(default_factory=set)

    def slowest(self, request: str) -> float:
        """Milliseconds that 95 % of its requests of that kind stayed within; 0 without any."""
        times = [line[request] for line in self.lines if request in line]
        return float(1000 * (quantiles(times, n=20, method="inclusive")[-1] if len(times) > 1 else sum(times)))


def compare(bench: Bench, output: argparse.Namespace) -> Iterator[Result]:
    file = records.write_twenty_paragraphs(bench.folder / "twenty.jsonl", output.records)
    with ExitStack() as stack:
        tools: list[Tool] = []
        for kind in bench.kinds:
            made = stack.enter_context(bench.installation(kind))
            tools.append(Hopscribe(made, bench, kind, file, output.records, output.people))
        for peer in peers(bench.folder, file, output):
            stack.callback(peer.stop)
            tools.append(peer)
        found = {tool.name: Found() for tool in tools}
        for turn in range(TURNS):
            for tool in tools:
                print(f"       turn {turn + 1}: {tool.name}", flush=True)
                sit(tool, bench, found[tool.name], output.seconds)
        for tool in tools:
            print(described(tool, found[tool.name]), flush=True)
    others = {tool.name: min(found[tool.name].cpu) for tool in tools if isinstance(tool, Peer)}
    if others:
        fastest = min(others, key=others.__getitem__)
        for kind in bench.kinds:
            what = f"CPU of an item with {fastest}, the fastest peer, against ours, {kind}"
            times = others[fastest] / min(found[f"Hopscribe, {kind}"].cpu)
            yield Result(what, times, GOALS[kind], at_most=False)


def peers(folder: Path, file: Path, output: argparse.Namespace) -> Iterator[Peer]:
    """Those that can be had, with the records in them."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for kind in PEERS:
        if output.names and kind.title.lower() not in output.names:
            continue
        peer = kind(folder / kind.title)
        try:
            peer.install()
            peer.prepare(rows, output.people)
            yield peer
        except Unavailable as error:
            print(f"SKIPPED {kind.title}: {error}", flush=True)


def sit(tool: Tool, bench: Bench, found: Found, seconds: int) -> None:
    """One turn: serve, warm up, measure, and stop."""
    group = tool.start()
    cluster = bench.cluster if "PostgreSQL" in tool.name else None
    try:
        warm = crew(tool, bench.folder, WARM)
        before = sum(spent for _, spent in served_by(group, cluster))
        began = time.monotonic()
        lines = crew(tool, bench.folder, seconds)
        now = dict(served_by(group, cluster))
        found.memory.append(sum(map(megabytes, now)))
    finally:
        tool.stop()
    times = [line["at"] for line in lines if "record" in line]
    found.cpu.append(1000 * (sum(now.values()) - before) / len(times) if times else inf)
    found.rate.append(len(times) / (max(times) - began) if times else 0)
    found.lines += lines
    found.acknowledged.update((line["session"], line["record"]) for line in warm + lines if "record" in line)


def crew(tool: Tool, folder: Path, seconds: int) -> list[dict[str, Any]]:
    """What everybody wrote who worked for so long."""
    running, outs = [], []
    shared = {"port": tool.port, "batch": tool.batch, "person": tool.person, "seconds": seconds}
    for part in range(PROCESSES):
        plan, out = folder / f"{uuid4().hex}.json", folder / f"{uuid4().hex}.jsonl"
        plan.write_text(json.dumps(shared | {"sessions": tool.sessions[part::PROCESSES]}))
        command = [sys.executable, "-m", "tests.bench.peers.people", str(plan), str(out)]
        running.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        outs.append(out)
    for process in running:
        _, said = process.communicate(timeout=seconds + PATIENCE)
        assert process.returncode == 0, f"{tool.name}: {said[-3000:]}"
    lines = [json.loads(line) for out in outs for line in out.read_text().splitlines()]
    odd = [line for line in lines if "unexpected" in line or "conflict" in line or "failure" in line]
    assert not odd, (tool.name, odd[:3])
    return lines


def megabytes(pid: int) -> float:
    """Its own share of memory: pages that several processes have are divided among them."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it ended just now
        return 0.0
    return sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024


def described(tool: Tool, found: Found) -> str:
    stored = Counter(tool.stored())
    lost = len(found.acknowledged - stored.keys())
    surplus = (stored - Counter(set(stored))).total()  # by the same person
    by_record = Counter(record for _, record in set(stored))
    surplus += sum(max(0, number - tool.wanted) for number in by_record.values()) if tool.wanted else 0
    trouble = Counter[str]()
    for line in found.lines:
        trouble.update(line.get("counts", {}))
    figures = f"{max(found.rate):6.1f} items/s  {min(found.cpu):6.1f} ms of CPU  show {found.slowest('show'):6.0f} ms  "
    figures += f"submit {found.slowest('submit'):6.0f} ms  {max(found.memory):5.0f} MB  "
    answers = f"{len(found.acknowledged):,} responses, {lost} lost, {surplus if tool.wanted else '(no limit)'} surplus"
    return f"{tool.name:<24} {figures}{answers}{f'  {dict(trouble)}' if trouble else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    names = [kind.title.lower() for kind in PEERS]
    parser.add_argument("names", nargs="*", metavar="PEER", help=f"of {', '.join(names)}; none: all")
    parser.add_argument("--records", type=int, default=HITS)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of a turn that is measured")
    output = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hopscribe-peers-")))
        cluster = stack.enter_context(run_postgres.cluster())
        if cluster is None:
            print(f"SKIPPED {run_postgres.MISSING}")
        if busy := busy_by_others():
            print(f"       The machine is busy: others use {busy:.0%} of it. Compare the ratios, not the figures.")
        for result in compare(Bench(folder, cluster), output):
            print(result, flush=True)


if __name__ == "__main__":
    main()
