"""Jobs that are killed, each before another of its writes: `python -m tests.process.deaths FOLDER 1`; prints JSON.

With 3 instead of 1, before every third of them.

Each run is forked from this process, so that a death costs no start of an interpreter.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connection, connections  # noqa: E402
from django.db.models import Count  # noqa: E402
from django.db.models.functions import Now  # noqa: E402

from annotation import jobs  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import job_queue, projects  # noqa: E402
from annotation.flow.work import next_assignment, submissions  # noqa: E402
from annotation.models import Batch, BatchReport, Dataset, Item, Job, Project, User, Worker  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.conftest import answer_to, write_records  # noqa: E402

KILLED = 9


class Killer:
    """Ends this process before its n-th statement that writes, without a word, as the kernel does."""

    def __init__(self, writes: int) -> None:
        self.left = writes

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            self.left -= 1
            if not self.left:
                os._exit(KILLED)
        return execute(sql, *rest)


def run(job: Job, *, writes: int) -> bool:
    """Take the job and run it in a process of its own; False when that was killed before so many writes."""
    connections.close_all()
    child = os.fork()
    if not child:
        taken = job_queue.take()
        if taken == job:
            with connection.execute_wrapper(Killer(writes)):
                job_queue.run(taken, jobs.verbs())
        os._exit(0 if taken == job else 1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in {0, KILLED}, f"{job.kind} ended with {code}"
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(lease_until=Now() - timedelta(seconds=1))
    Dataset.objects.exclude(state=Dataset.State.READY).update(beat_at=Now() - job_queue.LEASE)
    return code == 0


def live(project: Project, kind: str, arguments: Callable[[int], dict[str, Any]], every: int) -> dict[str, Any]:
    """Jobs of the kind, the first killed before its first write, the next `every` writes later; each then run again.

    Says after how many deaths one came through, and what became of those whose second run did not end well.
    """
    deaths, ill = 0, {}
    while True:
        job = jobs.enqueue(kind, project=project, title=kind, arguments=arguments(deaths))
        if run(job, writes=deaths * every + 1):
            return {"deaths": deaths, "ill": ill}
        run(job, writes=10**9)
        job.refresh_from_db()
        deaths += 1
        if job.state != Job.State.DONE or job_queue.take() is not None:
            ill[deaths] = job.error


def killed_thrice(project: Project, file: Path) -> dict[str, Any]:
    """An import that kills its process each time, and then does not any more."""
    arguments = {"path": str(file), "format": "jsonl", "name": "hungry"}
    job = jobs.enqueue("import_dataset", project=project, title="Import", arguments=arguments)
    came = [run(job, writes=4) for _time in range(3)]
    left = job_queue.take()
    job.refresh_from_db()
    result = {"came": came, "state": job.state, "error": job.error, "taken": left is not None, "datasets": datasets()}
    job_queue.try_again(job)
    return result | {"then": run(job, writes=10**9), "datasets_then": datasets()}


def datasets() -> dict[str, int]:
    found = Dataset.objects.whole().annotate(n=Count("items")).values_list("slug", "n")
    return dict(found)


def main(folder: Path, every: int) -> dict[str, Any]:
    project = projects.project_named("default")
    consent.fill_in(project, contact="ada@example.org", ethics="board 7")
    result: dict[str, Any] = {"hungry": killed_thrice(project, write_records(folder / "hungry.jsonl"))}
    source = project.datasets.get(slug="hungry")
    sample = {"source": source.pk, "how": "sample", "seed": 1}
    sample["options"] = {"count": 2, "unit": "items", "strata": "no"}

    def upload(n: int) -> dict[str, Any]:
        return {"path": str(write_records(folder / f"{n}.jsonl")), "format": "jsonl", "name": f"wells-{n}"}

    def draft(n: int) -> dict[str, Any]:
        terms = {
            "task": "answer",
            "datasets": [source],
            "instructions": "",
            "assignments_per_hit": 1,
            "fresh_only": False,
        }
        batch = create_batch(project, f"b-{n}", **terms)
        return {"batch": batch.pk, "posted": {"title": "b"}}

    lives = {
        "import": live(project, "import_dataset", upload, every),
        "derive": live(project, "derive_dataset", lambda n: {"name": f"drawn-{n}", **sample}, every),
        "launch": live(project, "launch_batch", draft, every),
    }
    batch = Batch.objects.order_by("pk")[0]
    answer_all(project, batch)
    lives["score"] = live(project, "score_batch", lambda n: {"batch": batch.pk, "n": n}, every)
    gathered = live(project, "create_results_dataset", lambda n: {"batch": batch.pk, "name": f"gathered-{n}"}, every)
    lives["gather"] = gathered
    return result | {
        "lives": lives,
        "datasets": datasets(),
        "items": Item.every.count(),
        "batches": list(Batch.objects.annotate(n=Count("hits")).values_list("state", "n").order_by("pk")),
        "reports": BatchReport.objects.count(),
        "files": sorted(path.name for path in folder.iterdir()),
    }


def answer_all(project: Project, batch: Batch) -> None:
    user = User.objects.create_user("w")
    worker = Worker.objects.create(project=project, user=user, consented_version=project.consent_version)
    next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=1)
    while row := next_assignment.claim(next_assignment.join_batch(worker, batch)):
        submissions.submit(row, answer_to(row), key=f"0.{row.pk}", base=0, active_seconds=5)


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
