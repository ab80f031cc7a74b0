"""What the engine finds of this app: pages, API and job of dry runs."""

from typing import Any

from django.urls import path
from django.utils.translation import gettext_lazy as _

from annotation.api.routers import ProjectRouter
from annotation.discovery import BatchTab
from annotation.dry_run.api import DryRunViewSet
from annotation.dry_run.forecast import WorkerModel
from annotation.dry_run.run import dry_run
from annotation.dry_run.views import dry_runs, exhibit
from annotation.flow.projects.job_queue import JobProgress
from annotation.jobs import batch_of
from annotation.models import Job


def dry_run_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Run a dry run of the batch; returns the forecast."""
    terms = {name: job.arguments[name] for name in ("workers", "seed", "hits")}
    return dry_run(batch_of(job), crowd=WorkerModel(**job.arguments["crowd"]), progress=progress, **terms)


router = ProjectRouter(aliases={"batches/<slug:batch>/rehearse/": "batches/<slug:batch>/dry-run/"})
router.register("batches/<slug:batch>/dry-run", DryRunViewSet, "dry-run")

PAGES = [path("projects/<slug:slug>/batches/<slug:batch>/dry_runs/", dry_runs, name="dry_runs")]
API = router.urls
TABS = [BatchTab("dry_runs", _("Dry run"), shown=lambda batch: True)]
VERBS = [("dry_run_batch", dry_run_batch)]
RESULTS = [("dry_run_batch", "dry_run/_job_result.html", exhibit)]
