"""Metrics of an installation's workload, read from the database, so that every process reports the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from annotation import discovery
from annotation.models import Assignment, Batch, Job, Payment, clock
from annotation.pure.batches import lifecycle


@dataclass(frozen=True, slots=True)
class Gauge:
    """One metric: its name, its description, and its values by label."""

    name: str
    says: str
    values: dict[str, float]
    label: str = ""  # without one there is one value, under ""


def gauges() -> Iterator[Gauge]:
    """All metrics. Each is one query over a partial index, so the cost does not grow with the work done."""
    yield from _jobs()
    yield from _leases()
    yield from _outboxes()
    states = dict.fromkeys(Batch.State.values, 0.0)
    states |= dict(Batch.objects.values_list("state").annotate(n=Count("pk")).order_by())
    yield Gauge("hopscribe_batches", "Batches by state", states, "state")


def _jobs() -> Iterator[Gauge]:
    alive = Job.objects.filter(state__in=[Job.State.WAITING, Job.State.RUNNING])
    counted = {"waiting": 0.0, "running": 0.0} | dict(alive.values_list("state").annotate(n=Count("pk")).order_by())
    yield Gauge("hopscribe_jobs", "Background jobs, waiting or running", counted, "state")
    waiting = Job.objects.filter(state=Job.State.WAITING).aggregate(first=Min("due_at"))["first"]
    yield Gauge("hopscribe_job_oldest_due_seconds", "Seconds since the oldest waiting job was due", {"": _age(waiting)})


def _leases() -> Iterator[Gauge]:
    live = Assignment.objects.filter(state=lifecycle.ACCEPTED)
    found = live.aggregate(n=Count("pk"), first=Min("accepted_at"), ending=Min("lease_until"), kept=Count("draft"))
    yield Gauge("hopscribe_leases", "Accepted assignments", {"": found["n"]})
    yield Gauge(
        "hopscribe_lease_oldest_seconds", "Age of the oldest accepted assignment in seconds", {"": _age(found["first"])}
    )
    yield Gauge(
        "hopscribe_lease_overdue_seconds", "Seconds since the oldest overdue lease ended", {"": _age(found["ending"])}
    )
    yield Gauge("hopscribe_drafts", "Accepted assignments with a saved draft", {"": found["kept"]})


def _outboxes() -> Iterator[Gauge]:
    """Outgoing payments, publications and notifications that are due, and the age of the oldest of each."""
    boxes: dict[str, QuerySet] = {
        "payments": Payment.objects.unsettled(),
    }
    boxes |= {name: rows() for name, rows in discovery.listed("jobs", "OUTBOXES")}
    found = {name: rows.aggregate(n=Count("pk"), first=Min("due_at")) for name, rows in boxes.items()}
    depths = {name: float(row["n"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox", "Outgoing rows not sent yet", depths, "box")
    ages = {name: _age(row["first"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox_oldest_due_seconds", "Seconds since the oldest of them was due", ages, "box")


def _age(since: datetime | None) -> float:
    return max(0.0, (clock.now() - since).total_seconds()) if since else 0.0
