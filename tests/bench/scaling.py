"""`python -m tests.bench.scaling`: how far one machine goes. Prints tables, compares nothing.

Web: items a second, as the page's scripts send them, by so many workers who never pause, through so many web
processes. Jobs: imports a second through so many Celery workers over Redis, on PostgreSQL.
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
from itertools import chain, product
from pathlib import Path

from tests import run_postgres
from tests.bench import records
from tests.bench.bench import Bench
from tests.bench.cycles import crew, rate_of, spent
from tests.conftest import write_records
from tests.process.installation import BIN, free_port, kill

WEB, PEOPLE, SECONDS = (1, 2, 4), (8, 128), 12
HITS = 2_000
WORKERS, IMPORTS, ITEMS = (1, 2, 4), 8, 5_000
CLIENTS = "tests.bench.pages"
CELERY = [str(BIN / "celery"), "-A", "annotation.celery", "worker", "--pool", "prefork", "--concurrency", "1"]


def web(bench: Bench) -> Iterator[str]:
    """Items a second for each number of web processes and of workers, every one on a fresh batch."""
    file = records.write_twenty_paragraphs(bench.folder / "twenty.jsonl", HITS)
    for kind, processes, people in product(bench.kinds, WEB, PEOPLE):
        with bench.installation(kind) as made:
            workers = f"workers={people}", "seconds=30"
            world = made.world("build", f"hits={HITS}", "assignments=3", *workers, f"file={file}")
            server = made.start_web(workers=processes)
            crew(made, bench.folder, world, CLIENTS, seconds=3)
            before = spent(server, bench)
            times = crew(made, bench.folder, world, CLIENTS, seconds=SECONDS)
            cpu = 1000 * (spent(server, bench) - before) / len(times)
        rate = rate_of(times)
        yield (
            f"{kind:10} {processes:3} web processes {people:4} workers {rate:6.1f} items/s "
            f"{1000 * people / rate:6.0f} ms each {cpu:5.1f} ms of server CPU"
        )


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
