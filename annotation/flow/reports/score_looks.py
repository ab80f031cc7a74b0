"""Looks at the scores of a batch before all of its responses are in.

Whoever sees scores early may stop or go on because of them (optional stopping), so scores stay folded until then; each
look is logged with the number of responses, and the methods paragraph says what followed.
"""

from django.db.models import F, QuerySet

from annotation.flow.projects import audit_log
from annotation.models import AuditEntry, Batch, Hit
from annotation.recruitment import used

LOOK, MORE = "scores opened", "topped up"  # actions in the audit log


def is_complete(batch: Batch) -> bool:
    """Whether all wanted responses are in, or no more will come because the batch is closed."""
    return batch.state == Batch.State.CLOSED or not _short(batch).exists()


def responses(batch: Batch) -> int:
    """Submitted responses that figures count."""
    rows = batch.assignments.submitted().filter(hit__check_item=False, hit__excluded_at__isnull=True)
    return used(batch, rows).count()


def record_look(batch: Batch) -> int:
    """Log that somebody sees the scores of n responses, before all are in; returns n.

    Not logged: without responses, and if the log's last look was at as many. Call it once there is something to see.
    """
    n = responses(batch)
    last = _log(batch).filter(act=LOOK).order_by("-pk").first()
    if n and not is_complete(batch) and (last is None or last.details.get("n") != n):
        audit_log.record(LOOK, batch, n=n)
    return n


def early_looks(batch: Batch) -> tuple[int, int, bool]:
    """What followed from looks at the scores before all responses were in.

    (responses at the first look, or 0; items that got more assignments after it; whether the batch was closed after it
    with responses missing).
    """
    first = _log(batch).filter(act=LOOK).order_by("pk").first()
    if first is None:
        return 0, 0, False
    items = sum(int(row.details.get("hits", 0)) for row in _log(batch).filter(act=MORE, pk__gt=first.pk))
    stopped = batch.state == Batch.State.CLOSED and _short(batch).exists()
    return int(first.details["n"]), items, stopped


def _short(batch: Batch) -> QuerySet[Hit]:
    return batch.hits.filter(check_item=False, excluded_at__isnull=True, done__lt=F("wanted"))


def _log(batch: Batch) -> QuerySet[AuditEntry]:
    """Its lines in the log, without those of an erased batch whose name it has."""
    lines = AuditEntry.objects.filter(project=batch.project_id, kind="batch", key=batch.slug)
    return lines.filter(at__gte=batch.created_at)
