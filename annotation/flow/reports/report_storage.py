"""Storing a batch's reports, which may be computed while others decide on its HITs, or by two runs at once."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.flow.batches.hit_filters import BatchPart
from annotation.models import AuditEntry, Batch, BatchReport, PartReport

PARTS_KEPT = 20  # stored reports of parts of a batch, latest first

Since = tuple[int, datetime | None]


def since(batch: Batch) -> Since:
    """The state that `store` compares, before a report is computed."""
    last = AuditEntry.objects.aggregate(last=Max("pk"))["last"] or 0
    return last, BatchReport.objects.filter(batch=batch).values_list("created_at", flat=True).first()


@transaction.atomic
def store(batch: Batch, part: BatchPart, version: str, content: dict[str, Any], before: Since) -> None:
    """Store a report of the batch as of `version`, or of its part.

    It counts as out of date if something was decided on a HIT since `before`, such as an exclusion, which it may have
    read, or another run stored one, whose scores the HITs may have: the version may be the same again, now or later.
    """
    Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)  # as those who restore do, so that none does now
    decided = AuditEntry.objects.filter(pk__gt=before[0], project=batch.project_id, kind="hit")
    is_current = not decided.exists() and (part.key or since(batch)[1] == before[1])
    kept = {"stand": version if is_current else "", "content": content}
    if not part.key:
        BatchReport.objects.update_or_create(batch=batch, defaults=kept)
        return
    PartReport.objects.update_or_create(batch=batch, part=part.key, defaults=kept)
    last = batch.part_reports.order_by("-created_at", "-pk").values_list("pk", flat=True)[:PARTS_KEPT]
    batch.part_reports.exclude(pk__in=list(last)).delete()
