"""Metrics for Prometheus: durations of requests, and the workload read from the database.

With PROMETHEUS_MULTIPROC_DIR, as deploy/gunicorn.conf.py sets it, all web processes count together; without it, each
counts its own requests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.db import DatabaseError
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from annotation.operations import workload

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
            for gauge in workload.gauges():
                family = GaugeMetricFamily(gauge.name, gauge.says, labels=[gauge.label] if gauge.label else [])
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
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        told = generate_latest(registry)
    else:
        told = generate_latest(_own)
    rows = CollectorRegistry()
    rows.register(FromRows())
    return told + generate_latest(rows)
