"""What must be settled on marketplaces before projects and workers are erased."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.marketplaces.flow import payments
from annotation.marketplaces.models import Arrival, Publication
from annotation.models import AccessKey, Batch, Project, Worker, clock
from annotation.pure.batches import lifecycle


def keeps_project(project: Project) -> str:
    """Why the project's marketplace keys are still needed; "" if they are not."""
    # keys of deleted projects are invalid, and their batches closed
    shut = AccessKey.objects.filter(project__removed_at__isnull=False)
    abroad = Batch.everything.filter(project=project, on_marketplace=True)
    abroad = abroad.exclude(marketplace__connection__key_id__in=shut.values("key_id"))
    end = max((_may_last_until(batch) for batch in abroad), default=clock.now())
    if end <= clock.now():
        return ""
    text = _(
        "Its HITs are still open on a marketplace, or the marketplace has not received all rejections. Try "
        "again in a few minutes. If the marketplace does not respond, this becomes possible after %(day)s."
    )
    return text % {"day": f"{timezone.localtime(end):%Y-%m-%d}"}


def _may_last_until(batch: Batch) -> datetime:
    """When the marketplace has ended everything of the batch by its own clock, even if it is unreachable.

    An assignment may be accepted in a HIT's last moment, submitted at its own end, and decided automatically.
    """
    mine = Publication.objects.filter(hit__batch=batch)
    looked_at = Q(state=Publication.State.PUBLISHED, due_at__isnull=False)
    rejected = payments.rejections().filter(publication__hit__batch=batch)
    rows = mine.filter(looked_at | Q(pk__in=rejected.values("publication"))).values_list("closes_at", "remote")
    # an earlier end counts only once the marketplace has been told
    ends = [max(closes_at.timestamp(), told.get("expires_at") or 0.0) for closes_at, told in rows.iterator()]
    last = timedelta(seconds=max(ends, default=0.0) + batch.lease_seconds + (batch.auto_approval or 0))
    return datetime.fromtimestamp(0, UTC) + last


def keeps_worker(worker: Worker) -> bool:
    """Whether decisions on the worker's work wait to be sent to a marketplace, which knows it by their id alone."""
    rows = Arrival.objects.filter(assignment__worker=worker, assignment__state=lifecycle.SUBMITTED)
    closed = Q(publication__state=Publication.State.FAILED)
    return rows.exclude(remote_state__in=["Approved", "Rejected"]).exclude(closed).exists()
