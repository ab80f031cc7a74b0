"""`python -m tests.mutants [--count N] [--seed SEED] [PATH …]`: break lines one at a time and see which test notices.

A sample of all mutants, in an order that only the seed and their own text decide. Called again it goes on where it
was stopped, and tries again what survived where a test of it has changed.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tests.mutants import EQUIVALENTS, RESULTS, ROOT, targets
from tests.mutants.mutations import Mutant, functions, mutants
from tests.mutants.recorder import CALLED, digest, file_of, recorded
from tests.mutants.runner import ENDLESS, KILLED, PLAN, SURVIVED

PROCESSES = 2
LEFT_OUT = "not soak and not process and not browser"
TESTS = 100  # at most for one mutant
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-m", LEFT_OUT]


def everything(paths: list[str]) -> Iterator[Mutant]:
    """The mutants of the modules that are named, or of all."""
    for path in targets():
        if not paths or path.startswith(tuple(paths)):
            yield from (mutant for mutant, _tree in mutants(path, (ROOT / path).read_text()))


def drawn(paths: list[str], *, count: int, seed: int) -> list[Mutant]:
    """The first of all mutants in the order of the seed; a change elsewhere moves none."""
    return sorted(everything(paths), key=lambda mutant: _hash(seed, mutant.name, mutant.nth))[:count]


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def equivalents() -> dict[str, str]:
    """By the mutant's name, why no test can notice it."""
    blocks = (block.strip().rpartition("\n= ") for block in EQUIVALENTS.read_text().split("\n\n"))
    return {name: why for name, _mark, why in blocks if name}


def plan(sample: list[Mutant]) -> Iterator[dict[str, Any]]:
    """What is still to be tried: {"mutant", "source", "against", "tests"}."""
    calling: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in recorded().values():
        for function in row[CALLED]:
            calling[function].append(row)
    known, excused = results(), equivalents()
    for mutant in sample:
        tests = _chosen(mutant, calling[f"{mutant.path} {mutant.function}"])
        against = _hash(tests, [digest(file_of(test)) for test in tests])
        source = _sources(mutant.path)[mutant.function]
        before = known.get((mutant.name, mutant.nth), {})
        settled = before.get("result") != SURVIVED or before.get("against") == against
        if mutant.name not in excused and not (before.get("source") == source and settled):
            yield {"mutant": asdict(mutant), "source": source, "against": against, "tests": tests}


@cache
def _sources(path: str) -> dict[str, str]:
    """The functions of a module with a hash of what they say."""
    tree = ast.parse((ROOT / path).read_text())
    return {name: _hash(ast.unparse(node)) for name, node in functions(tree)}


def results() -> dict[tuple[str, int], dict[str, Any]]:
    """The last result of each mutant by its name and number."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    rows = [json.loads(line) for line in lines]
    return {(Mutant(**row["mutant"]).name, row["mutant"]["nth"]): row for row in rows}


def _chosen(mutant: Mutant, rows: list[dict[str, Any]]) -> list[str]:
    """Tests that call the function: those of its subject, then of each file the one that calls least, and so on."""
    rank: Counter[str] = Counter()
    ranked = []
    for row in sorted(rows, key=lambda row: (len(row[CALLED]), row["seconds"])):
        file = file_of(row["test"])
        place = -1 if Path(mutant.path).stem in file else rank[file]
        ranked.append((place, len(row[CALLED]), row["seconds"], row["test"]))
        rank[file] += 1
    return [test for _place, _calls, _seconds, test in sorted(ranked)[:TESTS]]


def run(wishes: list[dict[str, Any]]) -> None:
    """Try them in several processes at once, each in its own installation."""
    running: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for part in (wishes[k::PROCESSES] for k in range(PROCESSES)):
            if part:
                file = Path(folder, f"{len(running)}.jsonl")
                file.write_text("".join(json.dumps(wish) + "\n" for wish in part))
                tests = sorted({file_of(test) for wish in part for test in wish["tests"]})
                command = [*PYTEST, "-p", "tests.mutants.runner", *tests]
                environment = os.environ | {PLAN: str(file), "OPENBLAS_NUM_THREADS": "1"}
                running.append(subprocess.Popen(command, cwd=ROOT, env=environment))
        for process in running:
            process.wait()


def report(sample: list[Mutant]) -> Iterator[str]:
    """A table by folder, and what survived."""
    known, excused = results(), equivalents()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    alive = []
    for mutant in sample:
        row = known.get((mutant.name, mutant.nth), {"result": "not tried"})
        said = "equivalent" if mutant.name in excused else row["result"]
        table[mutant.path.rpartition("/")[0]][said] += 1
        if said not in {KILLED, ENDLESS, "equivalent"}:
            alive.append(f"\n{mutant.name}\n  line {mutant.line}, {said} {row.get('tests', 0)} tests")
    kinds = [KILLED, ENDLESS, "equivalent", SURVIVED, "not tried"]
    yield f"| folder | mutants | {' | '.join(kinds)} |"
    yield "| --- |" + " ---: |" * (1 + len(kinds))
    for folder, counts in [*sorted(table.items()), ("all", sum(table.values(), Counter()))]:
        yield f"| {folder} | {counts.total()} | {' | '.join(str(counts[kind]) for kind in kinds)} |"
    yield from alive


def main() -> None:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="modules or folders; all that are mutated")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", action="store_true", help="only say what is known")
    options = parser.parse_args()
    sample = drawn(options.paths, count=options.count, seed=options.seed)
    if not options.report:
        record = [*PYTEST, "-p", "tests.mutants.recorder", "-n", str(PROCESSES), "--dist", "worksteal"]
        subprocess.run(record, cwd=ROOT, check=False)  # a test that fails is not asked
        run(list(plan(sample)))
    print(*report(sample), sep="\n")


if __name__ == "__main__":
    main()
