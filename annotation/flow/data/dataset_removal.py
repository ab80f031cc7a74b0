"""Deletion of a dataset, which can be undone for a while."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow.data.item_writer import remove_dataset
from annotation.flow.errors import Refused
from annotation.flow.projects import audit_log, job_queue
from annotation.models import Batch, Dataset, Job, User

UNDO_FOR = timedelta(days=30)
NEWS_FOR = timedelta(minutes=10)
KIND = "remove_dataset"


@transaction.atomic
def begin(dataset: Dataset, *, user: User | None) -> Job:
    """Hide a dataset and erase it after UNDO_FOR; its name stays taken. Raises Refused while it is in use."""
    if not Dataset.objects.whole().filter(pk=dataset.pk).exists() or _needed(dataset):
        raise _in_use(dataset)
    Dataset.objects.filter(pk=dataset.pk).update(state=Dataset.State.REMOVING, beat_at=Now() + UNDO_FOR)
    title = _("Delete the dataset %(name)s") % {"name": dataset.slug}
    job = job_queue.post(KIND, project=dataset.project, title=title, arguments={"dataset": dataset.pk}, user=user)
    Job.objects.filter(pk=job.pk).update(due_at=Now() + UNDO_FOR)
    audit_log.record("removed", dataset)
    return job


def under_way(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Waiting and running jobs; deletions only while they are recent, as they wait for weeks."""
    moving = jobs.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    return moving.exclude(kind=KIND, created_at__lt=Now() - NEWS_FOR)


@transaction.atomic
def hasten(job: Job, dataset: Dataset) -> bool:
    """Erase a hidden dataset now; False if that has begun, or the deletion was undone."""
    waiting = Job.objects.filter(pk=job.pk, kind=KIND, state=Job.State.WAITING, tries=0)
    if not waiting.update(due_at=Now()):
        return False
    audit_log.record("erased", dataset)
    return True


def _needed(dataset: Dataset) -> bool:
    return Batch.everything.filter(datasets=dataset).exists() or dataset.descendants.exists()


def _in_use(dataset: Dataset) -> Refused:
    text = _("%(name)s is used by a batch or by a derived dataset, so it cannot be deleted.")
    return Refused(text % {"name": dataset.slug})


def finish(dataset: Dataset) -> None:
    """Erase a hidden dataset. Raises Refused, and unhides it, if it has come into use meanwhile."""
    if _needed(dataset):
        Dataset.objects.filter(pk=dataset.pk, state=Dataset.State.REMOVING).update(state=Dataset.State.READY)
        raise _in_use(dataset)
    remove_dataset(dataset)


@transaction.atomic
def undo(job: Job) -> bool:
    """Restore a dataset whose erasure has not begun; False if it is too late."""
    waiting = Job.objects.filter(pk=job.pk, kind=KIND, state=Job.State.WAITING, tries=0)
    if not waiting.update(state=Job.State.DONE, result={"undone": True}, ended_at=Now()):
        return False
    hidden = Dataset.objects.filter(pk=job.arguments["dataset"], state=Dataset.State.REMOVING)
    if not hidden.update(state=Dataset.State.READY):
        return False
    audit_log.record("restored", Dataset.objects.select_related("project").get(pk=job.arguments["dataset"]))
    return True
