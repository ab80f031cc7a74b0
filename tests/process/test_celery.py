"""Background jobs through a real broker and real workers, one of them killed while it works."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from tests.conftest import write_records
from tests.marketplaces.fake_mturk import FakeMTurk
from tests.process.installation import Installation, free_port, kill
from tests.waiting import until

CELERY = [sys.executable, "manage.py", "celery", "worker", "--pool", "prefork", "--concurrency", "1"]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """A Redis of our own on a free port; keeps nothing on disk."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server was not found, so jobs ran without a broker only")
    port = free_port()
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with (tmp_path / "redis.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, start_new_session=True)
    with redis.Redis(port=port) as client:
        until(lambda: _answers(client), within=20)
    yield f"redis://127.0.0.1:{port}/0"
    kill(server)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def state_of(installation: Installation, job: int) -> str:
    """The job's state, read at once: an import is quicker than the start of a process that looks."""
    url, ask = installation.environment["DATABASE_URL"], f"SELECT state FROM annotation_job WHERE id = {job}"
    sqlite = url.startswith("sqlite:///")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///")) if sqlite else psycopg.connect(url)) as connection:
        return str(connection.execute(ask).fetchone()[0])


def ended(installation: Installation, job: int) -> dict[str, Any] | None:
    found: dict[str, Any] = installation.world("job", f"pk={job}")
    return found if found["state"] in {"done", "failed"} else None


def test_a_job_rung_for_by_celery_is_done(install: Callable[..., Installation], broker: str, tmp_path: Path) -> None:
    installation = install(broker=broker)
    installation.spawn(CELERY, log="celery.log")
    file = write_records(tmp_path / "upload.jsonl", 300)
    job = installation.world("enqueue", f"path={file}", "name=upload")["job"]
    found = until(lambda: ended(installation, job), within=60)
    assert (found["state"], found["tries"], found["error"]) == ("done", 1, "")
    assert found["datasets"] == {"upload": ["ready", 300]}
    assert not file.exists()


@pytest.mark.soak
def test_a_job_whose_worker_was_killed_is_done_by_another_run(
    install: Callable[..., Installation], broker: str, tmp_path: Path
) -> None:
    installation = install(broker=broker)
    first = installation.spawn(CELERY, log="celery-1.log")
    file = write_records(tmp_path / "upload.jsonl", 10_000)
    job = installation.world("enqueue", f"path={file}", "name=upload")["job"]
    until(lambda: state_of(installation, job) == "running", within=60)
    kill(first)
    assert state_of(installation, job) == "running", "it was done before the worker could be killed"
    installation.world("pass_time")
    installation.manage("sweep")
    found = installation.world("job", f"pk={job}")
    assert (found["state"], found["tries"], found["error"]) == ("done", 2, "")
    assert found["datasets"] == {"upload": ["ready", 10_000]}


@pytest.mark.soak
def test_two_workers_that_publish_the_same_batch_publish_each_hit_once(
    install: Callable[..., Installation], broker: str
) -> None:
    installation = install(broker=broker)
    with FakeMTurk() as elsewhere:
        installation.world("abroad", f"url={elsewhere.url}", "hits=30")
        for number in (1, 2):
            installation.spawn([*CELERY, "--hostname", f"w{number}@%h"], log=f"celery-{number}.log")
        installation.world("ring", "times=6")
        until(lambda: installation.world("publications") == {"published": 30}, within=90)
        marks = [hit["RequesterAnnotation"] for hit in elsewhere.hits.values()]
    assert len(marks) == len(set(marks)) == 30
