"""`python -m tests.bench.plans --judgments 10000000`: what people do all day in a project of that size, on PostgreSQL.

Prints for each act how many queries it takes, its median time, and what PostgreSQL reads whole although it is big. Ends
with 1 if there is any.
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
from statistics import median
from typing import Any

from tests import run_postgres

BIG = tuple(f"annotation_{name}" for name in ("item", "hit", "assignment", "workerresponse", "participation"))
PROJECT_PAGES = ("project", "batches", "datasets", "people", "money", "approvals", "compare", "log")
BATCH_PAGES = ("batch", "hits", "batch-assignments", "batch-workers", "report")
ROUNDS = 7
Act = Callable[[], object]


def acts(made: Any) -> dict[str, Act]:
    """What is done, by name; each leaves the database as it was or one assignment further."""
    from django.test import Client

    from annotation import jobs
    from annotation.flow.reports import batch_scores
    from tests.flow.acting import submit, take

    desk, worker = Client(), Client()
    desk.force_login(made.alice)
    worker.force_login(made.worker.user)
    slug, done = "crowded", made.done.slug

    def cycle() -> None:
        row = take(made.worker, made.open)
        assert row is not None
        submit(row, key=f"0.{row.pk}")

    of_project = {name: _page(desk, name, slug) for name in PROJECT_PAGES}
    of_batch = {name: _page(desk, name, slug, done) for name in BATCH_PAGES}
    return {
        "next assignment and submission": cycle,
        "annotator: work": _page(worker, "work"),
        "annotator: history": _page(worker, "history"),
        **{f"requester: {name}": look for name, look in (of_project | of_batch).items()},
        "requester: the open batch": _page(desk, "batch", slug, made.open.slug),
        "requester: a HIT": _page(desk, "hit", slug, done, made.done.hits.all()[0].public_id),
        "requester: search for an id": _page(desk, "search", slug, query="?q=many-77"),
        "requester: search for words": _page(desk, "search", slug, query="?q=tower"),
        "sweeps": jobs.work_off,
        "report of a batch": lambda: batch_scores.score_batch(made.done),
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


def measure(responses: int) -> int:
    """Fill the database named by DATABASE_URL (0: it is filled), do everything some times, print; the exit status."""
    import django

    django.setup()
    from tests.bench.crowded import EACH, crowd, found

    hits = min(20_000, responses // EACH // 2)
    began = time.perf_counter()

    def tell(what: str) -> None:
        print(f"  {time.perf_counter() - began:6.0f} s  {what}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        made = crowd(Path(folder), batches=responses // EACH // hits, hits=hits, tell=tell) if responses else found()
    tell("there")
    _print_sizes()
    bad = set()
    for name, act in acts(made).items():
        seconds = []
        for _round in range(ROUNDS if name != "report of a batch" else 1):
            with watched() as statements:
                start = time.perf_counter()
                act()
                seconds.append(time.perf_counter() - start)
        whole = whole_reads(statements)
        bad |= whole
        print(f"{name:40} {len(statements):4} queries {median(seconds) * 1000:9.1f} ms  {len(whole) or ''}", flush=True)
    for line in sorted(bad):
        print(f"reads all of {line}")
    return 1 if bad else 0


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
    parser.add_argument(
        "--here", action="store_true", help="in the migrated, empty database of DATABASE_URL; again with --judgments 0"
    )
    wish = parser.parse_args()
    if wish.here:
        return measure(wish.responses)
    with run_postgres.cluster() as running:
        if running is None:
            print(run_postgres.MISSING)
            return 1
        environment = os.environ | {
            "DATABASE_URL": running.create("hopscribe"),
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], env=environment, check=True)
        again = [sys.executable, "-m", "tests.bench.plans", "--here", "--responses", str(wish.responses)]
        return subprocess.run(again, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
