"""The bin: deleted batches and projects, which can be restored for a while.

A batch with responses stays in the bin until its project is erased (`flow/projects/project_erasure`). Datasets have
their own deletion (`flow/data/dataset_removal`), because theirs takes a job.
"""

from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow.errors import Refused
from annotation.flow.money import batch_funds
from annotation.flow.projects import audit_log
from annotation.models import Account, Assignment, Batch, Dataset, Erasure, Job, Payment, PayoutLine, Project
from annotation.pure.batches import lifecycle

KEPT_FOR = timedelta(days=30)
AT_REST = [Batch.State.DRAFT, Batch.State.CLOSED]


@transaction.atomic
def remove_batch(batch: Batch) -> bool:
    """Delete a draft or a closed batch whose money is settled; False if it is deleted already. Raises Refused."""
    row = Batch.objects.filter(pk=batch.pk)
    # Lock: resuming the batch at the same time would give a deleted batch new work.
    found = row.select_for_update(of=("self",), no_key=True).select_related("project").first()
    if found is None:
        return False
    if reason := _what_keeps(found):
        raise Refused(reason)
    batch_funds.adjust_hold(found)
    row.update(removed_at=Now())
    audit_log.record("removed", found)
    return True


def _what_keeps(batch: Batch) -> str:
    """The reason why the batch cannot be deleted now, or ""."""
    if batch.state not in AT_REST:
        return _("Close the batch first: only drafts and closed batches can be deleted.")
    if batch.by_program:
        return _(
            "Another program created this batch through the MTurk API and may still need its HITs, so it "
            "cannot be deleted."
        )
    if batch.experiment is not None and not batch.experiment.draws.exists():
        return _("It is an arm of the experiment %(name)s. Remove the experiment first.") % {"name": batch.experiment}
    if n := batch.assignments.filter(state=lifecycle.ACCEPTED).count():
        text = ngettext("%(n)s assignment is still in progress.", "%(n)s assignments are still in progress.", n)
        return text % {"n": n}
    if n := batch_funds.undecided_of(Assignment.objects.filter(batch=batch)).count():
        return ngettext("%(n)s response awaits approval.", "%(n)s responses await approval.", n) % {"n": n}
    if Payment.objects.filter(batch=batch).unsettled().exists():
        return _("Some payments have not been sent to the marketplace yet. Try again later.")
    return ""


@transaction.atomic
def restore_batch(batch: Batch) -> bool:
    """Restore a batch; False if it is not deleted."""
    if not _removed(Batch.everything.filter(pk=batch.pk)).update(removed_at=None):
        return False
    audit_log.record("restored", batch)
    return True


def _removed(rows: QuerySet[Batch]) -> QuerySet[Batch]:
    return rows.filter(removed_at__isnull=False)


def removed_batches(project: Project) -> QuerySet[Batch]:
    """Deleted batches, latest first."""
    return _removed(Batch.everything.filter(project=project)).order_by("-removed_at")


def removed_datasets(project: Project) -> list[tuple[Dataset, Job]]:
    """Deleted datasets with the jobs that will erase them, latest first."""
    jobs = project.jobs.filter(kind="remove_dataset", state=Job.State.WAITING, tries=0).order_by("-created_at")
    by_key = {job.arguments["dataset"]: job for job in jobs}
    rows = project.datasets.filter(pk__in=by_key, state=Dataset.State.REMOVING)
    return sorted(((row, by_key[row.pk]) for row in rows), key=lambda pair: pair[1].created_at, reverse=True)


def holds_work(batch: Batch) -> bool:
    """Whether the batch has assignments or payments, so that it is never erased."""
    return batch.assignments.exists() or batch.payments.exists()


@transaction.atomic
def erase_batch(batch: Batch) -> None:
    """Erase a deleted batch. Raises Refused while responses or payments refer to it, or it is not deleted."""
    # Lock: somebody may restore it at the same time.
    row = _removed(Batch.everything.select_for_update(no_key=True).filter(pk=batch.pk)).first()
    if row is None or holds_work(row):
        raise Refused(_("This batch contains workers' responses, so it stays in the bin."))
    audit_log.record("erased", batch)
    try:
        with transaction.atomic():
            row.delete()
    except ProtectedError:
        raise Refused(_("This batch is still in use elsewhere, so it stays in the bin.")) from None


def erase_due(*, limit: int = 50) -> int:
    """Erase batches deleted KEPT_FOR ago that nothing refers to; returns the number erased. A sweep.

    In random order, so that a batch that cannot be erased does not delay others.
    """
    old = _removed(Batch.everything.filter(removed_at__lt=Now() - KEPT_FOR, assignments=None, payments=None))
    done = 0
    for batch in old.select_related("project").order_by("?")[:limit]:
        with suppress(Refused):
            erase_batch(batch)
            done += 1
    return done


@transaction.atomic
def remove_project(project: Project) -> bool:
    """Delete a project; its owners can restore it. False if it is deleted already. Raises Refused."""
    # Lock: of two deletions at the same time only one is recorded.
    row = Project.objects.select_for_update(no_key=True).filter(pk=project.pk)
    if not row.exists():
        return False
    if reason := what_keeps_project(project):
        raise Refused(reason)
    row.update(removed_at=Now())
    audit_log.record("removed", project)
    return True


def what_keeps_project(project: Project) -> str:
    """The reason why the project cannot be deleted, or ""."""
    if title := project.batches.exclude(state__in=AT_REST).values_list("title", flat=True).first():
        return _("Close the batch %(title)s first.") % {"title": title}
    rows = Assignment.objects.filter(batch__project=project)
    if rows.filter(state=lifecycle.ACCEPTED).exists():
        return _("Workers are still working on it.")
    if batch_funds.undecided_of(rows).exists():
        return _("Some responses await approval. Decide on them first.")
    if Payment.objects.filter(project=project).unsettled().exists():
        return _("Some payments have not been sent to a marketplace yet. Try again later.")
    if Account.objects.filter(project=project, name__startswith="worker/", balance__gt=0).exists():
        return _("Some workers are still owed money. Pay them first.")
    if PayoutLine.objects.filter(payout__project=project, state=PayoutLine.State.OPEN).exists():
        return _("A payout is still open. Record for each worker whether they were paid.")
    return ""


@transaction.atomic
def restore_project(project: Project) -> bool:
    """Restore a deleted project; False if it is not deleted, or its erasure has begun."""
    # Lock: the erasure locks this row before it begins.
    row = Project.everything.select_for_update(no_key=True).filter(pk=project.pk, removed_at__isnull=False).first()
    if row is None or Erasure.objects.filter(project=row).exists():
        return False
    Project.everything.filter(pk=row.pk).update(removed_at=None)
    audit_log.record("restored", project)
    return True
