"""Figures of large batches, which a sweep counts and stores: they agree with counting, whatever happens meanwhile."""

import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.db.models import F

from annotation.flow.batches import batch_launch, batch_progress, cached_figures
from annotation.flow.review import problem_reports
from annotation.flow.work import leases
from annotation.models import Batch, BatchFigure, Project, clock
from annotation.models.fields import to_text
from tests.flow.acting import dataset_of, launched, newcomer, submit, take

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [pytest.mark.django_db, pytest.mark.postgresql(reason="SQL of its own counts quarters of an hour")]


@pytest.fixture
def large(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """A batch that counts as large, in which something of everything happened."""
    batch = launched(project, "many", dataset_of(project, tmp_path, name="four", size=4), assignments_per_hit=2)
    monkeypatch.setattr(cached_figures, "LARGE", batch.size)
    for name in ("one", "two", "three"):
        respond(batch, name)
    returned = take(newcomer(project, "four"), batch)
    assert returned is not None
    assert leases.return_assignment(returned)
    assert take(newcomer(project, "five"), batch) is not None
    return batch


def respond(batch: Batch, name: str) -> None:
    assignment = take(newcomer(batch.project, name), batch)
    assert assignment is not None
    submit(assignment)


def counted(batch: Batch) -> dict[str, Any]:
    return {name: json.loads(to_text(count(batch))) for name, count in cached_figures.COUNTS.items()}


def stored(batch: Batch) -> dict[str, Any]:
    return dict(BatchFigure.objects.filter(batch=batch).exclude(name="mark").values_list("name", "value"))


def test_what_the_sweep_stores_agrees_with_counting(large: Batch) -> None:
    cached_figures.count_due()
    assert stored(large) == counted(large)
    assert batch_progress.counts_of(large).submitted == 3
    respond(large, "six")
    assert stored(large) != counted(large)
    assert batch_progress.counts_of(large).submitted == 3, "kept until they are due"
    cached_figures.count_due()
    assert batch_progress.counts_of(large).submitted == 3, "not due yet"
    BatchFigure.objects.update(due_at=clock.now())
    cached_figures.count_due()
    assert stored(large) == counted(large)
    assert batch_progress.counts_of(large).submitted == 4


def test_the_submissions_by_time_are_those_of_the_batch(large: Batch) -> None:
    first, *_others, last = batch_progress.over_time(large)
    assert (first[1], last[1]) == (0, 3)
    for number, row in enumerate(large.assignments.submitted().order_by("pk")):
        ages = {"submitted_at": F("submitted_at") - timedelta(hours=30 * number, minutes=7)}
        large.assignments.filter(pk=row.pk).update(**ages)
    cache.clear()
    by_hour = batch_progress.by_hour(large)
    assert (len(by_hour), sum(n for _hour, n in by_hour)) == (48, 2)
    newest = large.assignments.submitted().order_by("submitted_at").last()
    assert newest is not None
    assert batch_progress.over_time(large)[-1] == (newest.submitted_at, 3)


def test_a_sweep_that_is_killed_leaves_what_was_stored(large: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    cached_figures.count_due()
    before = stored(large)
    respond(large, "six")
    BatchFigure.objects.update(due_at=clock.now())

    def killed(_batch: Batch) -> None:
        raise SystemExit

    with monkeypatch.context() as broken:
        broken.setitem(cached_figures.COUNTS, "counts", killed)
        with pytest.raises(SystemExit):
            cached_figures.count_due()
    assert stored(large) == before
    cached_figures.count_due()
    assert stored(large) == counted(large)


def test_the_process_of_the_sweeps_knows_every_figure() -> None:
    counted = "from annotation.flow.batches.cached_figures import COUNTS"
    script = f"import django; django.setup(); import annotation.jobs; {counted}; print(*sorted(COUNTS))"
    ours = os.environ | {"DJANGO_SETTINGS_MODULE": "annotation.settings"}
    run = subprocess.run([sys.executable, "-c", script], env=ours, cwd=ROOT, capture_output=True, text=True, check=True)
    sources = [path.read_text() for path in (ROOT / "annotation").rglob("*.py")]
    names = [name for source in sources for name in re.findall(r'cached_figures\.cached_figure\("([^"]+)"\)', source)]
    assert run.stdout.split() == sorted(names)


def test_of_due_batches_those_never_counted_come_first_and_then_the_longest_waiting(
    large: Batch, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = project.datasets.get()
    older, young, newest = (
        launched(project, name, dataset, assignments_per_hit=2) for name in ("older", "young", "newest")
    )
    cached_figures.count(large)
    cached_figures.count(older)
    earlier = clock.now() - timedelta(minutes=9)
    BatchFigure.objects.update(due_at=clock.now())
    BatchFigure.objects.filter(batch=older).update(counted_at=earlier)
    asked: list[str] = []
    monkeypatch.setattr(cached_figures, "count", lambda batch: asked.append(batch.slug))
    cached_figures.count_due()
    assert asked == [young.slug, newest.slug, older.slug, large.slug]


@pytest.mark.parametrize("error", [ValueError("broken"), OperationalError("database is locked")])
def test_a_batch_that_cannot_be_counted_is_logged_and_keeps_no_other_from_being_counted(
    large: Batch, project: Project, error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = launched(project, "other", project.datasets.get(), assignments_per_hit=2)
    count = cached_figures.COUNTS["counts"]

    def broken(batch: Batch) -> Any:
        if batch == large:
            raise error
        return count(batch)

    monkeypatch.setitem(cached_figures.COUNTS, "counts", broken)
    monkeypatch.setattr(cached_figures, "SECONDS", 0)
    cached_figures.count_due()
    assert not stored(large)
    assert stored(other) == counted(other)
    assert f"batch {large.pk}" in caplog.text


def test_an_unreachable_database_ends_the_sweep(large: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_batch: Batch) -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setitem(cached_figures.COUNTS, "counts", away)
    with pytest.raises(OperationalError):
        cached_figures.count_due()


def test_pages_count_for_themselves_where_no_sweep_runs(large: Batch) -> None:
    cached_figures.count_due()
    respond(large, "six")
    BatchFigure.objects.update(due_at=clock.now() - timedelta(minutes=11))
    assert batch_progress.counts_of(large).submitted == 4


def test_nothing_is_counted_of_a_closed_batch_in_which_nothing_changed(
    large: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch_launch.close(large)
    cached_figures.count_due()
    asked = []
    count = cached_figures.COUNTS["counts"]
    monkeypatch.setitem(cached_figures.COUNTS, "counts", lambda batch: asked.append(batch) or count(batch))
    BatchFigure.objects.update(due_at=clock.now())
    cached_figures.count_due()
    assert not asked
    assert not BatchFigure.objects.filter(due_at__lt=clock.now()).exists()
    problem_reports.exclude(large.hits.all()[0], reason="twice")
    BatchFigure.objects.update(due_at=clock.now())
    asked.clear()
    cached_figures.count_due()
    assert len(asked) == 1
    assert stored(large) == counted(large)
    assert batch_progress.counts_of(large).excluded == 1


def test_figures_of_other_batches_are_not_stored(large: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_figures, "LARGE", large.size + 1)
    cached_figures.count_due()
    assert not BatchFigure.objects.exists()
