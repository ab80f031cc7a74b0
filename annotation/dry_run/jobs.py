"""The job of a dry run."""

from typing import Any

from annotation.dry_run.forecast import WorkerModel
from annotation.dry_run.run import dry_run
from annotation.dry_run.views import exhibit
from annotation.flow.projects.job_queue import JobProgress, Verb
from annotation.jobs import batch_of
from annotation.models import Job


def dry_run_batch(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Run a dry run of the batch; returns the forecast."""
    terms = {name: job.arguments[name] for name in ("workers", "seed", "hits")}
    return dry_run(batch_of(job), crowd=WorkerModel(**job.arguments["crowd"]), progress=progress, **terms)


VERBS: dict[str, Verb] = {"dry_run_batch": dry_run_batch}
RESULTS = [("dry_run_batch", "dry_run/_job_result.html", exhibit)]
