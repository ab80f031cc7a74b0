"""Whether an installation is ready, and who may see its figures."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from annotation import celery, jobs
from annotation.models import Assignment, Job, Project
from annotation.operations import readiness
from tests.views.console import take

pytestmark = pytest.mark.postgresql(reason="the database is asked in its own words")


@pytest.mark.django_db
def test_a_sound_installation_is_ready() -> None:
    response = Client().get("/readyz")
    assert response.status_code == 200
    assert response.json() == {"ready": True, "checks": {"database": "ok", "storage": "ok"}}


@pytest.mark.django_db
def test_what_is_away_is_named_with_503_and_no_secret(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMBEDDED_JOBS = False
    settings.VAR = tmp_path / "gone"
    monkeypatch.setattr("annotation.celery.broker_trouble", lambda seconds: "redis://:canary@there refused")
    away = Client().get("/readyz")
    assert away.status_code == 503
    assert away.json()["checks"] == {"database": "ok", "storage": "cannot be written", "broker": "does not answer"}

    def gone(*_: Any, **__: Any) -> Any:
        raise OperationalError("password canary")

    monkeypatch.setattr(connection, "cursor", gone)
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["database"] == "does not answer"
    assert "canary" not in away.content.decode() + response.content.decode()
    assert "hopscribe_database_up 0.0" in Client().get("/metrics").content.decode()


@pytest.mark.django_db
def test_a_database_that_lacks_a_migration_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_migrated", set())
    monkeypatch.setattr("annotation.operations.readiness.MigrationExecutor.migration_plan", lambda *_: ["one"])
    assert Client().get("/readyz").json()["checks"]["database"] == "migrations are missing"


@pytest.mark.app("webhooks", "mturk_api")
def test_the_figures_are_those_of_the_rows(project: Any, batch: Any, bob: Any) -> None:
    take(bob, batch)
    now = timezone.now()
    Assignment.objects.update(accepted_at=now - timedelta(minutes=10), lease_until=now - timedelta(minutes=1))
    Job.objects.create(kind="x", project=project, title="X", due_at=now - timedelta(hours=1))
    result = Client().get("/metrics").content.decode()
    found = {
        key: float(value)
        for key, _space, value in (line.partition(" ") for line in result.splitlines() if line[0] != "#")
    }
    assert found['hopscribe_jobs{state="waiting"}'] == 1
    assert found["hopscribe_job_oldest_due_seconds"] == pytest.approx(3600, abs=60)
    assert found["hopscribe_leases"] == 1
    assert found["hopscribe_lease_oldest_seconds"] == pytest.approx(600, abs=60)
    assert found["hopscribe_lease_overdue_seconds"] == pytest.approx(60, abs=59)
    assert found['hopscribe_batches{state="open"}'] == 1
    boxes = ("publications", "payments", "events", "webhooks")
    assert {f'hopscribe_outbox{{box="{box}"}}' for box in boxes} <= set(found)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"REMOTE_ADDR": "127.0.0.1"}, 200),
        ({"REMOTE_ADDR": "::1"}, 200),
        ({"REMOTE_ADDR": "10.1.2.3"}, 404),
        ({"REMOTE_ADDR": ""}, 404),
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9"}, 404),
        ({"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": "Bearer wrong"}, 404),
        ({"REMOTE_ADDR": "203.0.113.9", "HTTP_AUTHORIZATION": "Bearer of the monitor"}, 200),
    ],
)
@pytest.mark.django_db
def test_only_a_monitor_sees_them(settings: Any, headers: dict[str, str], status: int) -> None:
    settings.METRICS_TOKEN = "of the monitor"
    assert Client().get("/metrics", **headers).status_code == status


@pytest.mark.django_db
def test_networks_may_be_named(settings: Any) -> None:
    settings.METRICS_ALLOW = ["10.0.0.0/8"]
    assert Client().get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 200
    assert Client().get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_job_is_posted_while_the_broker_is_away(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **_more: Any) -> None:
        raise ConnectionError("connection refused")

    settings.EMBEDDED_JOBS = False
    monkeypatch.setattr(celery.app, "send_task", refuse)
    project = Project.objects.create(slug="towers", title="Towers")
    jobs.enqueue("score_batch", project=project, title="Score", arguments={})
    assert Job.objects.get().state == "waiting"
