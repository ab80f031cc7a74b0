"""Background jobs: the function of each kind, and waking up a worker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation import discovery
from annotation.flow.batches import (
    add_assignments,
    batch_drafts,
    batch_launch,
    batch_progress,
    cached_figures,
    estimates,
    hit_filters,
)
from annotation.flow.batches.hit_filters import BatchPart
from annotation.flow.data import dataset_import, dataset_removal, derivation, hub_import, item_writer
from annotation.flow.errors import Refused, is_database_unavailable
from annotation.flow.money import batch_funds
from annotation.flow.notifications import announcements, notice_inbox
from annotation.flow.people import round_attempts, sign_in
from annotation.flow.projects import idempotency, job_queue, overview, project_erasure, recycle_bin
from annotation.flow.projects.job_queue import JobProgress
from annotation.flow.reports import arm_scores, batch_scores, comparisons, follow_up, methods_facts, model_predictions
from annotation.flow.review import assignment_approval, conclusions, gold_in_doubt, response_import, results_dataset
from annotation.flow.work import leases, prefetch
from annotation.models import Batch, BatchReport, Dataset, Experiment, Job, Project, User, clock
from annotation.operations import backup, password_links, uploads, wake_ups
from annotation.pure.data.column_mapping import ColumnMapping
from annotation.recruitment import marketplaces
from annotation.templatetags.language_tags import in_language

bell = threading.Event()
FILE_GONE = gettext_noop("The uploaded file no longer exists. Upload it again.")
log = logging.getLogger(__name__)


def enqueue(kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None) -> Job:
    """Add a job, and wake up a worker once the transaction is committed."""
    with transaction.atomic():
        job = job_queue.post(kind, project=project, title=title, arguments=arguments, user=user)
        transaction.on_commit(partial(wake_worker, job))
    return job


def enqueue_once(
    kind: str, *, project: Project, title: str, arguments: dict[str, Any], user: User | None = None
) -> Job:
    """Like `enqueue`, but returns the same job if it is already waiting or running."""
    with transaction.atomic():
        # Lock: two requests at the same time would both find no such job.
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        alive = project.jobs.filter(kind=kind, arguments=arguments, state__in=[Job.State.WAITING, Job.State.RUNNING])
        found = alive.first()
        return found or enqueue(kind, project=project, title=title, arguments=arguments, user=user)


def wake_worker(job: Job | None = None) -> None:
    """Wake up a worker; if that fails, the schedule finds the job a little later."""
    if settings.EMBEDDED_JOBS:
        bell.set()
        wake_ups.wake()
        return
    from annotation.celery import RUN_DUE, app  # slow to load, and only few processes post jobs

    try:
        app.send_task(RUN_DUE, ignore_result=True)
    except Exception as away:  # each transport raises exceptions of its own
        log.warning("the broker does not answer (%s): the job waits for the clock", type(away).__name__)


def import_dataset(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Import a dataset; `path` is in the uploads. Deletes the file once it is imported; a refused one has a day.

    `hub` instead of `path` names a split on the Hub, which anybody may read: the server's token is for its commands.
    `mapping` says what the columns of a file in no known format hold.
    """
    arguments = dict(job.arguments)
    if (mapped := arguments.get("mapping")) is not None:
        arguments["mapping"] = ColumnMapping.of_json(mapped)
    arguments.pop("sample", None)  # the page that maps the columns may want it again
    if wanted := arguments.pop("hub", None):
        terms: dict[str, Any] = {"limit": settings.UPLOAD_LIMIT, "anonymous": True, "user": job.created_by}
        terms |= {"progress": progress, "keep": uploads.adopt}
        return hub_import.import_from_hub(job.project, hub_import.HubSplit(**wanted), **arguments, **terms)
    path = Path(arguments.pop("path"))
    if not path.exists():
        raise Refused(_(FILE_GONE))
    report = dataset_import.import_dataset(job.project, path, user=job.created_by, progress=progress, **arguments)
    if not arguments.get("dry_run"):
        progress.clear_at_end(partial(path.unlink, missing_ok=True))
    return report


def import_checked(job: Job, *, user: User | None) -> Job:
    """The job that imports a file which was only checked, or the valid records of one that was refused."""
    if job.kind != "import_dataset" or job.state not in {Job.State.DONE, Job.State.FAILED}:
        raise Refused(_("Only a file that was checked or refused can be imported from its job."))
    wanted = job.arguments | {"dry_run": False}
    if found := job.result.get("hub"):  # exactly what was checked, whatever is the newest by now
        wanted["hub"] = {name: found[name] for name in ("repository", "revision", "config", "split")}
    if job.state == Job.State.FAILED:
        wanted["skip_bad"] = True
    title = _("Import %(file)s as %(name)s") % {"file": wanted["file_name"][:100], "name": wanted["name"]}
    return enqueue_once("import_dataset", project=job.project, title=title, arguments=wanted, user=user)


def derive_dataset(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Run a derivation; `source` is a key. The files of `uploads` {option: {"path", "file_name"}} are deleted."""
    wanted = job.arguments
    source = Dataset.objects.whole().filter(project=job.project, pk=wanted["source"]).first()
    if source is None:
        raise Refused(_("The source dataset no longer exists."))
    files = wanted.get("uploads", {})
    if any(not Path(file["path"]).exists() for file in files.values()):
        raise Refused(_(FILE_GONE))
    progress.clear_at_end(partial(_remove_files, files))
    return derivation.derive_dataset(
        source,
        how=wanted["how"],
        name=wanted["name"],
        seed=wanted["seed"],
        options=wanted["options"] | {option: file["path"] for option, file in files.items()},
        files={option: file["file_name"] for option, file in files.items()},
        user=job.created_by,
        progress=progress,
    )


def _remove_files(files: dict[str, dict[str, str]]) -> None:
    for file in files.values():
        Path(file["path"]).unlink(missing_ok=True)


def remove_dataset(job: Job, progress: JobProgress) -> dict[str, Any]:
    for dataset in Dataset.objects.filter(project=job.project, pk=job.arguments["dataset"]):
        dataset_removal.finish(dataset)
    return {}


def quote_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Compute the cost of a draft from all items."""
    return estimates.as_json(estimates.estimate(batch_of(job), progress=progress))


def launch_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Launch a batch; on a marketplace, another job then publishes it.

    A draft that was only created for the launch (`wish`: the form's content) is deleted if that is refused.
    """
    batch = batch_of(job)
    try:
        report = _launched_before(job, batch) or batch_launch.launch(batch, progress=progress)
    except Refused:
        if "posted" in job.arguments:
            batch_drafts.discard_failed_launch(batch)
        raise
    if batch.on_marketplace:
        marketplaces().send(batch, user=job.created_by)
    return report


def _launched_before(job: Job, batch: Batch) -> dict[str, Any] | None:
    """The result of a run that was killed after opening the batch and before storing the job's end."""
    done = job.tries > 1 and batch.launched_at is not None and batch.launched_at > job.created_at
    return {"hits": batch.size} if done else None


def add_assignments_to_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    arguments = job.arguments
    only = arguments["only_disagreeing"]
    return add_assignments.add_assignments(
        batch_of(job), base=arguments["base"], only_disagreeing=only, progress=progress
    )


def import_responses(job: Job, progress: JobProgress) -> dict[str, Any]:
    return _imported(job, progress, partial(response_import.import_responses, batch_of(job)))


def import_predictions(job: Job, progress: JobProgress) -> dict[str, Any]:
    batch = batch_of(job)
    dataset = batch.datasets.get(pk=job.arguments["dataset"])
    verb = partial(model_predictions.import_predictions, batch, dataset, model=job.arguments["model"])
    return _imported(job, progress, verb)


def start_import_of_predictions(batch: Batch, dataset: Dataset, *, model: str, file: Any, user: Any) -> Job:
    """Keep an upload and queue its import. Raises ImportRefused while the batch is being launched."""
    model_predictions.check_not_launching(batch)
    name = (file.name or "")[:100]
    title = _("Import predictions of %(model)s from %(file)s") % {"model": model, "file": name}
    arguments = {
        "batch": batch.pk,
        "dataset": dataset.pk,
        "model": model,
        "path": str(uploads.keep(file)),
        "name": name,
    }
    return enqueue("import_predictions", project=batch.project, title=title, arguments=arguments, user=user)


def _imported(job: Job, progress: JobProgress, verb: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The report on the uploaded file, which is deleted once it is imported or refused."""
    path = Path(job.arguments["path"])
    remove = partial(path.unlink, missing_ok=True)
    try:
        report = verb(path, name=job.arguments.get("name", ""), progress=progress)
    except item_writer.ImportRefused:
        progress.clear_at_end(remove)
        raise
    progress.clear_at_end(remove)
    return report


def create_results_dataset(job: Job, progress: JobProgress) -> dict[str, Any]:
    terms = {name: value for name, value in job.arguments.items() if name != "batch"}
    return results_dataset.create_results_dataset(batch_of(job), **terms, user=job.created_by, progress=progress)


def follow_up_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    return follow_up.follow_up(batch_of(job), user=job.created_by, progress=progress)


def correct_gold(job: Job, progress: JobProgress) -> dict[str, Any]:
    batch, terms = batch_of(job), job.arguments
    dataset = batch.datasets.get(slug=terms["dataset"])
    return gold_in_doubt.correct(batch, dataset, name=terms["name"], user=job.created_by, progress=progress)


def score_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    batch, part = batch_of(job), BatchPart.of(job.arguments.get("cut", {}))
    batch_scores.score_batch(batch, part=part, progress=progress)
    if part == BatchPart():
        overview.count_open(batch)
    return {}


def compare_batches(job: Job, progress: JobProgress) -> dict[str, Any]:
    found = Batch.objects.select_related("project").in_bulk(job.arguments["batches"])
    if len(found) < len(job.arguments["batches"]):
        raise Refused(_("The batch no longer exists."))
    return comparisons.compared(found[key] for key in job.arguments["batches"])


def score_arms(job: Job, progress: JobProgress) -> dict[str, Any]:
    found = Experiment.objects.filter(project=job.project, pk=job.arguments["experiment"]).first()
    if found is None:
        raise Refused(_("The experiment no longer exists."))
    return arm_scores.compute(found)


def mail_password_link(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Mail a link that sets their password to a person of the project."""
    user = User.objects.filter(pk=job.arguments["user"], is_active=True).exclude(email="").first()
    if user is None:
        raise Refused(_("The account has no address any more."))
    try:
        password_links.mail_link(user)
    except OSError:
        raise Refused(_("The mail could not be sent.")) from None
    return {}


def batch_of(job: Job) -> Batch:
    batch = Batch.objects.filter(project=job.project, pk=job.arguments["batch"]).first()
    if batch is None:
        raise Refused(_("The batch no longer exists."))
    return batch


NAMED_AS_THEIR_KIND = (
    *(import_dataset, derive_dataset, remove_dataset, quote_batch, launch_batch, import_responses, score_batch),
    *(create_results_dataset, correct_gold, mail_password_link, compare_batches, score_arms, import_predictions),
)
VERBS: dict[str, job_queue.Verb] = {verb.__name__: verb for verb in NAMED_AS_THEIR_KIND}
VERBS |= {"add_assignments": add_assignments_to_batch, "follow_up": follow_up_batch}


def queue_final_reports() -> None:
    """Compute the report of each batch whose responses are all in, once; later changes are computed when it is read."""
    done = Batch.objects.filter(activity__finished_at__gt=clock.now() - timedelta(days=7))
    old = BatchReport.objects.filter(batch=OuterRef("pk"), created_at__gte=OuterRef("activity__finished_at"))
    for batch in done.filter(~Exists(old)).select_related("project", "activity"):
        arguments = {"batch": batch.pk}
        since = batch.project.jobs.filter(kind="score_batch", created_at__gte=batch.activity.finished_at)
        if not since.filter(arguments=arguments).exists():
            title = _("Report on %(batch)s") % {"batch": in_language(batch.title)}
            enqueue_once("score_batch", project=batch.project, title=title, arguments=arguments)


# Modules with figures of large batches, which they register when loaded: `cached_figures.count_due` counts no others.
FIGURES = (batch_launch, batch_progress, batch_scores, hit_filters, methods_facts)

# Scheduled sweeps. Each may run anywhere and twice, and may be killed at any time.
SWEEPS: list[Callable[[], object]] = [
    leases.expire_due,
    prefetch.let_go_overdue,
    round_attempts.finish_due,
    assignment_approval.approve_due,
    batch_funds.adjust_closed_holds,
    announcements.announce_due,
    conclusions.catch_up_all,
    queue_final_reports,
    idempotency.forget_old,
    sign_in.forget_ended,
    backup.sweep_leftovers,
    backup.keep_copies,
    recycle_bin.erase_due,
]
# Sweeps that send something, or have much to do: they may be slow, so they come last.
ERRANDS: list[Callable[[], object]] = [
    cached_figures.count_due,
    notice_inbox.mail_due,
    project_erasure.clear_due,
]


def verbs() -> dict[str, job_queue.Verb]:
    """The function of each kind of job, including those of apps."""
    return VERBS | dict(discovery.listed("VERBS"))


def run_due_work(*, turn: AbstractContextManager[bool] | None = None, woken: bool = False) -> int:
    """Run the sweeps, then due jobs, then the errands; a failure stops no other. Returns the number of jobs.

    The sweeps run within `turn`. If it gives False, another process is at all this; we only do jobs if `woken`.
    """
    with turn or nullcontext(True) as ours:
        if ours:
            _each([*SWEEPS, *discovery.listed("SWEEPS")])
    done = 0
    while (ours or woken) and (job := job_queue.take()):
        job_queue.run(job, verbs())
        done += 1
    if ours:
        _each([*ERRANDS, *discovery.listed("ERRANDS")])
    return done


def _each(acts: list[Callable[[], object]]) -> None:
    for act in acts:
        try:
            act()
        except Exception as error:  # a defect of one errand must not hold up the others
            if is_database_unavailable(error):
                raise
            log.exception("%s.%s failed and is tried again", act.__module__, act.__qualname__)
