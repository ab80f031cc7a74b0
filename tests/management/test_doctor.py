"""`manage.py doctor` finds what is not well and says how to mend it."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from annotation.flow.projects.projects import project_named
from annotation.marketplaces.models import Connection
from annotation.models import Assignment, Job
from annotation.operations import checks, doctor
from tests.management.conftest import Run
from tests.process.installation import free_port
from tests.views.console import take

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    """An installation without the faults that a machine of tests may have."""
    settings.VAR = tmp_path
    monkeypatch.setattr(doctor, "LEAST_FREE", 0)
    monkeypatch.setattr("django.core.checks.run_checks", lambda **_: [])


def test_a_sound_installation_is_well(run: Run) -> None:
    ended = run("doctor", "--json")
    assert ended.code == 0, ended.err
    parts = {row["part"]: row for row in ended.document["parts"]}
    assert {"database", "settings", "storage", "static files", "clock", "jobs", "broker"} <= set(parts)
    assert {"scheduled sweeps", "stored secrets", "mail", "API rate limit"} <= set(parts)
    assert all(row["well"] for row in parts.values())


def test_how_requests_to_the_api_are_counted_is_told(run: Run, settings: Any) -> None:
    alone = run("doctor", "--json").document["parts"]
    assert "counted per web process" in next(p["told"] for p in alone if p["part"] == "API rate limit")
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    settings.CACHES = settings.CACHES | {
        "counts": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": nowhere}
    }
    ended = run("doctor")
    assert ended.code == 1
    assert "FIX   API rate limit: not enforced" in ended.err


def test_what_waits_too_long_a_full_disk_and_a_closed_marketplace_are_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_named("default")
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.create(project=project, kind="score_batch", title="Score", due_at=long_ago)
    where = {
        "endpoint_url": "https://mturk-requester.us-east-1.amazonaws.com",
        "worker_origin": "https://www.mturk.com",
    }
    Connection.objects.create(project=project, name="old", preset="aws", key_id="K", secret="canary secret", **where)
    monkeypatch.setattr(doctor, "LEAST_FREE", 2**60)
    ended = run("doctor")
    assert ended.code == 1
    assert "FIX   storage" in ended.err
    assert "FIX   jobs: 1 waiting" in ended.err
    assert "FIX   marketplace default/old: Amazon closed" in ended.err
    assert "Start Celery worker and beat" in ended.err
    assert "canary" not in ended.out + ended.err


def test_a_clock_that_is_wrong_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MOST_SKEW", -1.0)
    ended = run("doctor")
    assert ended.code == 1
    assert "FIX   clock: this machine and the database differ by" in ended.err


def test_a_broker_that_is_away_is_told(run: Run, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMBEDDED_JOBS = False
    monkeypatch.setattr("annotation.management.commands.doctor.broker_trouble", lambda: "connection refused")
    ended = run("doctor")
    assert ended.code == 1
    assert "FIX   broker: does not answer: connection refused" in ended.err


def test_a_secret_that_nobody_opens_and_a_clock_that_stands_still_are_told(
    run: Run, settings: Any, batch: Any, bob: Any
) -> None:
    where = {"endpoint_url": "https://m.example", "worker_origin": "https://w.example"}
    Connection.objects.create(project=batch.project, name="m", preset="aws", key_id="K", secret="canary", **where)
    take(bob, batch)
    Assignment.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    before, settings.SECRET_KEY = settings.SECRET_KEY, "n" * 60
    ended = run("doctor")
    assert ended.code == 1
    assert "FIX   stored secrets: 1 in marketplaces_connection cannot be decrypted" in ended.err
    assert "FIX   scheduled sweeps: 1 leases overdue" in ended.err
    assert run("reseal").code == 1
    settings.SECRET_KEY_FALLBACKS = [before]
    assert run("reseal").code == 0
    settings.SECRET_KEY_FALLBACKS = []
    assert Connection.objects.get().secret == "canary"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite is copied each hour")
def test_hourly_copies_that_stopped_are_told(run: Run, settings: Any) -> None:
    (settings.VAR / "backups").mkdir()
    old = settings.VAR / "backups/hopscribe-20260101T000000.sqlite3"
    old.touch()
    os.utime(old, (0, 0))
    assert "FIX   backups: the last hourly copy is" in run("doctor").err


def test_a_mail_server_that_takes_no_letters_is_told(run: Run, settings: Any) -> None:
    settings.EMAIL_URL, settings.EMAIL_HOST, settings.EMAIL_PORT = "smtp://localhost", "127.0.0.1", free_port()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    ended = run("doctor", "--json")
    (mail,) = [row for row in ended.document["parts"] if row["part"] == "mail"]
    assert (ended.code, mail["well"], "EMAIL_URL" in mail["mend"]) == (1, False, True)


def test_storage_that_a_restart_deletes_is_told(run: Run, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr("django.core.checks.run_checks", lambda **_: checks.storage_lasts(None))
    assert run("doctor").code == 0
    settings.EPHEMERAL = True
    ended = run("doctor")
    assert ended.code == 1
    assert f"FIX   settings hopscribe.W003: {settings.VAR} is deleted when the server restarts" in ended.err
