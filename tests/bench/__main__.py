"""`python -m tests.bench [NAME …]`: run the comparisons and print each figure with its goal."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

from tests import run_postgres
from tests.bench import records
from tests.bench.bench import Bench, Result, busy_by_others
from tests.bench.composing import contexts, live, pairs
from tests.bench.coverage import coverage
from tests.bench.cycles import cycles
from tests.bench.dry_runs import dry_run
from tests.bench.felt import felt
from tests.bench.figures import figures
from tests.bench.ratings import ratings
from tests.process.installation import Installation
from tests.pure import official

INSIDE = "tests.bench.inside"
CLAIM_TURNS = 12
SITUATIONS = ["fresh", "half finished", "worker who did half"]


def inside(installation: Installation, *arguments: str) -> Any:
    return json.loads(installation.run(["-m", INSIDE, *arguments]))


def allocation(bench: Bench) -> Iterator[Result]:
    """The next assignment at 100,000 HITs against 1,000, in turns, so that both see the same machine."""
    for kind in bench.kinds:
        with ExitStack() as stack:
            asked = [Claims(stack.enter_context(bench.installation(kind)), size) for size in (1_000, 100_000)]
            for name in SITUATIONS:
                turns = [[claims.times(name) for claims in asked] for _ in range(CLAIM_TURNS)]
                small, large = (1000 * median(t for turn in turns for t in turn[k]) for k in (0, 1))
                print(f"       {kind}, {name}: {small:.2f} ms at 1,000, {large:.2f} ms at 100,000")
                yield Result(f"next assignment at 100,000 against 1,000 HITs, {name}, {kind}", large / small, 1.2)
            for claims in asked:
                claims.end()


class Claims:
    """A process that claims when asked to, on batches of `size` HITs."""

    def __init__(self, made: Installation, size: int) -> None:
        command = [sys.executable, "-m", INSIDE, "claims", f"size={size}"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, env=made.environment, stdin=pipe, stdout=pipe, text=True)
        self._answer()

    def times(self, situation: str) -> list[float]:
        """Seconds of some claims in that situation."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{situation}\n")
        self._process.stdin.flush()
        found: list[float] = self._answer()
        return found

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def weight(bench: Bench) -> Iterator[Result]:
    """Everything that a first visit to the annotation page loads, compressed."""
    file = records.write_twenty_paragraphs(bench.folder / "weight.jsonl", 20)
    with bench.installation("SQLite") as made:
        world = made.world("build", "hits=20", "assignments=3", "workers=1", f"file={file}")
        made.start_web()
        browser = Browser(made.port, world["sessions"][0])
        place = browser.start(world["batch"])
        sizes = browser.visit(place)
    for path, size in sorted(sizes.items(), key=lambda pair: -pair[1]):
        print(f"       {size / 1024:7.1f} KB {path}")
    yield Result("first visit of the annotation page, 20 paragraphs", sum(sizes.values()) / 1024, 100, unit="KB")


class Browser:
    """Loads a page with everything that it names, and what that names."""

    IN_HTML = re.compile(r"(?:src|href)=\"(/static/[^\"]+)\"")
    IN_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?([\w./-]+)")
    IN_JS = re.compile(r"(?:from|import)\s*\(?\s*[\"']([./][^\"']+)[\"']")

    def __init__(self, port: int, session: str) -> None:
        self.port, self.cookie = port, f"sessionid={session}; csrftoken={'a' * 32}"

    def start(self, batch: int) -> str:
        reply = self._send("POST", f"/work/batches/{batch}/start/", "gzip", f"csrfmiddlewaretoken={'a' * 32}")
        return str(reply.getheader("Location"))

    def _send(self, method: str, path: str, encoding: str, body: str | None = None) -> Any:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Cookie": self.cookie, "Accept-Encoding": encoding}
        headers |= {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
        connection.request(method, path, body, headers)
        return connection.getresponse()

    def visit(self, place: str) -> dict[str, int]:
        sizes: dict[str, int] = {}
        todo = [place]
        while todo:
            path = todo.pop()
            if path in sizes:
                continue
            reply = self._send("GET", path, "br, gzip")
            assert reply.status == 200, (path, reply.status)
            sizes[path] = len(reply.read())
            named = {".js": self.IN_JS, ".css": self.IN_CSS}.get(Path(path).suffix, self.IN_HTML)
            text = self._send("GET", path, "identity").read().decode(errors="replace")
            todo += [self._absolute(path, name) for name in named.findall(text)]
        return sizes

    def _absolute(self, page: str, name: str) -> str:
        if name.startswith("/"):
            return name.partition("#")[0]
        parts = [*page.rpartition("/")[0].split("/"), *name.split("/")]
        kept: list[str] = []
        for part in parts:
            if part == "..":
                kept.pop()
            elif part != ".":
                kept.append(part)
        return "/".join(kept)


def loading(bench: Bench) -> Iterator[Result]:
    """Imports of HotpotQA-size records: time in one process, memory of the command alone."""
    file = bench.folder / "hotpotqa.json"
    file.write_text(json.dumps(records.hotpotqa(10_000)))
    print(f"       10,000 records, {file.stat().st_size / 1e6:.0f} MB")
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            found = inside(made, "import_time", f"file={file}", "rounds=3")
            print(f"       {kind}: import {found['import']:.2f} s, json.load and bulk insert {found['plain']:.2f} s")
            yield Result(f"import against json.load and bulk insert, {kind}", found["import"] / found["plain"], 4)
            command = ["import_dataset", str(file), "--format", "hotpotqa", "--name", "peak"]
            yield Result(f"import, peak memory, {kind}", peak(made, command), 200, unit="MB")


def launching(bench: Bench) -> Iterator[Result]:
    """A launch of 10,000 HITs of twenty paragraphs, and the lock that an answer with the next claim holds on SQLite."""
    file = records.write_twenty_paragraphs(bench.folder / "launched.jsonl", 10_000)
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            found = json.loads(made.run(["-m", "tests.bench.launches", str(file)]))
        yield Result(f"CPU of a launch, a HIT, {kind}", found["launch"], 0.3, unit="ms")
        if "lock" in found:
            yield Result(f"an answer with the next claim holds the write lock, {kind}", found["lock"], 2, unit="ms")


def exporting(bench: Bench) -> Iterator[Result]:
    """Exports of 100,000 judgments against a plain cursor over the same rows, written as JSON or CSV."""
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            inside(made, "responses", "hits=10000", "each=10")
            for format, goal in (("jsonl", 2), ("csv", 2), ("parquet", 3)):
                out = bench.folder / f"responses.{format}"
                for what, less in (("judgments", "ids_only=0"), ("their ids", "ids_only=1")):
                    found = inside(made, "export_rate", f"format={format}", f"out={out}", less)
                    print(f"       {kind}, {format}, {what}: {found['records'] / found['seconds']:,.0f} a second")
                    name = f"export of {what} against a plain cursor, {format}, {kind}"
                    yield Result(name, found["seconds"] / found["plain"], goal)
                command = ["export_responses", "judged", "--format", format, "--out", str(out)]
                yield Result(f"export of judgments, peak memory, {format}, {kind}", peak(made, command), 150, unit="MB")


def peak(made: Installation, command: list[str]) -> float:
    """Megabytes that a command held at most, itself alone: asked of a process that runs nothing else."""
    asked = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    asked += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    out = made.run(["-c", asked, sys.executable, "manage.py", *command])
    return int(out.split()[-1]) / 1024


def mturk_api(bench: Bench) -> Iterator[Result]:
    """Server CPU of the calls of which a script makes thousands."""
    goals = {"CreateHIT": 8, "GetHIT": 5, "GetAccountBalance": 4}
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            figures = json.loads(made.run(["-m", "tests.bench.mturk_calls"]))
        for name, goal in goals.items():
            yield Result(f"CPU of a call, {name}, {kind}", figures[name], goal, unit="ms")


def evaluating(bench: Bench) -> Iterator[Result]:
    """`evaluate` on as many predictions as HotpotQA's dev set has, against the official definition written out."""
    from annotation.scorers import evaluate

    gold, predicted = bench.folder / "gold.json", bench.folder / "predictions.json"
    made = records.hotpotqa(7_405)
    gold.write_text(json.dumps(made))
    predicted.write_text(json.dumps(records.predictions(made)))
    assert evaluate("hotpotqa", gold, predicted) == official.hotpotqa(gold, predicted)
    ours, yardstick = [], []
    for _ in range(5):
        ours.append(_seconds(lambda: evaluate("hotpotqa", gold, predicted)))
        yardstick.append(_seconds(lambda: official.hotpotqa(gold, predicted)))
    print(f"       evaluate {min(ours):.2f} s, transcription {min(yardstick):.2f} s")
    yield Result("evaluate against the official definition, 7,405 predictions", min(ours) / min(yardstick), 1.1)


def _seconds(verb: Callable[[], object]) -> float:
    began = time.process_time()
    verb()
    return time.process_time() - began


def starting(bench: Bench) -> Iterator[Result]:
    """What starts often, or in every process: `evaluate` on a small file, and what a web process loads."""
    gold, predicted = bench.folder / "small.json", bench.folder / "small-predictions.json"
    made = records.hotpotqa(10)
    gold.write_text(json.dumps(made))
    predicted.write_text(json.dumps(records.predictions(made)))
    with bench.installation("SQLite") as place:
        asked = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
        asked += "stdout=subprocess.DEVNULL); used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        asked += "print(used.ru_utime + used.ru_stime)"
        command = [sys.executable, "manage.py", "evaluate", "--format", "hotpotqa"]
        command += ["--gold", str(gold), "--predictions", str(predicted)]
        seconds = min(float(place.run(["-c", asked, *command]).split()[-1]) for _ in range(3))
        yield Result("CPU of evaluate on 10 predictions", seconds, 0.5, unit="s")
        loaded = "import sys, annotation.wsgi; print(len({'numpy', 'celery', 'boto3'} & set(sys.modules)))"
        heavy = int(place.run(["-c", loaded]).split()[-1])
        yield Result("of numpy, celery and boto3, loaded by a new web process", heavy, 0, unit="packages")


def plans(bench: Bench) -> Iterator[Result]:
    """CPU of pages at 100,000 HITs and a million responses, with nothing kept from before (PostgreSQL)."""
    for kind in bench.kinds:
        if kind == "PostgreSQL":
            with bench.installation(kind) as made:
                command = [sys.executable, "-m", "tests.bench.plans", "--here", "--json"]
                environment = made.environment | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
                done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
            for found in json.loads(done.stdout):
                yield Result(f"CPU at 100,000 HITs, {found['what']}", found["first"], found["goal"], unit="ms")


COMPARISONS = {
    f.__name__: f
    for f in (
        evaluating,
        weight,
        loading,
        launching,
        exporting,
        allocation,
        cycles,
        felt,
        starting,
        mturk_api,
        plans,
        pairs,
        contexts,
        live,
        dry_run,
        ratings,
        coverage,
        figures,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(COMPARISONS)}; none: all")
    parser.add_argument("--on", choices=["SQLite", "PostgreSQL"], help="one database only")
    output = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hopscribe-bench-")))
        cluster = stack.enter_context(run_postgres.cluster())
        if cluster is None:
            print(f"SKIPPED {run_postgres.MISSING}")
        bench = Bench(folder, cluster)
        bench.kinds = [kind for kind in bench.kinds if output.on in {None, kind}]
        results = []
        for name in output.names or COMPARISONS:
            print(f"== {name}: {(COMPARISONS[name].__doc__ or '').splitlines()[0]}", flush=True)
            if busy := busy_by_others():
                print(f"       The machine is busy: others use {busy:.0%} of it. Figures in seconds say little now.")
            for result in COMPARISONS[name](bench):
                print(result, flush=True)
                results.append(result)
    print("\n" + "\n".join(map(str, results)))


if __name__ == "__main__":
    main()
