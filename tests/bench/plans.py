"""`python -m tests.bench.plans --responses 10000000`: what people do all day in a project of that size, on PostgreSQL.

Prints for each act its CPU with that of the back end, with nothing kept from before and again, its time, its queries,
its goal, and what PostgreSQL reads whole although it is big. Ends with 1 if there is any, or if a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests import run_postgres

BIG = tuple(f"annotation_{name}" for name in ("item", "hit", "assignment", "workerresponse", "participation"))
PROJECT_PAGES = ("project", "batches", "datasets", "people", "hours", "money", "approvals", "compare", "log")
BATCH_PAGES = (
    "batch",
    "batch-decide",
    "hits",
    "batch-assignments",
    "batch-workers",
    "problem-reports",
    "report",
    "adjudicate",
    "gold",
)
BATCH_PAGES = (*BATCH_PAGES, "batch-settings")
OF_HIT = ("hit", "adjudicate-hit")
LISTS = ("?page=900", "?order=answers", "?order=ticket", "?show=unfinished", "?q=no-such-words", "?differing=on")
SEARCHES = ("many-77", "tower", "no-such-words")
PAGE, SEARCH = 150, 300  # milliseconds of CPU
Act = Callable[[], object]


def acts(made: Any) -> dict[str, Act]:
    """What is done, by name; each leaves the database as it was or one assignment further."""
    from django.test import Client
    from django.urls import reverse

    from annotation import jobs
    from tests.flow.acting import submit, take

    desk, worker = Client(), Client()
    desk.force_login(made.alice)
    worker.force_login(made.worker.user)
    slug, done = "crowded", made.done.slug

    def cycle() -> None:
        row = take(made.worker, made.open)
        assert row is not None
        submit(row, key=f"0.{row.pk}")

    def first_of_export() -> None:
        """The first part of the file: the rest is a matter of `make bench exporting`."""
        response = desk.get(reverse("batch-export", args=[slug, done, "jsonl"]))
        next(iter(response.streaming_content))
        response.close()

    hits = {hit.public_id for hit in made.done.hits.all()[:1]}
    of_project = {name: _page(desk, name, slug) for name in PROJECT_PAGES}
    of_batch = {name: _page(desk, name, slug, done) for name in BATCH_PAGES}
    return {
        "next assignment and submission": cycle,
        "annotator: work": _page(worker, "work"),
        "annotator: history": _page(worker, "history"),
        **{f"requester: {name}": look for name, look in (of_project | of_batch).items()},
        "requester: the open batch": _page(desk, "batch", slug, made.open.slug),
        "requester: adjudicate in the open batch": _page(desk, "adjudicate", slug, made.open.slug),
        **{f"requester: a HIT ({name})": _page(desk, name, slug, done, hit) for name in OF_HIT for hit in hits},
        **{f"requester: HITs, {what}": _page(desk, "hits", slug, done, query=what) for what in LISTS},
        "requester: comparison of two batches": _page(desk, "compare", slug, query=f"?one={done}&one={made.open.slug}"),
        "requester: comparison of workers": _page(desk, "compare", slug, query=f"?of=answerers&batch={done}"),
        "requester: a dataset": _page(desk, "dataset", slug, done),
        "requester: a dataset, searched": _page(desk, "dataset", slug, done, query="?q=no-such-words"),
        "requester: export, its first part": first_of_export,
        **{f"search: {words}": _page(desk, "search", slug, query=f"?q={words}") for words in SEARCHES},
        "sweeps": jobs.run_due_work,
    }


def _page(client: Any, name: str, *arguments: Any, query: str = "") -> Act:
    from django.urls import reverse

    address = reverse(name, args=arguments) + query

    def look() -> None:
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code)
        if response.streaming:
            list(response.streaming_content)

    return look


@contextmanager
def watched() -> Iterator[list[tuple[str, Any]]]:
    """Every statement that goes to the database, with its parameters."""
    from django.db import connection

    seen: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        seen.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield seen


def whole_reads(statements: list[tuple[str, Any]]) -> set[str]:
    """The big tables that PostgreSQL would read from end to end for these statements, each with its statement."""
    from django.db import connection

    found = set()
    with connection.cursor() as cursor:
        for sql, params in statements:
            if not sql.startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
                continue
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
            plan = cursor.fetchone()[0]
            nodes = list(_nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
            whole = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
            found |= {f"{table}: {sql[:300]}" for table in whole if table in BIG}
    return found


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", []):
        yield from _nodes(inner)


def measure(responses: int, batches: int, *, only: str = "", in_json: bool = False) -> int:
    """Fill the database named by DATABASE_URL (0: it is filled), do everything some times, print; the exit status."""
    import django

    django.setup()
    from django.db import connection

    from tests.bench.crowded import EACH, crowd, found

    began = time.perf_counter()

    def tell(what: str) -> None:
        print(f"  {time.perf_counter() - began:6.0f} s  {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        hits = responses // EACH // batches
        made = crowd(Path(folder), batches=batches, hits=hits, tell=tell) if responses else found()
    tell("there")
    if not in_json:
        _print_sizes()
    with connection.cursor() as cursor:
        cursor.execute("SET max_parallel_workers_per_gather = 0")  # or part of the CPU would be counted nowhere
    bad = set()
    results = []
    for name, act in acts(made).items():
        if only and only not in name:
            continue
        first, again, seconds, statements = _measured(act)
        bad |= {f"reads all of {line}" for line in whole_reads(statements)}
        goal = SEARCH if name.startswith("search") else PAGE
        missed = 1000 * first > goal
        if missed:
            bad.add(f"takes more than {goal} ms of CPU: {name}")
        results.append({"what": name, "first": 1000 * first, "again": 1000 * again, "goal": goal})
        if not in_json:
            took = f"{1000 * first:9.1f} ms of CPU, again {1000 * again:8.1f} ms; {1000 * seconds:9.1f} ms"
            mark = "MISSED" if missed else "ok    "
            print(f"{mark} {name:45} {took} {len(statements):4} queries", flush=True)
    print(json.dumps(results) if in_json else "\n".join(sorted(bad)))
    return 1 if bad and not in_json else 0


def _measured(act: Act) -> tuple[float, float, float, list[tuple[str, Any]]]:
    """Seconds of CPU with the back end's, with nothing kept and again; of time; the first one's statements.

    A first round, which does not count, loads templates; what takes seconds is done once. Figures that sweeps keep are
    as fresh as sweeps would have them, however long all takes.
    """
    from django.core.cache import cache

    from annotation.flow.batches import cached_figures

    cached_figures.count_due()
    rounds: list[tuple[float, float, list[tuple[str, Any]]]] = []
    for number in range(3):
        if number == 1 and rounds[0][0] > 2:
            continue
        if number < 2:
            cache.clear()
        with watched() as statements:
            start, cpu = time.perf_counter(), time.process_time() + _of_back_end()
            act()
            spent = time.process_time() + _of_back_end() - cpu
            rounds.append((spent, time.perf_counter() - start, statements))
    first, again = rounds[-2:]
    return first[0], again[0], first[1], first[2]


def _of_back_end() -> float:
    """Seconds of CPU of our back end so far; it has no helpers, as `measure` sees to that."""
    from django.db import connection

    connection.ensure_connection()
    assert connection.connection is not None
    return int(Path(f"/proc/{connection.connection.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9


def _print_sizes() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for table in BIG:
            cursor.execute("SELECT count(*), pg_size_pretty(pg_total_relation_size(%s)) FROM " + table, [table])
            count, size = cursor.fetchone()
            print(f"{table:40} {count:12,} rows {size}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.plans", description=__doc__)
    parser.add_argument("--responses", type=int, default=1_000_000, help="how many (default: 1,000,000)")
    parser.add_argument("--batches", type=int, default=2, help="in as many batches (default: 2)")
    parser.add_argument(
        "--here", action="store_true", help="in the migrated, empty database of DATABASE_URL; again with --responses 0"
    )
    parser.add_argument("--only", default="", help="acts whose name has this")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON only")
    wish = parser.parse_args()
    if wish.here:
        return measure(wish.responses, wish.batches, only=wish.only, in_json=wish.json)
    with run_postgres.cluster() as running:
        if running is None:
            print(run_postgres.MISSING)
            return 1
        environment = os.environ | {
            "DATABASE_URL": running.create("hopscribe"),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
        again = [sys.executable, "-m", "tests.bench.plans", "--here", *sys.argv[1:]]
        return subprocess.run(again, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
