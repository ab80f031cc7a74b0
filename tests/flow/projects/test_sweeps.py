"""What time brings about: one sweep that fails keeps neither the others nor the jobs from being done."""

from __future__ import annotations

import logging

import pytest

from annotation import jobs

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
        assert jobs.work_off() == 0
    assert done == ["sweep", "errand"]
    assert "a defect" in caplog.text
