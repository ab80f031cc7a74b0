"""Figures in Prometheus's format: what requests took, and what the database says is under way.

With PROMETHEUS_MULTIPROC_DIR, as deploy/gunicorn.conf.py sets it, all web processes count together; without, each
counts for itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from django.db import DatabaseError
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest, multiprocess
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from annotation.flow import measuring

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SUBMITS = frozenset({"submit", "frame-submit", "external-submit"})
_own = CollectorRegistry()

REQUESTS = Counter("hopscribe_requests", "Requests answered", ["route", "method", "status"], registry=_own)
SECONDS = Histogram(
    "hopscribe_request_seconds", "What answering took", ["route"], registry=_own, buckets=(0.05, 0.2, 1, 5)
)
SUBMIT_SECONDS = Histogram(
    "hopscribe_submit_seconds",
    "What storing a submitted answer took",
    registry=_own,
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def count(route: str, *, method: str, status: int, seconds: float) -> None:
    """Count a request that was answered. `route` is a name of ours, never a path: there are only so many."""
    REQUESTS.labels(route, method if method in METHODS else "other", str(status)).inc()
    SECONDS.labels(route).observe(seconds)
    if route in SUBMITS and status < 400:
        SUBMIT_SECONDS.observe(seconds)


class FromRows(Collector):
    """The gauges that are read from the database when a monitor asks."""

    def collect(self) -> Iterator[Metric]:
        up = 1
        try:
            for gauge in measuring.gauges():
                family = GaugeMetricFamily(gauge.name, gauge.says, labels=[gauge.label] if gauge.label else [])
                for label, value in gauge.values.items():
                    family.add_metric([label] if gauge.label else [], value)
                yield family
        except DatabaseError:
            up = 0
        yield GaugeMetricFamily("hopscribe_database_up", "Whether the database answered", value=up)


def exposition() -> bytes:
    """Everything, as text."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        told = generate_latest(registry)
    else:
        told = generate_latest(_own)
    rows = CollectorRegistry()
    rows.register(FromRows())
    return told + generate_latest(rows)
