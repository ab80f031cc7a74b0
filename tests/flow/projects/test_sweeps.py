"""What time brings about: one sweep that fails keeps neither the others nor the jobs from being done."""

from __future__ import annotations

import fcntl
import logging
import threading

import pytest
from django.conf import settings

from annotation import jobs
from annotation.operations import background_thread

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
    thread = threading.Thread(target=background_thread.look)
    thread.start()
    thread.join(10)


def test_a_process_leaves_the_sweeps_to_another_that_is_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[str] = []
    monkeypatch.setattr(jobs, "SWEEPS", [lambda: swept.append("sweep")])
    monkeypatch.setattr(jobs, "ERRANDS", [lambda: swept.append("errand")])
    monkeypatch.setattr(jobs.discovery, "listed", lambda *_names: [])
    monkeypatch.setattr(jobs.job_queue, "take", lambda: None)
    with (settings.VAR / "sweeps.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        look()
    look()
    assert swept == ["errand", "sweep", "errand"]
