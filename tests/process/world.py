"""What the fault tests need from an installation's own database: `python -m tests.process.world VERB …`.

Runs in the installation's environment (annotation.settings) and prints one JSON document.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db.models import Count, F, Q, QuerySet  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.flow.batches import batch_launch  # noqa: E402
from annotation.flow.data import dataset_import  # noqa: E402
from annotation.flow.people import consent  # noqa: E402
from annotation.flow.projects import projects  # noqa: E402
from annotation.flow.reports.model_predictions import store_predictions  # noqa: E402
from annotation.flow.work import next_assignment  # noqa: E402
from annotation.judges.models import ModelCall, ModelRun  # noqa: E402
from annotation.marketplaces.models import Publication  # noqa: E402
from annotation.models import (  # noqa: E402
    Assignment,
    Batch,
    Dataset,
    Hit,
    Job,
    ModelPrediction,
    Participation,
    PrefetchedHit,
    Project,
    User,
    Worker,
    WorkerResponse,
)
from annotation.models.compiled import compiled  # noqa: E402
from tests.batches import create_batch  # noqa: E402
from tests.conftest import write_records  # noqa: E402


def build(
    *, hits: int, assignments: int, workers: int, file: str = "", task: str = "answer", seconds: int = 600
) -> dict[str, Any]:
    """An open batch, and workers with consent given, the guide read and a session; returns what clients need.

    The items are `file`'s (lossless JSONL), or invented ones.
    """
    project = projects.project_named("default")
    consent.fill_in(project, contact="ada@example.org", ethics="board 7")
    with tempfile.TemporaryDirectory() as folder:
        records = Path(file) if file else write_records(Path(folder) / "records.jsonl", hits)
        dataset_import.import_dataset(project, records, format="jsonl", name="records")
    batch = create_batch(
        project,
        "load",
        task=task,
        datasets=list(project.datasets.all()),
        instructions="WorkerResponse.",
        assignments_per_hit=assignments,
        expected_seconds=seconds,
    )
    batch_launch.launch(batch)
    rows = [{"item": hit.item_id, "run": 1, "answer": {"text": "x"}, "cost": "0.001"} for hit in batch.hits.all()]
    store_predictions(batch, "judge", rows)
    asked = {"endpoint": "https://models.example.org/v1", "model": "oracle-1", "secret": "sk-0123", "most_cost": "0.5"}
    run = ModelRun.objects.create(batch=batch, state=ModelRun.State.PAUSED, **asked)
    ModelCall.objects.create(run=run, item_id=rows[0]["item"], cost="0.25", state=ModelCall.State.ANSWERED)
    users = User.objects.bulk_create(User(username=f"worker-{k}", password="!") for k in range(workers))
    made = [Worker(project=project, user=user, consented_version=project.consent_version) for user in users]
    Worker.objects.bulk_create(made)
    for worker in made:
        next_assignment.read_instructions(next_assignment.join_batch(worker, batch), version=1)
    Participation.objects.filter(batch=batch).update(practised=99)
    return {"batch": batch.pk, "workers": [w.pk for w in made], "sessions": [_session(user) for user in users]}


def _session(user: User) -> str:
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.create()
    return str(store.session_key)


def audit() -> dict[str, Any]:
    """What is stored, and every way in which it could contradict the invariants."""
    answers = WorkerResponse.objects.select_related("assignment").order_by("pk")
    one_each = Assignment.objects.filter(state="accepted").values("worker", "batch").annotate(n=Count("pk"))
    hits = _hits()
    return {
        "hits": len(hits),
        "submitted": Assignment.objects.filter(state="submitted").count(),
        "finished": Counter(str(finished) for *_more, finished in hits),
        "held": PrefetchedHit.objects.count(),
        "two_at_once": [row["worker"] for row in one_each.filter(n__gt=1)],
        **contradictions(),
        "models": {model.__name__: _rows(model) for model in (ModelPrediction, ModelRun, ModelCall)},
        "answers": [[a.assignment.public_id, a.key, a.answer["text"], a.revision] for a in answers],
    }


def contradictions() -> dict[str, list[Any]]:
    """Rows that differ from what is counted from scratch, or should not be; simulations look after each commit."""
    held, hits = Counter(hit for (hit,) in _held()), _hits()
    return {
        "over": [pk for pk, wanted, _live, _done, alive, finished in hits if alive + held[pk] + finished > wanted],
        "drift": [pk for pk, _n, live, done, alive, finished in hits if (alive + held[pk], finished) != (live, done)],
        "twice": [pair for pair, count in Counter(_pairs()).items() if count > 1],
        "participations": [pk for (pk,) in _miscounted()],
        "half_written": [pk for (pk,) in _without_response()],
    }


@compiled
def _hits() -> QuerySet[Hit, Any]:
    alive = Q(assignments__state="accepted")
    done = Q(assignments__state="submitted", assignments__counts=True)
    rows = Hit.objects.annotate(alive=Count("pk", filter=alive), finished=Count("pk", filter=done))
    return rows.values_list("pk", "wanted", "live", "done", "alive", "finished")


@compiled
def _held() -> QuerySet[PrefetchedHit, Any]:
    return PrefetchedHit.objects.values_list("hit_id")


@compiled
def _pairs() -> QuerySet[Assignment, Any]:
    return Assignment.objects.values_list("hit_id", "worker_id")


@compiled
def _miscounted() -> QuerySet[Participation, Any]:
    submitted = Q(worker__assignments__batch=F("batch"), worker__assignments__state="submitted")
    counted = Participation.objects.annotate(n=Count("worker__assignments", filter=submitted))
    return counted.exclude(n=F("done")).values_list("pk")


@compiled
def _without_response() -> QuerySet[Assignment, Any]:
    return Assignment.objects.filter(state="submitted", responses__isnull=True).values_list("pk")


def _rows(model: Any) -> list[list[str]]:
    """All that is stored, with secrets as they are read."""
    return [list(map(str, row)) for row in model._default_manager.order_by("pk").values_list()]


def enqueue(*, path: str, name: str) -> dict[str, Any]:
    """An import as a background job, as the upload page posts it."""
    from annotation import jobs

    project = projects.project_named("default")
    arguments = {"path": path, "format": "jsonl", "name": name}
    job = jobs.enqueue("import_dataset", project=project, title=name, arguments=arguments)
    return {"job": job.pk}


def job(*, pk: int) -> dict[str, Any]:
    row = Job.objects.get(pk=pk)
    sizes = {d.slug: (d.state, d.items.count()) for d in Project.objects.get(slug="default").datasets.all()}
    return {"state": row.state, "tries": row.tries, "done": row.done, "error": row.error, "datasets": sizes}


def pass_time() -> dict[str, Any]:
    """Move what is under way into the past, just so far that the running job's lease is over."""
    running = Job.objects.get(state="running")
    assert running.lease_until is not None
    rest = running.lease_until - timezone.now() + timedelta(milliseconds=1)
    Job.objects.filter(pk=running.pk).update(lease_until=F("lease_until") - rest)
    Dataset.objects.update(beat_at=F("beat_at") - rest)
    return {"seconds": rest.total_seconds()}


def abroad(*, url: str, hits: int) -> None:
    """A batch launched on a marketplace; nothing of it is there yet."""
    from tests.process import errands

    errands.launch({"url": url, "hits": hits, "key_id": "AKIATEST", "secret": "a test's own secret"})


def ring(*, times: int) -> None:
    """Post the job that publishes the batch, as the launch does, and ring for it more often than is needed."""
    from annotation import jobs
    from annotation.marketplaces.jobs import send_batch

    for _time in range(times):
        jobs.wake_worker(send_batch(Batch.objects.get()))


def publications() -> dict[str, int]:
    return dict(Counter(Publication.objects.values_list("state", flat=True)))


VERBS = {f.__name__: f for f in (build, audit, enqueue, job, pass_time, abroad, ring, publications)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("arguments", nargs="*", help="name=value")
    result = parser.parse_args()
    pairs = (argument.split("=", 1) for argument in result.arguments)
    given: dict[str, Any] = {name: int(value) if value.isdigit() else value for name, value in pairs}
    print(json.dumps(VERBS[result.verb](**given)))
