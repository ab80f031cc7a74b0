"""Comparisons of what composing needs: pairs, contexts, and checks that answer while 32 people write."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from annotation.formats import FORMATS
from tests.bench.bench import Bench, Result
from tests.bench.graphs import PARAGRAPHS, graphs
from tests.process.annotators import PATIENCE
from tests.process.installation import Installation

QUESTIONS, GRAPHS = 1_000_000, 10_000
WRITERS, HITS, SECONDS = 32, 60, 20


def pairs(bench: Bench) -> Iterator[Result]:
    """A million synthetic single-hop questions, indexed and paired."""
    result = _alone("tests.bench.pairs", QUESTIONS)
    print(
        f"       {result['pairs']:,} of {result['candidates']:,} candidates; indexed in {result['index_seconds']:.0f} s"
    )
    yield Result(f"pairs of {QUESTIONS:,} single-hop questions", result["seconds"] / 60, 8, unit="minutes")
    yield Result(f"pairs of {QUESTIONS:,} single-hop questions, peak memory", result["gigabytes"], 4, unit="GB")


def contexts(bench: Bench) -> Iterator[Result]:
    """Contexts for ten thousand graphs out of a pool of twenty thousand paragraphs."""
    result = _alone("tests.bench.graphs", GRAPHS)
    assert (result["contexts"], result["paragraphs"]) == (GRAPHS, PARAGRAPHS), result
    print(f"       peak memory {result['gigabytes']:.2f} GB")
    what = f"contexts of {GRAPHS:,} graphs from {PARAGRAPHS:,} paragraphs"
    yield Result(what, result["seconds"] / 60, 2, unit="minutes")


def _alone(module: str, size: int) -> Any:
    """What a module prints, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", module, str(size)], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def live(bench: Bench) -> Iterator[Result]:
    """The checks of a question while it is written: one a second for each of 32 writers, over HTTP."""
    file = bench.folder / "graphs.jsonl"
    with file.open("wb") as out:
        FORMATS["jsonl"].write(graphs(HITS, paragraphs=1_000), out)
    for kind in bench.kinds:
        with bench.installation(kind) as made:
            result = [f"hits={HITS}", "assignments=1", f"workers={WRITERS}", f"file={file}", "task=compose"]
            world = made.world("build", *result)
            made.start_web()
            times = _written(made, bench.folder / f"{kind}.jsonl", world)
        slow = quantiles(times, n=20)[-1]
        print(f"       {kind}: {len(times):,} checks, median {median(times):.1f} ms, slowest {max(times):.1f} ms")
        yield Result(f"live check, 95th percentile, {WRITERS} writers, {kind}", slow, 100, unit="ms")


def _written(made: Installation, out: Path, world: dict[str, Any]) -> list[float]:
    """Milliseconds of every check, as the writers saw them."""
    plan = out.with_suffix(".json")
    plan.write_text(json.dumps(world | {"port": made.port, "seconds": SECONDS}))
    process = made.spawn([sys.executable, "-m", "tests.bench.writers", str(plan), str(out)], log="writers.log")
    assert process.wait(SECONDS + PATIENCE + 10) == 0, made.log("writers.log") + made.log("web.log")
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert not [line for line in lines if "unexpected" in line], lines[:3]
    return [line["ms"] for line in lines if "ms" in line]
