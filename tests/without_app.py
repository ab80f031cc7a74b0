"""An installation without one of the apps behind the engine: `python -m tests.without_app webhooks`.

Runs Django's checks, looks for missing migrations, and takes a batch from its file to its erasure on a fresh SQLite
database. A process of its own, since Django reads INSTALLED_APPS once.
"""

from __future__ import annotations

import os
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import django


def main(app: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ.pop("DATABASE_URL", None)
    from django.conf import settings

    settings.INSTALLED_APPS = [name for name in settings.INSTALLED_APPS if name != f"annotation.{app}"]
    django.setup()
    _check()
    with tempfile.TemporaryDirectory() as folder:
        batch = _import_and_launch(Path(folder))
        _work_and_decide(batch)
        _look(batch)
        _report_and_export(batch, Path(folder))
        _close_and_erase(batch)


def _check() -> None:
    from django.apps import apps
    from django.conf import settings
    from django.core.management import call_command

    call_command("check", verbosity=0)
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    settings.MIGRATION_MODULES = {config.label: None for config in apps.get_app_configs()}
    call_command("migrate", run_syncdb=True, verbosity=0)


def _import_and_launch(folder: Path) -> Any:
    from annotation.flow.money import ledger
    from annotation.models import Project
    from tests.flow.acting import dataset_of, launched

    project = Project.objects.create(slug="wells", title="Wells and towers", consent="We keep what you answer.")
    dataset = dataset_of(project, folder, name="wells", size=4)
    ledger.deposit(project, Decimal(50), key="budget")
    return launched(project, "paid", dataset, reward=Decimal("0.25"), auto_approval=3600, assignments_per_hit=1)


def _work_and_decide(batch: Any) -> None:
    """Claim, draft, submit, return, report a problem, approve, reject, exclude."""
    from annotation.flow.review import assignment_approval, problem_reports
    from annotation.flow.work import leases, submissions
    from annotation.models import Hit
    from tests.conftest import answer_to
    from tests.flow.acting import newcomer, submit, take

    def taken(worker: Any) -> Any:
        row = take(worker, batch)
        assert row is not None
        return row

    bob, carol = newcomer(batch.project, "bob"), newcomer(batch.project, "carol")
    good, bad = taken(bob), taken(carol)
    submissions.save_draft(good, answer_to(good), version=0, active_seconds=1.0)
    assert submit(good).counts
    assert leases.return_assignment(bad)
    bad = taken(carol)
    submit(bad)
    reported = taken(carol)
    problem_reports.report_problem(reported, reason="broken", text="")
    assert assignment_approval.approve(good)
    assert assignment_approval.reject(bad, text="Not read.")
    assert problem_reports.exclude(
        Hit.objects.select_related("batch__project").get(pk=reported.hit_id), reason="broken"
    )


def _look(batch: Any) -> None:
    """The pages that might name the app."""
    from django.test import Client
    from django.urls import reverse

    from annotation.models import Member, User

    alice, project, client = User.objects.create_user("alice"), batch.project, Client()
    Member.objects.create(project=project, user=alice)
    client.force_login(alice)
    pages = "project project-settings batches batch-new people money approvals log search datasets"
    for name in pages.split():
        assert client.get(reverse(name, args=[project.slug])).status_code == 200, name
    for name in ("batch", "hits", "batch-settings", "batch-assignments"):
        assert client.get(reverse(name, args=[project.slug, batch.slug])).status_code == 200, name
    for path in ("/healthz", "/readyz", "/metrics", "/api/v1/schema/"):
        assert client.get(path).status_code == 200, path
    assert client.get(f"/api/v1/projects/{project.slug}/batches/{batch.slug}/").status_code == 200


def _report_and_export(batch: Any, folder: Path) -> None:
    from annotation.flow.data.dataset_files import export_dataset
    from annotation.flow.data.response_files import export_responses
    from annotation.flow.reports.batch_scores import score_batch

    score_batch(batch)
    assert export_responses(batch, folder / "responses.jsonl", format="jsonl")["records"] == 2
    assert export_dataset(batch.datasets.get(), folder / "wells-again.jsonl", format="jsonl")["records"] == 4


def _close_and_erase(batch: Any) -> None:
    """Close the batch, pay the worker, and erase the project with what jobs and sweeps do meanwhile."""
    from annotation import jobs
    from annotation.flow.batches import batch_launch
    from annotation.flow.money import payouts
    from annotation.flow.projects import project_erasure, recycle_bin
    from annotation.models import Batch, Dataset

    project = batch.project
    assert batch_launch.close(Batch.objects.get(pk=batch.pk))
    assert jobs.run_due_work() == 0
    assert payouts.decide(payouts.make_payout(project).lines.get(), "paid")
    assert recycle_bin.remove_project(project)
    assert project_erasure.begin(project)
    project_erasure.clear_due()
    assert not Batch.everything.filter(project=project).exists()
    assert not Dataset.objects.filter(project=project).exists()


if __name__ == "__main__":
    main(sys.argv[1])
