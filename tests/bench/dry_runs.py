"""The load that a rehearsal makes: simulated workers on the real pages, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.bench import records
from tests.bench.bench import Bench, Result

HITS, WORKERS, ASSIGNMENTS = 200, 40, 3


def dry_run(bench: Bench) -> Iterator[Result]:
    """A rehearsal of 200 HITs with 20 paragraphs each by 40 simulated workers, on its own SQLite."""
    file = records.write_twenty_paragraphs(bench.folder / "dry_runs.jsonl", HITS)
    with bench.installation("SQLite") as made:
        made.manage("import_dataset", str(file), "--format", "jsonl", "--name", "dry_runs")
        batch = ("create_batch", "load", "--task", "answer", "--dataset", "dry_runs")
        made.manage(*batch, "--assignments", str(ASSIGNMENTS), "--contact", "ada@example.org", "--ethics", "board 7")
        wish = ("--workers", str(WORKERS), "--hits", str(HITS), "--model", "dropout=0", "--json")
        found = json.loads(made.manage("dry_run", "load", *wish))
    print(f"       {found['answers']} answers, {found['requests']} requests in {found['seconds']:.0f} s")
    yield Result("milliseconds a request in a rehearsal", 1000 * found["seconds"] / found["requests"], 50, "ms")
