"""Background jobs: which verb each kind calls, and the bell that tells a worker there is one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.flow import (
    announcing,
    approving,
    assigning,
    attempts,
    backing_up,
    batching,
    catching_up,
    clearing,
    collecting,
    delivering,
    deriving,
    discarding,
    doubting,
    estimating,
    failed_launch,
    filling,
    gathering,
    importing,
    mailing,
    noticing,
    overseeing,
    policies,
    publishing,
    queueing,
    removing,
    repeating,
    reserving,
    scoring,
    settling,
    syncing,
    tokens,
    topping_up,
    webhook_calls,
    webhook_events,
)
from annotation.flow.queueing import Progress
from annotation.flow.refusal import Refused, is_away
from annotation.models import Batch, Dataset, Job, Project, User
from annotation.pure.cuts import Cut
from annotation.pure.rehearsing import Crowd
from annotation.rehearsal.rehearse import rehearse

bell = threading.Event()
log = logging.getLogger(__name__)


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
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        alive = project.jobs.filter(kind=kind, arguments=arguments, state__in=[Job.State.WAITING, Job.State.RUNNING])
        found = alive.first()
        return found or enqueue(kind, project=project, title=title, arguments=arguments, user=user)


def ring(job: Job) -> None:
    """Say that there is a job; where nobody hears it, the clock finds it a little later."""
    if settings.EMBEDDED_JOBS:
        bell.set()
        return
    try:
        run_due.delay()
    except Exception as away:  # every transport has errors of its own
        log.warning("the broker does not answer (%s): the job waits for the clock", type(away).__name__)


def import_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    """Arguments: those of the verb, `path` in the uploads. The file goes, unless its good records can still be used."""
    arguments = dict(job.arguments)
    path = Path(arguments.pop("path"))
    remove = partial(path.unlink, missing_ok=True)
    if not path.exists():
        raise Refused(_("The uploaded file is not there any more. Upload it again."))
    try:
        report = importing.import_dataset(job.project, path, user=job.created_by, tell=tell, **arguments)
    except filling.ImportRefused as refused:
        if not refused.report.get("accepted"):
            tell.clear_at_end(remove)
        raise
    if not arguments.get("dry_run"):
        tell.clear_at_end(remove)
    return report


def import_checked(job: Job, *, user: User | None) -> Job:
    """The job that imports a file which was only checked, or the good records of one that was refused."""
    if job.kind != "import_dataset" or job.state not in {Job.State.DONE, Job.State.FAILED}:
        raise Refused(_("Only a file that was checked, or refused, can be imported from its job."))
    wanted = job.arguments | {"dry_run": False}
    if job.state == Job.State.FAILED:
        wanted["skip_bad"] = True
    title = _("Import %(file)s as %(name)s") % {"file": wanted["file_name"][:100], "name": wanted["name"]}
    return enqueue_once("import_dataset", project=job.project, title=title, arguments=wanted, user=user)


def derive_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    """Arguments: those of the verb, `source` by its pk; the files of `uploads` {option: {"path", "file_name"}} go."""
    wanted = job.arguments
    source = Dataset.objects.whole().filter(project=job.project, pk=wanted["source"]).first()
    if source is None:
        raise Refused(_("The dataset to derive from is not there any more."))
    files = wanted.get("uploads", {})
    if any(not Path(file["path"]).exists() for file in files.values()):
        raise Refused(_("The uploaded file is not there any more. Upload it again."))
    tell.clear_at_end(partial(_remove_files, files))
    return deriving.derive_dataset(
        source,
        how=wanted["how"],
        name=wanted["name"],
        seed=wanted["seed"],
        options=wanted["options"] | {option: file["path"] for option, file in files.items()},
        files={option: file["file_name"] for option, file in files.items()},
        user=job.created_by,
        tell=tell,
    )


def _remove_files(files: dict[str, dict[str, str]]) -> None:
    for file in files.values():
        Path(file["path"]).unlink(missing_ok=True)


def remove_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    for dataset in Dataset.objects.filter(project=job.project, pk=job.arguments["dataset"]):
        removing.finish(dataset)
    return {}


def quote_batch(job: Job, tell: Progress) -> dict[str, Any]:
    """What a draft costs, every item looked at."""
    return estimating.told(estimating.estimate(_batch(job), tell=tell))


def launch_batch(job: Job, tell: Progress) -> dict[str, Any]:
    """A batch on a marketplace is sent there next, by a job of its own.

    A draft that was made only to be launched (`wish`: what was filled in) goes where that is refused.
    """
    batch = _batch(job)
    try:
        report = _launched_before(job, batch) or batching.launch(batch, tell=tell)
    except Refused:
        if "wish" in job.arguments:
            failed_launch.withdraw(batch)
        raise
    if batch.connection_id:
        send_batch(batch, user=job.created_by)
    return report


def _launched_before(job: Job, batch: Batch) -> dict[str, Any] | None:
    """What a run of this job did that was killed when the batch was open and only the job's end was not stored yet."""
    done = job.tries > 1 and batch.launched_at is not None and batch.launched_at > job.created_at
    return {"hits": batch.size} if done else None


def send_batch(batch: Batch, *, user: User | None = None) -> Job:
    """Have what waits of the batch sent to its marketplace now."""
    title = _("Publish %(batch)s") % {"batch": batch.title}
    return enqueue_once("publish_batch", project=batch.project, title=title, arguments={"batch": batch.pk}, user=user)


def publish_batch(job: Job, tell: Progress) -> dict[str, Any]:
    """What cannot be sent now is sent by the sweep, as soon as its time has come."""
    batch = _batch(job)
    if batch.connection is not None:
        publishing.send_due(batch.connection, batch=batch, tell=tell)
    return publishing.counts(batch)


def sync_batch(job: Job, tell: Progress) -> dict[str, Any]:
    return syncing.catch_up(_batch(job), tell=tell)


def top_up_batch(job: Job, tell: Progress) -> dict[str, Any]:
    arguments = job.arguments
    only = arguments["only_disagreeing"]
    return topping_up.top_up(_batch(job), base=arguments["base"], only_disagreeing=only, tell=tell)


def import_judgments(job: Job, tell: Progress) -> dict[str, Any]:
    path = Path(job.arguments["path"])
    remove = partial(path.unlink, missing_ok=True)
    try:
        report = collecting.import_judgments(_batch(job), path, name=job.arguments.get("name", ""), tell=tell)
    except filling.ImportRefused:
        tell.clear_at_end(remove)
        raise
    tell.clear_at_end(remove)
    return report


def gather_dataset(job: Job, tell: Progress) -> dict[str, Any]:
    wish = {"name": job.arguments["name"], "least": job.arguments.get("least", 0)}
    return gathering.gather_dataset(_batch(job), **wish, user=job.created_by, tell=tell)


def correct_gold(job: Job, tell: Progress) -> dict[str, Any]:
    batch, wish = _batch(job), job.arguments
    dataset = batch.datasets.get(slug=wish["dataset"])
    return doubting.correct(batch, dataset, name=wish["name"], user=job.created_by, tell=tell)


def score_batch(job: Job, tell: Progress) -> dict[str, Any]:
    batch, cut = _batch(job), Cut.of(job.arguments.get("cut", {}))
    scoring.score_batch(batch, cut=cut, tell=tell)
    if cut == Cut():
        overseeing.count_open(batch)
    return {}


def rehearse_batch(job: Job, tell: Progress) -> dict[str, Any]:
    wish = job.arguments
    crowd = Crowd(**wish["crowd"])
    return rehearse(_batch(job), crowd=crowd, workers=wish["workers"], seed=wish["seed"], hits=wish["hits"], tell=tell)


def _batch(job: Job) -> Batch:
    batch = Batch.objects.filter(project=job.project, pk=job.arguments["batch"]).first()
    if batch is None:
        raise Refused(_("The batch is not there any more."))
    return batch


VERBS: dict[str, queueing.Verb] = {
    "import_dataset": import_dataset,
    "derive_dataset": derive_dataset,
    "remove_dataset": remove_dataset,
    "quote_batch": quote_batch,
    "launch_batch": launch_batch,
    "top_up_batch": top_up_batch,
    "import_judgments": import_judgments,
    "score_batch": score_batch,
    "gather_dataset": gather_dataset,
    "correct_gold": correct_gold,
    "rehearse_batch": rehearse_batch,
    "publish_batch": publish_batch,
    "sync_batch": sync_batch,
}


# What time alone brings about. Each may run anywhere, twice, and dies without harm.
SWEEPS: list[Callable[[], object]] = [
    assigning.expire_due,
    attempts.finish_due,
    approving.approve_due,
    catching_up.lapse_due,
    reserving.level_closed,
    noticing.notice_due,
    policies.apply_due,
    announcing.announce_due,
    tokens.forget_old,
    repeating.forget_old,
    delivering.forget_old,
    webhook_calls.forget_old,
    webhook_events.notice_due,
    backing_up.keep_copies,
    discarding.erase_due,
]
# The same, where others are to be told of it, or much is to be done: they may be slow, so they come last.
ERRANDS: list[Callable[[], object]] = [
    delivering.deliver_due,
    webhook_calls.deliver_due,
    publishing.sweep,
    settling.sweep,
    syncing.sweep,
    mailing.mail_due,
    clearing.clear_due,
]


def work_off() -> int:
    """What time brought about, then every job that is due, then what others are to be told; returns how many jobs.

    One that fails keeps nothing else from being done.
    """
    _each(SWEEPS)
    done = 0
    while job := queueing.take():
        queueing.run(job, VERBS)
        done += 1
    _each(ERRANDS)
    return done


def _each(acts: list[Callable[[], object]]) -> None:
    for act in acts:
        try:
            act()
        except Exception as error:
            if is_away(error):
                raise
            log.exception("%s.%s failed and is tried again", act.__module__, act.__qualname__)


@shared_task(name="annotation.run_due", acks_late=True, reject_on_worker_lost=True, ignore_result=True)
def run_due() -> None:
    """What the bell and the clock call; the rows say what there is to do."""
    work_off()
