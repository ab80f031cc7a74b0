"""Taking a dataset away, with a while in which that can be undone."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.flow import queueing
from annotation.flow.filling import remove_dataset
from annotation.flow.refusal import Refused
from annotation.models import Dataset, Job, User

UNDO_FOR = timedelta(minutes=10)
KIND = "remove_dataset"


@transaction.atomic
def begin(dataset: Dataset, *, user: User | None) -> Job:
    """Hide a dataset now and remove it when UNDO_FOR is over. Raises Refused while something hangs on it."""
    if not Dataset.objects.whole().filter(pk=dataset.pk).exists() or _needed(dataset):
        raise _in_use(dataset)
    Dataset.objects.filter(pk=dataset.pk).update(state=Dataset.State.REMOVING, beat_at=Now())
    title = _("Remove the dataset %(name)s") % {"name": dataset.slug}
    job = queueing.post(KIND, project=dataset.project, title=title, arguments={"dataset": dataset.pk}, user=user)
    Job.objects.filter(pk=job.pk).update(due_at=Now() + UNDO_FOR)
    return job


def _needed(dataset: Dataset) -> bool:
    return dataset.batches.exists() or dataset.descendants.exists()


def _in_use(dataset: Dataset) -> Refused:
    text = _("%(name)s is used by a batch, or another dataset descends from it, so it stays.")
    return Refused(text % {"name": dataset.slug})


def finish(dataset: Dataset) -> None:
    """Remove a hidden dataset. Raises Refused, and shows it again, where a batch was made of it meanwhile."""
    if _needed(dataset):
        Dataset.objects.filter(pk=dataset.pk, state=Dataset.State.REMOVING).update(state=Dataset.State.READY)
        raise _in_use(dataset)
    remove_dataset(dataset)


@transaction.atomic
def undo(job: Job) -> bool:
    """Bring a dataset back whose removal has not begun; False when it was too late."""
    waiting = Job.objects.filter(pk=job.pk, kind=KIND, state=Job.State.WAITING, tries=0)
    if not waiting.update(state=Job.State.DONE, result={"undone": True}, ended_at=Now()):
        return False
    hidden = Dataset.objects.filter(pk=job.arguments["dataset"], state=Dataset.State.REMOVING)
    return bool(hidden.update(state=Dataset.State.READY))
