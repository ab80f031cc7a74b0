"""The bin: batches and projects that were removed, and can be brought back for a while.

A batch in which people answered stays in the bin, until its project is erased (`flow/clearing`). Datasets have a
removal of their own (`flow/removing`), since theirs takes a job.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import ProtectedError, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.flow import recording, reserving
from annotation.flow.refusal import Refused
from annotation.models import Account, Assignment, Batch, Dataset, Erasure, HitType, Job, Payment, PayoutLine, Project
from annotation.pure import lifecycle

KEPT_FOR = timedelta(days=30)
AT_REST = [Batch.State.DRAFT, Batch.State.CLOSED]


@transaction.atomic
def remove_batch(batch: Batch) -> bool:
    """Put a draft or a closed batch into the bin, its money settled; False when it is there. Raises Refused."""
    row = Batch.objects.filter(pk=batch.pk)
    found = row.select_for_update(of=("self",), no_key=True).select_related("project", "connection").first()
    if found is None:
        return False
    if reason := _what_keeps(found):
        raise Refused(reason)
    reserving.level(found)
    row.update(removed_at=Now())
    recording.record("removed", found)
    return True


def _what_keeps(batch: Batch) -> str:
    """Why the batch cannot go now; empty where it can."""
    if batch.state not in AT_REST:
        return _("Close the batch first: only drafts and closed batches can be removed.")
    if HitType.objects.filter(batch=batch).exists():
        return _("Another program made this batch and may still ask for its HITs, so it stays.")
    if n := batch.assignments.filter(state=lifecycle.ACCEPTED).count():
        text = ngettext("%(n)s assignment is still under way.", "%(n)s assignments are still under way.", n)
        return text % {"n": n}
    if n := reserving.undecided_of(Assignment.objects.filter(batch=batch)).count():
        return ngettext("%(n)s answer waits for approval.", "%(n)s answers wait for approval.", n) % {"n": n}
    if Payment.objects.filter(batch=batch).unsettled().exists():
        return _("Its marketplace has still to be told of payments. Try again when they are sent.")
    return ""


@transaction.atomic
def restore_batch(batch: Batch) -> bool:
    """Take a batch out of the bin; False when it is not there."""
    if not _removed(Batch.everything.filter(pk=batch.pk)).update(removed_at=None):
        return False
    recording.record("restored", batch)
    return True


def _removed(rows: QuerySet[Batch]) -> QuerySet[Batch]:
    return rows.filter(removed_at__isnull=False)


def removed_batches(project: Project) -> QuerySet[Batch]:
    """The batches in the bin, the latest first."""
    return _removed(Batch.everything.filter(project=project)).order_by("-removed_at")


def removed_datasets(project: Project) -> list[tuple[Dataset, Job]]:
    """The datasets in the bin with the jobs that will remove them, the latest first."""
    jobs = project.jobs.filter(kind="remove_dataset", state=Job.State.WAITING, tries=0).order_by("-created_at")
    by_key = {job.arguments["dataset"]: job for job in jobs}
    rows = project.datasets.filter(pk__in=by_key, state=Dataset.State.REMOVING)
    return sorted(((row, by_key[row.pk]) for row in rows), key=lambda pair: pair[1].created_at, reverse=True)


def holds_work(batch: Batch) -> bool:
    """Whether people answered in it: then it is never erased."""
    return batch.assignments.exists() or batch.payments.exists()


@transaction.atomic
def erase_batch(batch: Batch) -> None:
    """Remove a batch from the bin for good. Raises Refused while answers or payments hang on it, or it is not there."""
    row = _removed(Batch.everything.select_for_update(no_key=True).filter(pk=batch.pk)).first()
    if row is None or holds_work(row):
        raise Refused(_("This batch holds people's answers, so it stays in the bin."))
    recording.record("erased", batch)
    try:
        with transaction.atomic():
            row.delete()
    except ProtectedError:
        raise Refused(_("Something else still needs this batch, so it stays in the bin.")) from None


def erase_due(*, limit: int = 50) -> int:
    """Erase what lay in the bin for KEPT_FOR and on which nothing hangs; returns how many. A sweep.

    In any order, so that what cannot go keeps nothing else from going.
    """
    old = _removed(Batch.everything.filter(removed_at__lt=Now() - KEPT_FOR, assignments=None, payments=None))
    done = 0
    for batch in old.select_related("project").order_by("?")[:limit]:
        try:
            erase_batch(batch)
        except Refused:
            continue
        done += 1
    return done


@transaction.atomic
def remove_project(project: Project) -> bool:
    """Delete a project for now; its owners can bring it back. False when it is deleted. Raises Refused."""
    row = Project.objects.select_for_update(no_key=True).filter(pk=project.pk)
    if not row.exists():
        return False
    if reason := what_keeps_project(project):
        raise Refused(reason)
    row.update(removed_at=Now())
    recording.record("removed", project)
    return True


def what_keeps_project(project: Project) -> str:
    """Why the project cannot go; empty where it can."""
    if title := project.batches.exclude(state__in=AT_REST).values_list("title", flat=True).first():
        return _("Close the batch %(title)s first.") % {"title": title}
    rows = Assignment.objects.filter(batch__project=project)
    if rows.filter(state=lifecycle.ACCEPTED).exists():
        return _("People are still at work in it.")
    if reserving.undecided_of(rows).exists():
        return _("Answers wait for approval. Decide on them first.")
    if Payment.objects.filter(project=project).unsettled().exists():
        return _("A marketplace has still to be told of payments. Try again when they are sent.")
    if Account.objects.filter(project=project, name__startswith="worker/", balance__gt=0).exists():
        return _("Workers are still owed money. Pay it out first.")
    if PayoutLine.objects.filter(payout__project=project, state=PayoutLine.State.OPEN).exists():
        return _("A payout is still open. Say of everybody in it whether they were paid.")
    return ""


@transaction.atomic
def restore_project(project: Project) -> bool:
    """Bring a deleted project back; False when it is not deleted, or its erasure has begun."""
    row = Project.everything.select_for_update(no_key=True).filter(pk=project.pk, removed_at__isnull=False).first()
    if row is None or Erasure.objects.filter(project=row).exists():
        return False
    Project.everything.filter(pk=row.pk).update(removed_at=None)
    recording.record("restored", project)
    return True
