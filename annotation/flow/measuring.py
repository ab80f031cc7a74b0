"""What an installation has under way, as numbers for a monitor. Read from the rows, so every process tells the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from annotation.models import Assignment, Batch, Delivery, Event, Job, Payment, Publication, clock
from annotation.pure import lifecycle


@dataclass(frozen=True, slots=True)
class Gauge:
    """One figure: its name, what it says, and its values by label."""

    name: str
    says: str
    values: dict[str, float]
    label: str = ""  # without one there is one value, under ""


def gauges() -> Iterator[Gauge]:
    """Every figure. Each is one query over a partial index, so that asking costs nothing that grows with the work."""
    yield from _jobs()
    yield from _leases()
    yield from _outboxes()
    states = dict.fromkeys(Batch.State.values, 0.0)
    states |= dict(Batch.objects.values_list("state").annotate(n=Count("pk")).order_by())
    yield Gauge("hopscribe_batches", "Batches by state", states, "state")


def _jobs() -> Iterator[Gauge]:
    alive = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    counted = {"waiting": 0.0, "running": 0.0} | dict(alive.values_list("state").annotate(n=Count("pk")).order_by())
    yield Gauge("hopscribe_jobs", "Background jobs that wait or run", counted, "state")
    waiting = Job.objects.filter(state=Job.State.WAITING).aggregate(first=Min("due_at"))["first"]
    yield Gauge("hopscribe_job_oldest_due_seconds", "How long the oldest waiting job is due", {"": _age(waiting)})


def _leases() -> Iterator[Gauge]:
    live = Assignment.objects.filter(state=lifecycle.ACCEPTED)
    found = live.aggregate(n=Count("pk"), first=Min("accepted_at"), ending=Min("lease_until"), kept=Count("draft"))
    yield Gauge("hopscribe_leases", "Assignments that people hold", {"": found["n"]})
    yield Gauge("hopscribe_lease_oldest_seconds", "Age of the oldest of them", {"": _age(found["first"])})
    yield Gauge("hopscribe_lease_overdue_seconds", "How long the first is over, unswept", {"": _age(found["ending"])})
    yield Gauge("hopscribe_drafts", "Assignments held with a saved draft", {"": found["kept"]})


def _outboxes() -> Iterator[Gauge]:
    """What marketplaces and programs have still to be told, and how long the oldest of each is due."""
    boxes: dict[str, QuerySet] = {
        "publications": Publication.objects.unsent(),
        "payments": Payment.objects.unsettled(),
        "events": Event.objects.filter(state=Event.State.DUE),
        "webhooks": Delivery.objects.filter(state=Delivery.State.DUE, webhook__active=True),
    }
    found = {name: rows.aggregate(n=Count("pk"), first=Min("due_at")) for name, rows in boxes.items()}
    depths = {name: float(row["n"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox", "Rows that others have still to be told of", depths, "box")
    ages = {name: _age(row["first"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox_oldest_due_seconds", "How long the oldest of them is due", ages, "box")


def _age(since: datetime | None) -> float:
    return max(0.0, (clock.now() - since).total_seconds()) if since else 0.0
