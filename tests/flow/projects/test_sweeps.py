"""What time brings about: one sweep that fails keeps neither the others nor the jobs from being done."""

from __future__ import annotations

import fcntl
import logging
import threading

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.signals import request_started
from django.test import Client

from annotation import jobs
from annotation.operations import background_thread, wake_ups

pytestmark = pytest.mark.postgresql(reason="what is due is fetched by guarded updates")


@pytest.mark.django_db
def test_a_sweep_that_fails_is_told_and_the_rest_is_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []

    def broken() -> None:
        raise ValueError("a defect")

    monkeypatch.setattr(jobs, "SWEEPS", [broken, lambda: done.append("sweep")])
    monkeypatch.setattr(jobs, "ERRANDS", [broken, lambda: done.append("errand")])
    with caplog.at_level(logging.ERROR):
        assert jobs.run_due_work() == 0
    assert done == ["sweep", "errand"]
    assert "a defect" in caplog.text


def look() -> None:
    """As web processes do: in a thread, whose connections it closes."""
    thread = threading.Thread(target=background_thread.run_due_once)
    thread.start()
    thread.join(10)


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What looks did; nobody has swept yet."""
    done: list[str] = []
    monkeypatch.setattr(jobs, "SWEEPS", [lambda: done.append("sweep")])
    monkeypatch.setattr(jobs, "ERRANDS", [lambda: done.append("errand")])
    monkeypatch.setattr(jobs.discovery, "listed", lambda *_names: [])
    monkeypatch.setattr(jobs.job_queue, "take", lambda: None)
    (settings.VAR / "sweeps.lock").unlink(missing_ok=True)
    return done


def test_a_process_leaves_the_sweeps_to_another_that_is_at_them(swept: list[str]) -> None:
    with (settings.VAR / "sweeps.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        look()
    look()
    assert swept == ["sweep", "errand"]


def test_processes_of_one_machine_sweep_once_in_five_seconds_between_them(
    swept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    look()
    look()
    assert swept == ["sweep", "errand"]
    now = background_thread.time.monotonic()
    monkeypatch.setattr(background_thread.time, "monotonic", lambda: now + background_thread.SECONDS_BETWEEN_LOOKS)
    look()
    look()
    assert swept[2:] == ["sweep", "errand"]
    monkeypatch.setattr(background_thread.time, "monotonic", lambda: 1.0)  # the machine was started again
    look()
    assert swept[4:] == ["sweep", "errand"]


def test_a_process_that_was_called_does_jobs_while_another_sweeps(
    swept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs.job_queue, "take", lambda: swept.append("job"))
    look()
    jobs.wake_worker()
    look()
    look()
    assert swept == ["sweep", "job", "errand", "job"]


@pytest.mark.django_db
def test_a_process_looks_seldom_while_nobody_uses_the_site_or_calls(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = background_thread.time.monotonic()
    monkeypatch.setattr(background_thread.time, "monotonic", lambda: now)
    request_started.connect(background_thread._note_use)
    try:
        client.get("/work/")
        assert background_thread.is_time(wake_ups.last(), now - 5)
        now += background_thread.QUIET_AFTER
        client.get("/healthz")
        assert not background_thread.is_time(wake_ups.last(), now - 5)
        assert background_thread.is_time(wake_ups.last(), now - background_thread.WHEN_QUIET)
        before = wake_ups.last()
        call_command("check_ledger", json=True)
        assert background_thread.is_time(before, now - 5)
    finally:
        request_started.disconnect(background_thread._note_use)
