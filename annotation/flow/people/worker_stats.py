"""Figures on many workers at a time: responses and qualifications."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Max, Q

from annotation.models import Assignment, Qualification, Worker


@dataclass(slots=True)
class Known:
    """A worker's number of responses, time of the last one, and scores as (id, name, value)."""

    submitted: int = 0
    last: datetime | None = None
    held: list[tuple[str, str, int]] = field(default_factory=list)


def of_workers(workers: Sequence[Worker]) -> dict[int, Known]:
    """Figures by the workers' keys, in two queries."""
    keys = [worker.pk for worker in workers]
    found: defaultdict[int, Known] = defaultdict(Known, {key: Known() for key in keys})
    submitted = Count("pk", filter=Q(state=Assignment.State.SUBMITTED))
    rows = Assignment.objects.filter(worker__in=keys).order_by().values("worker")
    for row in rows.annotate(n=submitted, taken=Max("accepted_at"), sent=Max("submitted_at")):
        times = [time for time in (row["taken"], row["sent"]) if time]
        found[row["worker"]].submitted = row["n"]
        found[row["worker"]].last = max(times, default=None)
    granted = Qualification.objects.filter(
        worker__in=keys, state=Qualification.State.GRANTED, type__deleted_at__isnull=True
    )
    for key, *score in granted.order_by("pk").values_list("worker", "type__public_id", "type__name", "value"):
        found[key].held.append((score[0], score[1], score[2]))
    return dict(found)
