"""Background jobs: which verb each kind calls, and the bell that tells a worker there is one."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import (
    assigning,
    batching,
    collecting,
    deriving,
    doubting,
    filling,
    gathering,
    importing,
    queueing,
    removing,
    scoring,
)
from annotation.flow.queueing import Progress
from annotation.flow.refusal import Refused
from annotation.models import Batch, Dataset, Job, Project, User

bell = threading.Event()


def enqueue(kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None) -> Job:
    """Write the job down and ring for it once the transaction is in."""
    with transaction.atomic():
        job = queueing.post(kind, project=project, title=title, arguments=arguments, user=user)
        transaction.on_commit(partial(ring, job))
    return job


def enqueue_once(
    kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None
) -> Job:
    """As `enqueue`, but the same job that waits or runs already is returned instead of a second one."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        alive = project.jobs.filter(kind=kind, arguments=arguments, state__in=[Job.State.WAITING, Job.State.RUNNING])
        found = alive.first()
        return found or enqueue(kind, project=project, title=title, arguments=arguments, user=user)


def ring(job: Job) -> None:
    """Say that there is a job; where nobody hears it, the clock finds it a little later."""
    if settings.EMBEDDED_JOBS:
        bell.set()
    else:
        run_due.delay()


def import_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    """Arguments: those of the verb, `path` in the uploads. The file goes, unless its good records can still be used."""
    arguments = dict(job.arguments)
    path = Path(arguments.pop("path"))
    if not path.exists():
        raise Refused(_("The uploaded file is not there any more. Upload it again."))
    try:
        report = importing.import_dataset(job.project, path, user=job.created_by, tell=tell, **arguments)
    except filling.ImportRefused as refused:
        if not refused.report.get("accepted"):
            path.unlink(missing_ok=True)
        raise
    if not arguments.get("dry_run"):
        path.unlink(missing_ok=True)
    return report


def derive_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    """Arguments: those of the verb, `source` by its pk; the files of `uploads` {option: {"path", "file_name"}} go."""
    wanted = job.arguments
    source = Dataset.objects.whole().filter(project=job.project, pk=wanted["source"]).first()
    if source is None:
        raise Refused(_("The dataset to derive from is not there any more."))
    files = wanted.get("uploads", {})
    if any(not Path(file["path"]).exists() for file in files.values()):
        raise Refused(_("The uploaded file is not there any more. Upload it again."))
    try:
        report = deriving.derive_dataset(
            source,
            how=wanted["how"],
            name=wanted["name"],
            seed=wanted["seed"],
            options=wanted["options"] | {option: file["path"] for option, file in files.items()},
            files={option: file["file_name"] for option, file in files.items()},
            user=job.created_by,
            tell=tell,
        )
    except Refused:
        _remove_files(files)
        raise
    _remove_files(files)
    return report


def _remove_files(files: dict[str, dict[str, str]]) -> None:
    for file in files.values():
        Path(file["path"]).unlink(missing_ok=True)


def remove_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    for dataset in Dataset.objects.filter(project=job.project, pk=job.arguments["dataset"]):
        removing.finish(dataset)
    return {}


def launch_batch(job: Job, tell: Progress) -> dict[str, Any]:
    return batching.launch(_batch(job), tell=tell)


def top_up_batch(job: Job, tell: Progress) -> dict[str, Any]:
    arguments = job.arguments
    only = arguments["only_disagreeing"]
    return batching.top_up(_batch(job), base=arguments["base"], only_disagreeing=only, tell=tell)


def import_judgments(job: Job, tell: Progress) -> dict[str, Any]:
    path = Path(job.arguments["path"])
    try:
        report = collecting.import_judgments(_batch(job), path, tell=tell)
    except filling.ImportRefused:
        path.unlink(missing_ok=True)
        raise
    path.unlink(missing_ok=True)
    return report


def gather_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    wish = {"name": job.arguments["name"], "least": job.arguments.get("least", 0)}
    return gathering.gather_dataset(_batch(job), **wish, user=job.created_by, tell=tell)


def correct_gold(job: Job, tell: Progress) -> dict[str, Any]:
    batch, wish = _batch(job), job.arguments
    dataset = batch.datasets.get(slug=wish["dataset"])
    return doubting.correct(batch, dataset, name=wish["name"], user=job.created_by, tell=tell)


def score_batch(job: Job, tell: Progress) -> dict[str, Any]:
    scoring.score_batch(_batch(job), tell=tell)
    return {}


def _batch(job: Job) -> Batch:
    return Batch.objects.get(project=job.project, pk=job.arguments["batch"])


VERBS: dict[str, queueing.Verb] = {
    "import_dataset": import_dataset,
    "derive_dataset": derive_dataset,
    "remove_dataset": remove_dataset,
    "launch_batch": launch_batch,
    "top_up_batch": top_up_batch,
    "import_judgments": import_judgments,
    "score_batch": score_batch,
    "gather_dataset": gather_dataset,
    "correct_gold": correct_gold,
}


def work_off() -> int:
    """Carry out every job that is due, and give back every lease that is over; returns how many jobs."""
    assigning.expire_due()
    done = 0
    while job := queueing.take():
        queueing.run(job, VERBS)
        done += 1
    return done


@shared_task(name="annotation.run_due", acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def run_due() -> None:
    """What the bell and the clock call; the rows say what there is to do."""
    work_off()
