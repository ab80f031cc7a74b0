"""Metrics for Prometheus: durations of requests, and the workload read from the database.

With PROMETHEUS_MULTIPROC_DIR, as deploy/gunicorn.conf.py sets it, all web processes count together; without it, each
counts its own requests.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.db.models import Count, Min, QuerySet
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from annotation import discovery
from annotation.models import Assignment, Batch, Job, Payment, clock
from annotation.pure.batches import lifecycle

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SUBMITS = frozenset({"submit", "frame-submit", "external-submit"})
_own = CollectorRegistry()

REQUESTS = Counter("hopscribe_requests", "Number of requests", ["route", "method", "status"], registry=_own)
SECONDS = Histogram(
    "hopscribe_request_seconds", "Duration of requests", ["route"], registry=_own, buckets=(0.05, 0.2, 1, 5)
)
SUBMIT_SECONDS = Histogram(
    "hopscribe_submit_seconds",
    "Duration of storing a submitted response",
    registry=_own,
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def count(route: str, *, method: str, status: int, seconds: float) -> None:
    """Count a request. `route` is a route's name, never a path, to keep the number of time series small."""
    REQUESTS.labels(route, method if method in METHODS else "other", str(status)).inc()
    SECONDS.labels(route).observe(seconds)
    if route in SUBMITS and status < 400:
        SUBMIT_SECONDS.observe(seconds)


class FromRows(Collector):
    """A collector of gauges that are read from the database when Prometheus asks."""

    def collect(self) -> Iterator[Metric]:
        up = 1
        try:
            for gauge in gauges():
                family = GaugeMetricFamily(gauge.name, gauge.help_text, labels=[gauge.label] if gauge.label else [])
                for label, value in gauge.values.items():
                    family.add_metric([label] if gauge.label else [], value)
                yield family
        except DatabaseError:
            up = 0
        yield GaugeMetricFamily("hopscribe_database_up", "Whether the database is reachable", value=up)


def exposition() -> bytes:
    """All metrics as text."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # of the library
        content = generate_latest(registry)
    else:
        content = generate_latest(_own)
    rows = CollectorRegistry()
    rows.register(FromRows())
    return content + generate_latest(rows)


@dataclass(frozen=True, slots=True)
class Gauge:
    """One metric: its name, its description, and its values by label."""

    name: str
    help_text: str
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
    oldest, overdue = {"": _age(found["first"])}, {"": _age(found["ending"])}
    yield Gauge("hopscribe_lease_oldest_seconds", "Age of the oldest accepted assignment in seconds", oldest)
    yield Gauge("hopscribe_lease_overdue_seconds", "Seconds since the oldest overdue lease ended", overdue)
    yield Gauge("hopscribe_drafts", "Accepted assignments with a saved draft", {"": found["kept"]})


def _outboxes() -> Iterator[Gauge]:
    """Outgoing payments, publications and notifications that are due, and the age of the oldest of each."""
    boxes: dict[str, QuerySet[Any]] = {"payments": Payment.objects.unsettled()}
    boxes |= {name: rows() for name, rows in discovery.listed("OUTBOXES")}
    found = {name: rows.aggregate(n=Count("pk"), first=Min("due_at")) for name, rows in boxes.items()}
    depths = {name: float(row["n"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox", "Outgoing rows not sent yet", depths, "box")
    ages = {name: _age(row["first"]) for name, row in found.items()}
    yield Gauge("hopscribe_outbox_oldest_due_seconds", "Seconds since the oldest of them was due", ages, "box")


def _age(since: datetime | None) -> float:
    return max(0.0, (clock.now() - since).total_seconds()) if since else 0.0
