"""The job of a dry run."""

from typing import Any

from annotation.dry_run.crowd import Crowd
from annotation.dry_run.run import dry_run
from annotation.dry_run.views import exhibit
from annotation.flow.projects.job_queue import Progress, Verb
from annotation.jobs import batch_of
from annotation.models import Job


def dry_run_batch(job: Job, progress: Progress) -> dict[str, Any]:
    """Run a dry run of the batch; returns the forecast."""
    terms = {name: job.arguments[name] for name in ("workers", "seed", "hits")}
    return dry_run(batch_of(job), crowd=Crowd(**job.arguments["crowd"]), progress=progress, **terms)


VERBS: dict[str, Verb] = {"dry_run_batch": dry_run_batch}
RESULTS = [("dry_run_batch", "dry_run/_job_result.html", exhibit)]
