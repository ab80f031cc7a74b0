"""`python -m tests.bench.scaling`: how far one machine goes, on PostgreSQL. Prints tables, compares nothing.

Web: assignments done a second, page and submission each, by so many annotators who never pause, through so many web
processes. Jobs: imports a second through so many Celery workers over Redis.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from tests import run_postgres
from tests.bench import records
from tests.bench.bench import Bench
from tests.bench.cycles import crew, rate_of
from tests.conftest import write_records
from tests.process.installation import BIN, free_port, kill

WEB, ANNOTATORS, SECONDS = (1, 2, 4), (8, 32, 128), 10
HITS = 2_000
WORKERS, IMPORTS, ITEMS = (1, 2, 4), 8, 5_000
CELERY = [str(BIN / "celery"), "-A", "annotation.celery", "worker", "--pool", "prefork", "--concurrency", "1"]


def web(bench: Bench) -> Iterator[str]:
    """Rates for each number of web processes and of annotators, every one on a fresh batch."""
    file = records.write_twenty_paragraphs(bench.folder / "twenty.jsonl", HITS)
    for processes in WEB:
        for people in ANNOTATORS:
            with bench.installation("PostgreSQL") as made:
                world = made.world("build", f"hits={HITS}", "assignments=3", f"workers={people}", f"file={file}")
                made.start_web(workers=processes)
                crew(made, bench.folder, world, "tests.process.annotators", seconds=3)
                rate = rate_of(crew(made, bench.folder, world, "tests.process.annotators", seconds=SECONDS))
            wait = 1000 * people / rate
            yield f"{processes:3} web processes {people:4} annotators {rate:7.1f} assignments/s {wait:7.0f} ms each"


def jobs(bench: Bench) -> Iterator[str]:
    """Seconds until all imports are there, for each number of Celery workers."""
    for workers in WORKERS:
        with broker(bench.folder) as url, bench.installation("PostgreSQL", broker=url) as made:
            for number in range(workers):
                made.spawn([*CELERY, "-n", f"worker-{number}"], log="celery.log")
            time.sleep(5)  # until all listen
            files = [write_records(made.var / f"{name}.jsonl", ITEMS) for name in range(IMPORTS)]
            began = time.perf_counter()
            keys = [made.world("enqueue", f"path={file}", f"name=d{n}")["job"] for n, file in enumerate(files)]
            asked = time.perf_counter() - began
            while not all(made.world("job", f"pk={key}")["state"] == "done" for key in keys):
                time.sleep(0.2)
            seconds = time.perf_counter() - began
        yield f"{workers:3} workers {IMPORTS} imports of {ITEMS:,} items {seconds:6.1f} s (asking took {asked:.1f} s)"


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """A Redis of our own on a free port."""
    program = shutil.which("redis-server")
    if program is None:
        sys.exit("redis-server was not found")
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with (folder / "redis.log").open("ab") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
    time.sleep(1)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        kill(server)


def main() -> int:
    print(f"{os.cpu_count()} cores; clients, web, database and workers share them")
    with run_postgres.cluster() as running, tempfile.TemporaryDirectory(prefix="hopscribe-bench-") as folder:
        if running is None:
            print(run_postgres.MISSING)
            return 1
        bench = Bench(Path(folder), running)
        for line in chain(web(bench), jobs(bench)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
